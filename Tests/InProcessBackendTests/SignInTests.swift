import Backend
import Bytes
import Crypto
import JSON
import Store
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Password sign-in")
struct SignInTests {
    @Test("a good password opens a session whose token tells who and how")
    func success() async throws {
        try await inWorld(.supabase, { $0.issuer = "https://issuer.example" }) { world in
            let user = try await world.account { $0.userMetadata = ["name": "Alice"] }
            world.clock.advance(by: .seconds(5))
            let session = try await world.signIn("Alice@Example.com")
            #expect(session.user.id == user.id)
            #expect(session.user.lastSignInAt == world.clock.now())
            #expect(session.user.confirmedAt != nil)
            #expect(session.user.identities?.count == 1)
            #expect(session.expiresIn == 3600)
            #expect(session.expiresAt.unixSeconds == world.clock.now().unixSeconds + 3600)
            guard case .fine = session.passwordJudgement else {
                Issue.record("no judgement")
                return
            }
            let verifier = JWTVerifier(keys: [], secret: try VerificationKey(secret: TestWorld.secret))
            let claims = try verifier.verify(session.accessToken.exposed, now: world.clock.now()).object
            #expect(claims["iss"]?.string == "https://issuer.example")
            #expect(claims["sub"]?.string == user.id.description)
            #expect(claims["aud"]?.string == "authenticated")
            #expect(claims["email"]?.string == "alice@example.com")
            #expect(claims["phone"]?.string == "")
            #expect(claims["role"]?.string == "authenticated")
            #expect(claims["aal"]?.string == "aal1")
            #expect(claims["is_anonymous"]?.bool == false)
            #expect(claims["session_id"]?.string == session.sessionID?.description)
            #expect(claims["user_metadata"]?["name"]?.string == "Alice")
            #expect(claims["amr"]?.array?.first?["method"]?.string == "password")
            #expect(claims["amr"]?.array?.first?["timestamp"]?.int64 == world.clock.now().unixSeconds)
        }
    }

    @Test("refusals, in their order")
    func refusals() async throws {
        try await inWorld { world in
            try await world.account()
            try await world.account("new@example.com") { $0.confirmsEmail = false }
            func refusal(_ email: String?, _ phone: String?, _ password: String) async -> AuthError.Reason? {
                let attempt = PasswordSignIn(email: email, phone: phone, password: Password(password))
                return await failure { () throws(AuthError) in
                    try await world.backend.signIn(attempt, TestWorld.visitor)
                }
            }
            #expect(await refusal("a@example.com", "1555", "x") == .signInEmailAndPhone)
            #expect(await refusal(nil, "1555", "x") == .phoneLoginsDisabled)
            #expect(await refusal("", "", "x") == .signInAddressMissing)
            #expect(await refusal("nobody@example.com", nil, "x") == .invalidCredentials)
            #expect(await refusal("alice@example.com", nil, "wrong") == .invalidCredentials)
            #expect(await refusal("alice@example.com", nil, "") == .invalidCredentials)
            #expect(await refusal("alice@example.com\0", nil, "correct-horse-1") == .invalidCredentials)
            #expect(await refusal("alice@example.com", nil, "correct-horse-1\0x") == .invalidCredentials)
            #expect(await refusal("new@example.com", nil, "wrong") == .invalidCredentials)
            #expect(await refusal("new@example.com", nil, "correct-horse-1") == .emailNotConfirmed)
        }
    }

