import Backend
import Bytes
import JSON
import TestKit
import Testing

@testable import Store

/// Rows as imports, seeds and operators write them: supabase-schema.md 6.
@Suite struct OldRowTests {
    private static let id = "00000000-0000-4000-8000-000000000001"

    private func withRows(
        _ sql: String, _ body: (SQLiteStore) async throws -> Void
    ) async throws {
        let temporary = try TemporaryStore()
        let path = "\(temporary.folder.path)/drawbridge.db"
        let connection = try SQLiteConnection(path: path, mode: .readWrite, options: SQLiteOptions())
        try connection.execute(sql)
        do {
            try await body(temporary.store)
        } catch {
            await temporary.remove()
            throw error
        }
        await temporary.remove()
    }

    private func userID() throws -> UserID { try #require(UserID(Self.id)) }

    @Test("a user row of NULLs reads as empty texts, empty objects and the epoch") func nulls() async throws {
        let sql = """
            INSERT INTO users (id, instance_id, phone_change, phone_change_token, email_change_token_current,
                email_change_confirm_status, reauthentication_token)
            VALUES ('\(Self.id)', NULL, NULL, NULL, NULL, NULL, NULL)
            """
        try await withRows(sql) { store in
            let user = try #require(try await store.reader.user(userID()))
            #expect(user.audience == "")
            #expect(user.role == "")
            #expect(user.email == nil)
            #expect(user.encryptedPassword == nil)
            #expect(user.confirmationToken == "")
            #expect(user.emailChange == "")
            #expect(user.emailChangeConfirmStatus == 0)
            #expect(user.appMetadata == .emptyObject)
            #expect(user.userMetadata == .emptyObject)
            #expect(user.createdAt == .epoch)
            #expect(user.updatedAt == .epoch)
            #expect(!user.isSSOUser)
        }
    }

    @Test("times written as text and JSON written with blanks are understood") func texts() async throws {
        let sql = """
            INSERT INTO users (id, aud, created_at, updated_at, banned_until, raw_user_meta_data, raw_app_meta_data)
            VALUES ('\(Self.id)', 'authenticated', '2024-01-01T00:00:00.5Z', '2024-01-01 00:00:01+00', 'nonsense',
                ' {"a": 1}', 'null')
            """
        try await withRows(sql) { store in
            let user = try #require(try await store.reader.user(userID()))
            #expect(user.createdAt == Timestamp(unixSeconds: 1_704_067_200, microseconds: 500_000))
            #expect(user.updatedAt == Timestamp(unixSeconds: 1_704_067_201))
            #expect(user.bannedUntil == nil)
            #expect(user.userMetadata.description == #"{"a":1}"#)
            #expect(user.appMetadata == .emptyObject)
        }
    }

    @Test("ids in capitals are read, ids that are none are an error and no crash") func ids() async throws {
        let sql = """
            INSERT INTO users (id) VALUES ('\(Self.id)');
            INSERT INTO identities (id, user_id, provider_id, provider, identity_data)
            VALUES ('ABCDEF00-0000-4000-8000-000000000001', '\(Self.id)', 'x', 'email', '{}');
            INSERT INTO identities (id, user_id, provider_id, provider, identity_data)
            VALUES ('broken', '\(Self.id)', 'y', 'email', '{}')
            """
        try await withRows(sql) { store in
            let found = try await store.reader.identity(provider: "email", providerID: "x")
            #expect(found?.id.description == "abcdef00-0000-4000-8000-000000000001")
            await #expect(throws: StoreError.self) {
                try await store.reader.identity(provider: "email", providerID: "y")
            }
        }
    }

    @Test("other tables' NULLs are read, too") func otherTables() async throws {
        let sql = """
            INSERT INTO users (id) VALUES ('\(Self.id)');
            INSERT INTO sessions (id, user_id) VALUES ('\(Self.id)', '\(Self.id)');
            INSERT INTO refresh_tokens (token, user_id, session_id) VALUES ('t', '\(Self.id)', '\(Self.id)');
            INSERT INTO mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
            VALUES ('\(Self.id)', '\(Self.id)', 'totp', 'verified', 1, 2);
            INSERT INTO flow_state (id, provider_type, authentication_method, auth_code)
            VALUES ('\(Self.id)', 'email', 'otp', 'c')
            """
        try await withRows(sql) { store in
            let session = try await store.reader.session(SessionID(userID().uuid))
            #expect(session?.aal == "aal1")
            #expect(session?.createdAt == .epoch)
            let token = try await store.reader.refreshToken("t")
            #expect(token?.isRevoked == false)
            #expect(try await store.reader.factors(of: userID()).first?.friendlyName == "")
            #expect(try await store.reader.flowState(authCode: "c")?.providerAccessToken == "")
            let id = try #require(token?.id)
            let isRevoked = try await store.transaction { try await $0.revoke(refreshToken: id, at: .epoch) }
            #expect(isRevoked)
        }
    }

    @Test("JSON that is none cannot be written by hand", arguments: ["raw_user_meta_data", "raw_app_meta_data"])
    func badJSON(column: String) async throws {
        let temporary = try TemporaryStore()
        let path = "\(temporary.folder.path)/drawbridge.db"
        let connection = try SQLiteConnection(path: path, mode: .readWrite, options: SQLiteOptions())
        // Our own connections leave the checks out; any other program's have them on.
        try connection.execute("PRAGMA ignore_check_constraints = OFF")
        #expect(throws: StoreError.self) {
            try connection.execute("INSERT INTO users (id, \(column)) VALUES ('\(Self.id)', '{broken')")
        }
        await temporary.remove()
    }
}
