import Backend
import Bytes
import Foundation
import JSON
import TestKit
import Testing

@testable import Store

/// Transactions larger than the page cache: SQLite hands pages on to the log before the commit, reads them from there
/// again, and takes them back.
@Suite struct SpillTests {
    private let fixtures = Fixtures()

    private var options: SQLiteOptions {
        var options = SQLiteOptions()
        options.writerCacheKiB = 64
        options.checkpointFrames = 500
        return options
    }

    private func users(_ count: Int, _ name: String, bytes: Int = 1_500) -> [UserRow] {
        (0..<count).map { number in
            var row = fixtures.user("\(name)\(number)@example.com")
            let text = String(repeating: "x", count: bytes + number % 1_000)
            row.userMetadata = JSONText(trusted: Array(#"{"n":\#(number),"text":"\#(text)"}"#.utf8))
            return row
        }
    }

    private func logBytes(_ folder: TemporaryFolder) -> Int {
        let path = "\(folder.path)/drawbridge.db-wal"
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    }

    private func expect(_ rows: [UserRow], in store: SQLiteStore) async throws {
        for row in rows {
            let found = try await store.reader.user(row.id)
            #expect(found?.email == row.email && found?.userMetadata == row.userMetadata)
        }
    }

    private func expectWhole(_ folder: TemporaryFolder, users: Int) throws {
        let connection = try SQLiteConnection(
            path: "\(folder.path)/drawbridge.db", mode: .readOnly, options: SQLiteOptions())
        #expect(try connection.value("PRAGMA integrity_check") == "ok")
        #expect(try connection.value("SELECT count(*) FROM users") == "\(users)")
    }

    /// The folder as a process that is killed now leaves it.
    private func killed(_ folder: TemporaryFolder) throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        for name in ["drawbridge.db", "drawbridge.db-wal"] {
            try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: "\(copy.path)/\(name)")
        }
        return copy
    }

    @Test("a commit larger than the page cache is whole, after a crash and after closing") func commit() async throws {
        let temporary = try TemporaryStore(options: options)
        let rows = users(1_000, "a")
        let before = logBytes(temporary.folder)
        let folder = temporary.folder
        try await temporary.store.write { transaction in
            for row in rows { try await transaction.insert(row) }
            #expect(logBytes(folder) > before + 500_000)
            // Pages that are only in the log, and are changed and handed on a second time.
            for row in rows.shuffled() {
                var changed = row
                changed.role = "changed"
                try await transaction.update(changed, .role)
                #expect(try await transaction.user(email: row.email ?? "")?.userMetadata == row.userMetadata)
            }
        }
        try await expect(rows, in: temporary.store)
        let copy = try killed(folder)
        let store = try SQLiteStore(folder: copy.path, options: options)
        try await expect(rows, in: store)
        await store.close()
        try expectWhole(copy, users: 1_000)
        await temporary.store.close()
        try expectWhole(folder, users: 1_000)
        folder.remove()
        copy.remove()
    }

    @Test("a rollback larger than the page cache leaves nothing, and what is written next is whole")
    func rollback() async throws {
        let temporary = try TemporaryStore(options: options)
        let kept = users(300, "kept")
        try await temporary.store.write { transaction in
            for row in kept { try await transaction.insert(row) }
        }
        var count = 300
        for round in 0..<4 {
            let lost = users(600 + 100 * round, "lost\(round)-")
            // At first all of the batch is undone, then the savepoint of the body alone.
            await #expect(throws: Refusal.self) {
                try await temporary.store.write { transaction in
                    for row in lost { try await transaction.insert(row) }
                    for row in kept {
                        var changed = row
                        changed.userMetadata = .emptyObject
                        try await transaction.update(changed, .userMetadata)
                    }
                    throw Refusal()
                }
            }
            try await expect(kept, in: temporary.store)
            let next = users(round % 2 == 0 ? 1 : 500, "next\(round)-")
            try await temporary.store.write { transaction in
                for row in next { try await transaction.insert(row) }
            }
            count += next.count
            try await expect(next, in: temporary.store)
            #expect(try await temporary.store.reader.user(email: "lost\(round)-0@example.com") == nil)
            let copy = try killed(temporary.folder)
            let store = try SQLiteStore(folder: copy.path, options: options)
            try await expect(kept + next, in: store)
            await store.close()
            try expectWhole(copy, users: count)
            copy.remove()
        }
        await temporary.store.close()
        try expectWhole(temporary.folder, users: count)
        temporary.folder.remove()
    }

    @Test("of many at once, large and small, those that are refused keep nothing and the others all")
    func mixed() async throws {
        let temporary = try TemporaryStore(options: options)
        let groups = (0..<40).map { users($0 % 4 == 0 ? 200 : 2, "g\($0)-") }
        await withTaskGroup(of: Void.self) { group in
            for (number, rows) in groups.enumerated() {
                group.addTask {
                    do {
                        try await temporary.store.write { transaction in
                            for row in rows { try await transaction.insert(row) }
                            if number % 3 == 0 { throw Refusal() }
                        }
                        #expect(number % 3 != 0)
                    } catch {
                        #expect(error is Refusal && number % 3 == 0)
                    }
                }
            }
        }
        var count = 0
        for (number, rows) in groups.enumerated() {
            if number % 3 != 0 {
                try await expect(rows, in: temporary.store)
                count += rows.count
            }
        }
        let copy = try killed(temporary.folder)
        await (try SQLiteStore(folder: copy.path, options: options)).close()
        try expectWhole(copy, users: count)
        await temporary.store.close()
        try expectWhole(temporary.folder, users: count)
        temporary.folder.remove()
        copy.remove()
    }

    @Test("what another process wrote is seen by the next transaction") func others() async throws {
        let temporary = try TemporaryStore()
        let user = fixtures.user("a@example.com")
        try await temporary.store.write { try await $0.insert(user) }
        for role in ["one", "two"] {
            _ = try await temporary.store.transaction { try await $0.user(user.id) }
            let connection = try SQLiteConnection(
                path: "\(temporary.folder.path)/drawbridge.db", mode: .readWrite, options: SQLiteOptions())
            try connection.execute("UPDATE users SET role = '\(role)'")
            let seen = try await temporary.store.transaction { try await $0.user(user.id) }
            #expect(seen?.role == role)
        }
        await temporary.remove()
    }
}
