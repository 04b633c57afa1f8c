import Backend
import Bytes
import Foundation
import Synchronization
import TestKit
import Testing

@testable import Store

@Suite struct StampAndBackupTests {
    private let fixtures = Fixtures()

    @Test("the stamp moves for every write that concerns the user, by whatever id it was named")
    func stamps() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let session = fixtures.session(of: user.id)
            let identity = fixtures.identity(of: user)
            let token = fixtures.refreshToken("t", of: session)
            let code = fixtures.oneTimeToken("h", .recovery, of: user.id)
            let time = fixtures.clock.now()
            try await store.write {
                try await $0.insert(user)
                try await $0.insert(session)
                try await $0.insert(identity)
            }
            let id = try await store.transaction { try await $0.insert(token) }
            let writes: [(String, @Sendable (any StoreTransaction) async throws -> Void)] = [
                ("update", { try await $0.update(user, .role) }),
                ("session", { try await $0.update(session) }),
                ("identity", { try await $0.update(identity) }),
                ("method", { try await $0.upsertAMRClaim(session: session.id, method: "otp", at: time) }),
                ("revoke", { _ = try await $0.revoke(refreshToken: id, at: time) }),
                ("touch", { try await $0.touch(refreshToken: id, at: time) }),
                ("code", { try await $0.replace(code) }),
                ("try", { _ = try await $0.countWrongTry(of: user.id, type: .recovery) }),
                ("delete code", { try await $0.deleteOneTimeTokens(of: user.id) }),
                ("delete token", { try await $0.delete(refreshToken: id) }),
                ("delete identity", { try await $0.delete(identity: identity.id) }),
                ("delete session", { try await $0.delete(session: session.id) }),
                ("delete user", { try await $0.delete(user: user.id) }),
            ]
            for (name, write) in writes {
                let before = store.changeStamp(of: user.id)
                try await store.write(write)
                #expect(store.changeStamp(of: user.id) != before, "\(name)")
            }
            let before = store.changeStamp(of: user.id)
            try await store.write { _ = try await $0.user(user.id) }
            #expect(store.changeStamp(of: user.id) == before)
        }
    }

    @Test("who compares stamps never serves rows older than an answer, under load") func freshness() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            try await store.write { try await $0.insert(user) }
            let progress = Progress(user.updatedAt)
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 1...500 {
                        var row = user
                        row.updatedAt = user.updatedAt + .seconds(number)
                        let changed = row
                        do {
                            try await store.write { try await $0.update(changed, []) }
                        } catch {
                            Issue.record(error)
                        }
                        progress.answered.withLock { $0 = changed.updatedAt }
                    }
                    progress.isDone.store(true, ordering: .releasing)
                }
                for _ in 0..<2 {
                    group.addTask {
                        var cached: (stamp: UInt64?, time: Timestamp)?
                        while !progress.isDone.load(ordering: .acquiring) {
                            let atLeast = progress.answered.withLock { $0 }
                            let stamp = store.changeStamp(of: user.id)
                            if cached?.stamp != stamp || cached == nil {
                                let row = try? await store.reader.user(user.id)
                                cached = (stamp, row?.updatedAt ?? .epoch)
                            }
                            if let cached, cached.time < atLeast { Issue.record("rows older than an answer") }
                            // Reads complete at once: without it the tasks would keep all threads to themselves.
                            await Task.yield()
                        }
                    }
                }
            }
        }
    }

    @Test("a backup is whole and of one moment while others write, private, and overwrites nothing")
    func backup() async throws {
        let folder = try TemporaryFolder()
        try await TemporaryStore.use { store in
            let progress = Progress(.epoch)
            // Two rows a transaction: a backup with an odd number would be of two moments.
            try await store.write { [fixtures] transaction in
                for number in 0..<2_000 { try await transaction.insert(fixtures.user("a\(number)@example.com")) }
            }
            async let writing: Void = {
                var number = 0
                while !progress.isDone.load(ordering: .acquiring) {
                    let pair = [fixtures.user("b\(number)@example.com"), fixtures.user("c\(number)@example.com")]
                    try await store.write { for row in pair { try await $0.insert(row) } }
                    number += 1
                }
            }()
            for round in 0..<3 {
                let path = "\(folder.path)/copy\(round).db"
                try await store.backUp(to: path)
                let connection = try SQLiteConnection(path: path, mode: .readOnly, options: SQLiteOptions())
                #expect(try connection.value("PRAGMA integrity_check") == "ok")
                let count = Int(try connection.value("SELECT count(*) FROM users") ?? "") ?? 0
                #expect(count >= 2_000)
                #expect(count % 2 == 0)
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                #expect(mode as? Int == 0o600)
            }
            progress.isDone.store(true, ordering: .releasing)
            try await writing
            await #expect(throws: StoreError.self) { try await store.backUp(to: "\(folder.path)/copy0.db") }
            await #expect(throws: StoreError.self) { try await store.backUp(to: "/proc/nowhere/copy.db") }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.filter { $0.hasSuffix(".partial") }.isEmpty)
        }
        folder.remove()
    }

    @Test("a folder that another process has can be copied, and the copy opened as a store")
    func foreignCopy() async throws {
        let temporary = try TemporaryStore()
        let copy = try TemporaryFolder()
        let user = fixtures.user("a@example.com")
        try await temporary.store.write { try await $0.insert(user) }
        try SQLiteStore.copyDatabase(inFolder: temporary.folder.path, to: "\(copy.path)/drawbridge.db")
        let store = try SQLiteStore(folder: copy.path)
        #expect(try await store.reader.user(user.id)?.email == "a@example.com")
        await store.close()
        #expect(throws: StoreError.self) {
            try SQLiteStore.copyDatabase(inFolder: "\(copy.path)/none", to: "\(copy.path)/other.db")
        }
        await temporary.remove()
        copy.remove()
    }
}

/// What tasks of a test tell each other.
private final class Progress: Sendable {
    let answered: Mutex<Timestamp>
    let isDone = Atomic<Bool>(false)

    init(_ time: Timestamp) {
        answered = Mutex(time)
    }
}
