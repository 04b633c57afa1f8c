import Backend
import Bytes
import Foundation
import TestKit
import Testing

@testable import Store

@Suite struct OpeningTests {
    private let fixtures = Fixtures()

    @Test("a folder in use is refused by name, and free again after closing") func inUse() async throws {
        let temporary = try TemporaryStore()
        do {
            _ = try SQLiteStore(folder: temporary.folder.path)
            Issue.record("the folder was opened twice")
        } catch StoreOpeningError.inUse(let folder) {
            #expect(folder == temporary.folder.path)
        }
        await temporary.store.close()
        let again = try SQLiteStore(folder: temporary.folder.path)
        await again.close()
        await again.close()
        temporary.folder.remove()
    }

    @Test("rows are there after closing and opening; the tables are made once") func reopening() async throws {
        let folder = try TemporaryFolder()
        let user = fixtures.user("a@example.com")
        for round in 0..<3 {
            let store = try SQLiteStore(folder: folder.path)
            if round == 0 { try await store.write { try await $0.insert(user) } }
            #expect(try await store.reader.user(user.id)?.email == "a@example.com")
            await store.close()
        }
        let connection = try SQLiteConnection(
            path: "\(folder.path)/drawbridge.db", mode: .readWrite, options: SQLiteOptions())
        #expect(try connection.value("SELECT count(*) FROM drawbridge_migrations") == "1")
        #expect(try connection.value("SELECT count(*) FROM schema_migrations") == "70")
        #expect(try connection.value("SELECT max(version) FROM schema_migrations") == "20260625000000")
        try SQLiteMigration.run(on: connection)
        #expect(try connection.value("SELECT count(*) FROM drawbridge_migrations") == "1")
        try connection.execute("INSERT INTO drawbridge_migrations VALUES (99, 'from the future')")
        #expect(throws: StoreOpeningError.self) { try SQLiteStore(folder: folder.path) }
        folder.remove()
    }

    @Test("all tables of the reference are there") func tables() async throws {
        let temporary = try TemporaryStore()
        let connection = try SQLiteConnection(
            path: "\(temporary.folder.path)/drawbridge.db", mode: .readOnly, options: SQLiteOptions())
        for table in [
            "users", "identities", "sessions", "refresh_tokens", "mfa_amr_claims", "one_time_tokens", "mfa_factors",
            "mfa_challenges", "flow_state", "oauth_client_states", "audit_log_entries", "sso_providers",
            "sso_domains", "saml_providers", "saml_relay_states", "oauth_clients", "oauth_authorizations",
            "oauth_consents", "custom_oauth_providers", "webauthn_credentials", "webauthn_challenges",
            "schema_migrations", "instances",
        ] {
            let count = try connection.value("SELECT count(*) FROM pragma_table_info('\(table)')")
            #expect(Int(count ?? "") ?? 0 > 0, "\(table)")
        }
        await temporary.remove()
    }

    @Test("folder and files are the owner's alone") func modes() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/data"
        let store = try SQLiteStore(folder: path)
        try await store.write { [fixtures] in try await $0.insert(fixtures.user("a@example.com")) }
        for (name, mode) in [
            ("", 0o700), ("/drawbridge.db", 0o600), ("/drawbridge.db-wal", 0o600), ("/drawbridge.lock", 0o600),
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + name)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
        }
        await store.close()
        folder.remove()
    }

    @Test("a folder that cannot be is refused with its name") func unusable() throws {
        #expect(throws: StoreOpeningError.self) { try SQLiteStore(folder: "/proc/nowhere/data") }
    }

    @Test("a file that is no database is refused, and its folder is free again") func noDatabase() throws {
        let folder = try TemporaryFolder()
        let text = Data(String(repeating: "no database ", count: 1_000).utf8)
        try text.write(to: URL(fileURLWithPath: "\(folder.path)/drawbridge.db"))
        for _ in 0..<2 { #expect(throws: StoreError.self) { try SQLiteStore(folder: folder.path) } }
        folder.remove()
    }

    @Test("after closing everything says that it is closed") func closed() async throws {
        let temporary = try TemporaryStore()
        await temporary.store.close()
        await #expect(throws: StoreError.self) { try await temporary.store.transaction { _ in } }
        await #expect(throws: StoreError.self) { try await temporary.store.reader.inbox(to: nil, limit: 1) }
        await #expect(throws: StoreError.self) { try await temporary.store.probe() }
        await #expect(throws: StoreError.self) { try await temporary.store.backUp(to: "/tmp/never") }
        await temporary.remove()
    }

    @Test("what was answered survives a crash at any moment of the log") func crash() async throws {
        let temporary = try TemporaryStore()
        let copy = try TemporaryFolder()
        let users = (0..<200).map { fixtures.user("u\($0)@example.com") }
        for (number, user) in users.enumerated() {
            try await temporary.store.write { try await $0.insert(user) }
            guard number % 50 == 49 else { continue }
            // As a process that is killed now leaves it: the file, and the log torn in its last frame.
            for name in ["drawbridge.db", "drawbridge.db-wal"] {
                let data = try Data(contentsOf: URL(fileURLWithPath: "\(temporary.folder.path)/\(name)"))
                let torn = name.hasSuffix("wal") ? data + data.suffix(1_000) : data
                try torn.write(to: URL(fileURLWithPath: "\(copy.path)/\(name)"))
            }
            try? FileManager.default.removeItem(atPath: "\(copy.path)/drawbridge.db-shm")
            let store = try SQLiteStore(folder: copy.path)
            for user in users.prefix(number + 1) {
                #expect(try await store.reader.user(user.id)?.email == user.email)
            }
            await store.close()
            let connection = try SQLiteConnection(
                path: "\(copy.path)/drawbridge.db", mode: .readOnly, options: SQLiteOptions())
            #expect(try connection.value("PRAGMA integrity_check") == "ok")
        }
        await temporary.remove()
        copy.remove()
    }
}