    @Test("a ban is told before the password in the reference, after it under sovaria")
    func ban() async throws {
        for (policy, told) in [(Policy.supabase, AuthError.Reason.signInUserBanned), (.sovaria, .invalidCredentials)] {
            try await inWorld(policy) { world in
                try await world.account { $0.banDuration = "1h" }
                #expect(
                    await failure { () throws(AuthError) in try await world.signIn(password: "wrong") } == told)
                #expect(await failure { () throws(AuthError) in try await world.signIn() } == .signInUserBanned)
                world.clock.advance(by: .seconds(3600))
                #expect(await failure { () throws(AuthError) in try await world.signIn() } == nil)
            }
        }
    }

    @Test("a password that the rules would refuse today is told as weak")
    func weak() async throws {
        try await inWorld(.supabase, { $0.passwordLengthMin = 20 }) { world in
            try await world.account()
            guard case .weak(_, let reasons) = try await world.signIn().passwordJudgement else {
                Issue.record("not weak")
                return
            }
            #expect(reasons == ["length"])
        }
    }

    @Test("by phone, with or without a plus sign")
    func phone() async throws {
        try await inWorld(.supabase, { $0.isPhoneEnabled = true }) { world in
            try await world.account("x@example.com") {
                $0.email = nil
                $0.phone = "+1 555 000 1111"
            }
            func attempt() async -> AuthError.Reason? {
                await failure { () throws(AuthError) in
                    try await world.backend.signIn(
                        PasswordSignIn(email: nil, phone: "+15550001111", password: Password("correct-horse-1")),
                        TestWorld.visitor)
                }
            }
            #expect(await attempt() == .phoneNotConfirmed)
            let found = try await world.store.reader.user(phone: "15550001111")
            _ = try await world.update(try #require(found).id) { $0.confirmsPhone = true }
            #expect(await attempt() == nil)
        }
    }

    @Test("many at once all get sessions of their own")
    func race() async throws {
        try await inWorld { world in
            let user = try await world.account()
            let sessions = try await withThrowingTaskGroup(of: SessionID?.self) { group in
                for _ in 0..<12 { group.addTask { try await world.signIn().sessionID } }
                var seen: Set<SessionID> = []
                for try await id in group { if let id { seen.insert(id) } }
                return seen
            }
            #expect(sessions.count == 12)
            #expect(try await world.store.reader.sessions(of: user.id).count == 12)
        }
    }
}

@Suite("Refreshing")
struct RefreshTests {
    @Test("a token is exchanged for the next, in the same session")
    func rotation() async throws {
        try await inWorld { world in
            try await world.account()
            let first = try await world.signIn()
            world.clock.advance(by: .seconds(60))
            let second = try await world.refresh(first.refreshToken)
            #expect(second.refreshToken.exposed != first.refreshToken.exposed)
            #expect(second.sessionID == first.sessionID)
            #expect(second.user.lastSignInAt == first.user.lastSignInAt)
            #expect(second.user.updatedAt == world.clock.now())
            #expect(second.passwordJudgement == nil)
            let id = try #require(first.sessionID)
            #expect(try await world.store.reader.session(id)?.refreshedAt == world.clock.now())
            _ = try await world.refresh(second.refreshToken)
        }
    }

    @Test("FR-01: a client that lost our answer gets the unused child again, however late")
    func lostAnswer() async throws {
        try await inWorld { world in
            try await world.account()
            let first = try await world.signIn()
            let second = try await world.refresh(first.refreshToken)
            world.clock.advance(by: .seconds(86_400))
            #expect(try await world.refresh(first.refreshToken).refreshToken.exposed == second.refreshToken.exposed)
            _ = try await world.refresh(second.refreshToken)
        }
    }

