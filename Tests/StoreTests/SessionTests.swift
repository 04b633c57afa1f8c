import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@Suite struct SessionTests {
    private let fixtures = Fixtures()

    @Test("every column of a session comes back; owner and creation never change") func wholeSession() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let time = fixtures.clock.now()
            let created = fixtures.session(of: user.id)
            var session = created
            session.updatedAt = time + .seconds(1)
            session.factorID = FactorID(fixtures.uuid())
            session.aal = "aal2"
            session.notAfter = time + .seconds(2)
            session.refreshedAt = time + .seconds(3)
            session.userAgent = "curl"
            session.ip = "10.0.0.1"
            session.tag = "tag"
            session.refreshTokenHMACKey = "key"
            session.refreshTokenCounter = 7
            session.scopes = "openid"
            let changed = session
            try await store.write {
                try await $0.insert(user)
                try await $0.insert(created)
                try await $0.update(changed)
            }
            let found = try await store.reader.session(created.id)
            #expect(String(describing: found) == String(describing: Optional(changed)))
            let second = fixtures.session(of: user.id)
            try await store.write { try await $0.insert(second) }
            #expect(try await store.reader.sessions(of: user.id).map(\.id) == [created.id, second.id])
        }
    }

    @Test("sessions go one by one, all, or all but one, with their tokens") func deletions() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let sessions = (0..<5).map { _ in fixtures.session(of: user.id) }
            let tokens = sessions.enumerated().map { fixtures.refreshToken("t\($0.offset)", of: $0.element) }
            try await store.write {
                try await $0.insert(user)
                for session in sessions { try await $0.insert(session) }
                for token in tokens { try await $0.insert(token) }
            }
            try await store.write { try await $0.delete(session: sessions[0].id) }
            #expect(try await store.reader.refreshToken("t0") == nil)
            let others = try await store.transaction {
                try await $0.deleteSessions(of: user.id, except: sessions[1].id)
            }
            #expect(others == 3)
            #expect(try await store.reader.sessions(of: user.id).map(\.id) == [sessions[1].id])
            let rest = try await store.transaction { try await $0.deleteSessions(of: user.id, except: nil) }
            #expect(rest == 1)
            #expect(try await store.reader.refreshToken("t1") == nil)
        }
    }

    @Test("a token can be revoked once; the newest that is not revoked is the active one") func tokens() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let session = fixtures.session(of: user.id)
            let token = fixtures.refreshToken("t1", of: session)
            let time = fixtures.clock.now() + .seconds(5)
            let first = try await store.transaction { transaction in
                try await transaction.insert(user)
                try await transaction.insert(session)
                return try await transaction.insert(token)
            }
            let child = fixtures.refreshToken("t2", of: session, parent: "t1")
            try await store.write { transaction in
                let second = try await transaction.insert(child)
                #expect(second > first)
                #expect(try await transaction.activeRefreshToken(of: session.id)?.id == second)
                #expect(try await transaction.revoke(refreshToken: first, at: time))
                #expect(try await !transaction.revoke(refreshToken: first, at: time))
                #expect(try await !transaction.revoke(refreshToken: 999, at: time))
                try await transaction.touch(refreshToken: first, at: time + .seconds(1))
                try await transaction.touch(refreshToken: second, at: time + .seconds(1))
            }
            let old = try #require(try await store.reader.refreshToken("t1"))
            #expect(old.isRevoked)
            #expect(old.updatedAt == time + .seconds(1))
            let new = try #require(try await store.reader.refreshToken("t2"))
            #expect(new.parent == "t1")
            #expect(new.updatedAt == child.updatedAt)
            #expect(new.sessionID == session.id)
            try await store.write { try await $0.revokeRefreshTokens(of: session.id, at: time) }
            #expect(try await store.reader.activeRefreshToken(of: session.id) == nil)
            try await store.write { try await $0.delete(refreshToken: new.id) }
            #expect(try await store.reader.refreshToken("t2") == nil)
        }
    }

    @Test("methods of a session are kept once each, the last used first") func methods() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let session = fixtures.session(of: user.id)
            let time = fixtures.clock.now()
            try await store.write {
                try await $0.insert(user)
                try await $0.insert(session)
                try await $0.upsertAMRClaim(session: session.id, method: "password", at: time)
                try await $0.upsertAMRClaim(session: session.id, method: "otp", at: time + .seconds(1))
                try await $0.upsertAMRClaim(session: session.id, method: "password", at: time + .seconds(2))
            }
            let claims = try await store.reader.amrClaims(of: session.id)
            #expect(claims.map(\.method) == ["password", "otp"])
            #expect(claims.first?.createdAt == time)
            #expect(claims.first?.updatedAt == time + .seconds(2))
        }
    }

    @Test("a user has one token of each type; a new one starts a new count of tries")
    func oneTimeTokens() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let first = fixtures.oneTimeToken("h1", .recovery, of: user.id)
            let second = fixtures.oneTimeToken("h2", .recovery, of: user.id)
            let third = fixtures.oneTimeToken("h2", .confirmation, of: user.id)
            try await store.write {
                try await $0.insert(user)
                try await $0.replace(first)
                #expect(try await $0.countWrongTry(of: user.id, type: .recovery) == 1)
                #expect(try await $0.countWrongTry(of: user.id, type: .recovery) == 2)
                #expect(try await $0.countWrongTry(of: user.id, type: .confirmation) == 1)
                try await $0.replace(second)
                try await $0.replace(third)
                #expect(try await $0.countWrongTry(of: user.id, type: .recovery) == 1)
            }
            let reader = store.reader
            #expect(try await reader.oneTimeToken(hash: "h1", types: [.recovery]) == nil)
            #expect(try await reader.oneTimeToken(hash: "h2", types: [.recovery])?.id == second.id)
            #expect(try await reader.oneTimeToken(hash: "h2", types: [.confirmation, .phoneChange])?.id == third.id)
            #expect(try await reader.oneTimeToken(hash: "h2", types: []) == nil)
            try await store.write { try await $0.delete(oneTimeToken: .recovery, of: user.id) }
            #expect(try await reader.oneTimeToken(hash: "h2", types: [.recovery]) == nil)
            try await store.write { try await $0.deleteOneTimeTokens(of: user.id) }
            #expect(try await reader.oneTimeToken(hash: "h2", types: OneTimeTokenType.allCases) == nil)
        }
    }

    @Test("a begun flow is found by its code, or as the newest of its user") func flowStates() async throws {
        try await TemporaryStore.use { store in
            let user = UserID(fixtures.uuid())
            var state = FlowStateRow(
                id: FlowStateID(fixtures.uuid()), providerType: "email", authenticationMethod: "magiclink",
                createdAt: fixtures.clock.now())
            state.userID = user
            state.codeChallenge = "c"
            state.codeChallengeMethod = "s256"
            let first = state
            state.id = FlowStateID(fixtures.uuid())
            state.createdAt = first.createdAt + .seconds(1)
            let second = state
            try await store.write {
                try await $0.insert(first)
                try await $0.insert(second)
            }
            #expect(try await store.reader.flowState(of: user, method: "magiclink")?.id == second.id)
            #expect(try await store.reader.flowState(of: user, method: "recovery") == nil)
            state.authCode = "code"
            state.authCodeIssuedAt = first.createdAt + .seconds(2)
            state.providerAccessToken = "p"
            let changed = state
            try await store.write { try await $0.update(changed) }
            let found = try await store.reader.flowState(authCode: "code")
            #expect(String(describing: found) == String(describing: Optional(changed)))
            let deleted = try await store.transaction { try await $0.delete(flowState: second.id) }
            #expect(deleted)
            let again = try await store.transaction { try await $0.delete(flowState: second.id) }
            #expect(!again)
        }
    }
}
