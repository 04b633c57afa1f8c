import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

/// What a transaction reads of an account is what stands in the tables, whatever happened to the account before.
@Suite struct WriterCacheTests {
    private let fixtures = Fixtures()

    /// The account as a transaction sees it, and as a reader does who knows nothing of the writer.
    private func views(
        of user: UserID, _ session: SessionID? = nil, in store: SQLiteStore
    ) async throws -> (String, String) {
        let inside = try await store.transaction { try await $0.account(user, session: session) }
        let outside = try await store.reader.account(user, session: session)
        return (String(describing: inside), String(describing: outside))
    }

    private func changed(_ user: UserRow, _ number: Int) -> UserRow {
        let now = fixtures.clock.now() + .seconds(Int64(number))
        var row = user
        row.audience = "aud-\(number)"
        row.role = "role-\(number)"
        row.email = number % 2 == 0 ? "n\(number)@example.com" : ""
        row.encryptedPassword = "hash-\(number)"
        row.confirmationToken = "c\(number)"
        row.recoveryToken = "r\(number)"
        row.emailChangeTokenNew = "n\(number)"
        row.emailChange = "change\(number)@example.com"
        row.emailChangeTokenCurrent = "o\(number)"
        row.emailChangeConfirmStatus = number % 3
        row.phone = number % 2 == 0 ? "1\(number)" : ""
        row.phoneChange = "2\(number)"
        row.phoneChangeToken = "p\(number)"
        row.reauthenticationToken = "a\(number)"
        row.userMetadata = JSONText(trusted: Array(#"{"n":\#(number)}"#.utf8))
        row.appMetadata = JSONText(trusted: Array(#"{"provider":"p\#(number)"}"#.utf8))
        row.isAnonymous = number % 2 == 1
        row.isSSOUser = number % 4 == 1
        (row.emailConfirmedAt, row.phoneConfirmedAt, row.invitedAt) = (now, now, now)
        (row.confirmationSentAt, row.recoverySentAt, row.emailChangeSentAt) = (now, now, now)
        (row.phoneChangeSentAt, row.reauthenticationSentAt, row.lastSignInAt) = (now, now, now)
        (row.bannedUntil, row.deletedAt, row.updatedAt) = (now, now, now)
        return row
    }

    @Test("each column that is updated is known at once, and no other", arguments: 0..<20)
    func columns(bit: Int) async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            try await store.write { try await $0.insert(user) }
            _ = try await views(of: user.id, in: store)
            let row = changed(user, bit + 1)
            try await store.write { try await $0.update(row, UserColumns(rawValue: 1 << UInt64(bit))) }
            let (inside, outside) = try await views(of: user.id, in: store)
            #expect(inside == outside)
        }
    }

    @Test("identities, sessions and methods that others change are read anew") func relatives() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            var session = fixtures.session(of: user.id)
            let identity = fixtures.identity(of: user)
            let steps: [@Sendable (any StoreTransaction) async throws -> Void] = [
                { [session] in try await $0.insert(session) },
                { try await $0.insert(identity) },
                { [session, fixtures] in try await $0.insert(fixtures.refreshToken("token", of: session)) },
                { [session, fixtures] in
                    try await $0.upsertAMRClaim(session: session.id, method: "otp", at: fixtures.clock.now())
                },
                { try await $0.delete(identity: identity.id) },
            ]
            try await store.write { try await $0.insert(user) }
            for step in steps {
                _ = try await views(of: user.id, session.id, in: store)
                try await store.write(step)
                let (inside, outside) = try await views(of: user.id, session.id, in: store)
                #expect(inside == outside)
            }
            let target = try await store.transaction { try await $0.refreshTarget("token") }
            #expect(target?.account?.session?.id == session.id)
            #expect(target?.amr.map(\.method) == ["otp"])
            session.refreshedAt = fixtures.clock.now()
            session.userAgent = "another"
            try await store.write { [session] in try await $0.refresh(session) }
            let (inside, outside) = try await views(of: user.id, session.id, in: store)
            #expect(inside == outside)
            try await store.write { [session] in try await $0.delete(session: session.id) }
            let after = try await views(of: user.id, session.id, in: store)
            #expect(after.0 == after.1)
            try await store.write { try await $0.delete(user: user.id) }
            let gone = try await views(of: user.id, session.id, in: store)
            #expect(gone.0 == "nil" && gone.1 == "nil")
        }
    }

    @Test("what a refused body wrote is not known to the next", arguments: [false, true])
    func rollback(isSecondTry: Bool) async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            try await store.write { try await $0.insert(user) }
            for number in 1...(isSecondTry ? 2 : 1) {
                let row = changed(user, 2 * number)
                await #expect(throws: Refusal.self) {
                    try await store.write {
                        try await $0.update(row, [.email, .userMetadata])
                        #expect(try await $0.user(user.id)?.email == row.email)
                        throw Refusal()
                    }
                }
            }
            let (inside, outside) = try await views(of: user.id, in: store)
            #expect(inside == outside)
        }
    }
}