    @Test("a replay ends the family, and stays ended")
    func replay() async throws {
        try await inWorld { world in
            try await world.account()
            let first = try await world.signIn()
            let second = try await world.refresh(first.refreshToken)
            let third = try await world.refresh(second.refreshToken)
            world.clock.advance(by: .seconds(1))
            for token in [first, third, second].map(\.refreshToken) {
                #expect(
                    await failure { () throws(AuthError) in try await world.refresh(token) }
                        == .refreshTokenAlreadyUsed)
            }
            // The reference keeps the session's row: its access tokens live on.
            _ = try await world.authenticate(first.accessToken)
            _ = try await world.signIn()
        }
    }

    @Test("inside the reuse interval an old token forks, and the interval does not slide")
    func interval() async throws {
        try await inWorld(.supabase, { $0.refreshReuseInterval = .seconds(10) }) { world in
            try await world.account()
            let first = try await world.signIn()
            let second = try await world.refresh(first.refreshToken)
            let third = try await world.refresh(second.refreshToken)
            world.clock.advance(by: .seconds(6))
            let fork = try await world.refresh(first.refreshToken)
            _ = try await world.refresh(fork.refreshToken)
            _ = try await world.refresh(third.refreshToken)
            world.clock.advance(by: .seconds(6))
            #expect(
                await failure { () throws(AuthError) in try await world.refresh(first.refreshToken) }
                    == .refreshTokenAlreadyUsed)
        }
    }

    @Test("one token used many times at once is spent once")
    func race() async throws {
        try await inWorld { world in
            try await world.account()
            let first = try await world.signIn()
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<16 {
                    group.addTask { try await world.refresh(first.refreshToken).refreshToken.exposed }
                }
                var seen: Set<String> = []
                for try await token in group { seen.insert(token) }
                return seen
            }
            #expect(tokens.count == 1)
        }
    }

    @Test("refusals")
    func refusals() async throws {
        try await inWorld { world in
            let user = try await world.account()
            func refusal(_ token: String) async -> AuthError.Reason? {
                await failure { () throws(AuthError) in try await world.refresh(RawToken(token)) }
            }
            #expect(await refusal("") == .refreshTokenMalformed)
            #expect(await refusal("UPPERCASE123") == .refreshTokenMalformed)
            #expect(await refusal("abcdefghijkl") == .refreshTokenNotFound)
            #expect(await refusal("ABEREREiIkMzhERVVVVVVVUAI-IcsaseXEKS7q68JAgmU-80L2M") == .refreshTokenNotFound)
            let session = try await world.signIn()
            _ = try await world.update(user.id) { $0.banDuration = "1h" }
            #expect(await refusal(session.refreshToken.exposed) == .refreshUserBanned)
            _ = try await world.update(user.id) { $0.banDuration = "none" }
            try await world.backend.adminDeleteUser(user.id, softly: false, TestWorld.root, TestWorld.visitor)
            #expect(await refusal(session.refreshToken.exposed) == .refreshTokenNotFound)
        }
    }

    @Test("a token whose session is gone is told so once, then forgotten")
    func sessionless() async throws {
        try await inWorld { world in
            let user = try await world.account()
            let now = world.clock.now()
            _ = try await world.store.transaction { tx in
                try await tx.insert(
                    RefreshTokenRow(
                        token: "abcdefghijkl", userID: user.id, parent: nil, sessionID: nil, createdAt: now))
            }
            let token = RawToken("abcdefghijkl")
            #expect(await failure { () throws(AuthError) in try await world.refresh(token) } == .refreshSessionMissing)
            #expect(await failure { () throws(AuthError) in try await world.refresh(token) } == .refreshTokenNotFound)
        }
    }

    @Test("timebox, inactivity, newer sign-in")
    func limits() async throws {
        let refusals: [((inout Policy) -> Void, AuthError.Reason)] = [
            ({ $0.sessionTimebox = .seconds(60) }, .refreshSessionExpired),
            ({ $0.sessionInactivity = .seconds(60) }, .refreshSessionInactive),
        ]
        for (change, reason) in refusals {
            try await inWorld(.supabase, change) { world in
                try await world.account()
                let session = try await world.signIn()
                world.clock.advance(by: .seconds(61))
                #expect(
                    await failure { () throws(AuthError) in try await world.refresh(session.refreshToken) } == reason)
            }
        }
        try await inWorld(.supabase, { $0.allowsSingleSessionOnly = true }) { world in
            try await world.account()
            let old = try await world.signIn()
            world.clock.advance(by: .seconds(1))
            let new = try await world.signIn()
            #expect(
                await failure { () throws(AuthError) in try await world.refresh(old.refreshToken) }
                    == .refreshSessionRevokedByNewer)
            _ = try await world.refresh(new.refreshToken)
        }
    }

    @Test("a store that is down never tells a client that its session is over")
    func outage() async throws {
        try await inWorld { world in
            try await world.account()
            let session = try await world.signIn()
            await world.store.close()
            #expect(
                await failure { () throws(AuthError) in try await world.refresh(session.refreshToken) } == .unavailable)
            #expect(await failure { () throws(AuthError) in try await world.signIn() } == .unavailable)
            #expect(
                await failure { () throws(AuthError) in try await world.authenticate(session.accessToken) }
                    == .unavailable)
        }
    }
}
