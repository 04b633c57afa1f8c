import Backend
import Bytes
import JSON

/// Tokens and sessions. Source: supabase-core.md 5–7, 10.3, 10.11; FR-01, FR-02, FR-03.
extension BackendContract {
    static let sessions: [ContractRule] = [
        ContractRule("A password signs in; a wrong one, an unknown address and a ban do not") { world in
            let user = try await world.account("a@example.com")
            let session = try await world.signIn("A@Example.com")
            try expectEqual(session.user.id, user.id, "account")
            guard case .fine = session.passwordJudgement else { throw ContractFailure("no judgement of the password") }
            try await expectRefusal(.invalidCredentials, "wrong") { _ = try await world.signIn("a@example.com", "x") }
            try await expectRefusal(.invalidCredentials, "unknown") { _ = try await world.signIn("b@example.com") }
            try await expectRefusal(.signInAddressMissing, "nobody") {
                _ = try await world.backend.signIn(
                    PasswordSignIn(email: nil, phone: nil, password: Password("x")), world.visitor)
            }
            _ = try await world.change(user.id) { $0.banDuration = "24h" }
            try await expectRefusal(.signInUserBanned, "banned") { _ = try await world.signIn("a@example.com") }
            try await expectRefusal(.userBanned, "the open session") { _ = try await world.user(session) }
        },
        ContractRule("A lost answer to a refresh is no lost session, however late") { world in
            let first = try await world.member("a@example.com")
            let second = try await world.refresh(first.refreshToken)
            try expect(second.refreshToken.exposed != first.refreshToken.exposed, "a new token")
            world.clock.advance(by: .seconds(600))
            let again = try await world.refresh(first.refreshToken)
            try expectEqual(again.refreshToken.exposed, second.refreshToken.exposed, "the token that got lost")
            _ = try await world.user(again)
        },
        ContractRule("Reuse of a token whose child was used ends the session") { world in
            let first = try await world.member("a@example.com")
            let second = try await world.refresh(first.refreshToken)
            _ = try await world.refresh(second.refreshToken)
            world.clock.advance(by: .seconds(600))
            try await expectRefusal(.refreshTokenAlreadyUsed, "reuse") {
                _ = try await world.refresh(first.refreshToken)
            }
        },
        ContractRule("Many refreshes with one token at once come to one session") { world in
            let session = try await world.member("a@example.com")
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<10 { group.addTask { try await world.refresh(session.refreshToken).refreshToken.exposed } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            for token in tokens { _ = try await world.refresh(RawToken(token)) }
            _ = try await world.user(session)
        },
        ContractRule("An unknown refresh token is told as such") { world in
            try await expectRefusal(.refreshTokenNotFound, "unknown") {
                _ = try await world.refresh(RawToken("abcdefghijkl"))
            }
        },
        ContractRule("A caller without a good token is told why") { world in
            try await expectRefusal(.bearerMissing, "none") {
                _ = try await world.backend.authenticate(world.visitor, as: .user)
            }
            let error = try await expectRefusal(.tokenInvalid, "broken") { _ = try await world.user(RawToken("a.b.c")) }
            try expect(error.remote == nil || error.remote?.status == 403, "its status")
            let session = try await world.member("a@example.com")
            try await expectRefusal(.notAdministrator, "a user as an administrator") {
                let context = world.bearing(session.accessToken)
                let principal = try await world.backend.authenticate(context, as: .administrator)
                _ = try await world.backend.adminUsers(UserListQuery(), principal, context)
            }
            world.clock.advance(by: .seconds(3601))
            try await expectRefusal(.tokenInvalid, "expired") { _ = try await world.user(session) }
        },
        ContractRule("Signing out ends what its scope says, and a session that is gone is told so") { world in
            let first = try await world.member("a@example.com")
            let second = try await world.signIn("a@example.com")
            let third = try await world.signIn("a@example.com")
            try await world.signOut(first, .others)
            _ = try await world.user(first)
            try await expectRefusal(.sessionUnknown, "others") { _ = try await world.user(second) }
            try await expectRefusal(.sessionUnknown, "others signing out") { try await world.signOut(third, .global) }
            let fourth = try await world.signIn("a@example.com")
            try await world.signOut(fourth, .local)
            try await expectRefusal(.sessionUnknown, "local") { _ = try await world.user(fourth) }
            try await world.signOut(first, .global)
            try await expectRefusal(.refreshTokenNotFound, "its token") {
                _ = try await world.refresh(first.refreshToken)
            }
        },
        ContractRule("The token of a deleted account is good for nothing") { world in
            let session = try await world.member("a@example.com")
            try await world.asRoot { try await world.backend.adminDeleteUser(session.user.id, softly: false, $0, $1) }
            try await expectRefusal(.subjectUnknown, "its token") { _ = try await world.user(session) }
            try await expectRefusal(.refreshTokenNotFound, "its refresh") {
                _ = try await world.refresh(session.refreshToken)
            }
        },
        ContractRule("A PKCE code is exchanged once, by who has the verifier") { world in
            let verifier = String(repeating: "v", count: 43)
            _ = try await world.signUp("a@example.com", challenge: verifier)
            let code = try await world.openedCode(try await world.mail("a@example.com").link)
            try await expectRefusal(.codeVerifierMismatch, "another verifier") {
                _ = try await world.exchange(code, String(repeating: "w", count: 43))
            }
            let session = try await world.exchange(code, verifier)
            _ = try await world.user(session)
            try await expectRefusal(.flowStateNotFound, "again") { _ = try await world.exchange(code, verifier) }
        },
    ]
}

extension ContractWorld {
    func exchange(_ code: String, _ verifier: String) async throws -> Session {
        try await backend.exchange(
            PKCEExchange(authCode: RawToken(code), codeVerifier: RawToken(verifier)), visitor)
    }

    /// The code that a link's target takes along, in whichever form the backend says it.
    func openedCode(_ link: String) async throws -> String {
        switch try await open(link).result {
        case .code(let code): return code.exposed
        case .location(let text):
            let query = text.split(separator: "?").last?.split(separator: "#").first
            guard let code = query.flatMap({ FormFields(parsing: String($0)) })?["code"] else {
                throw ContractFailure("no code in \(text)")
            }
            return code
        case .signedIn, .otherHalfAwaited, .failed: throw ContractFailure("the link led to no code")
        }
    }

    /// Whether a link leads to an error.
    func isRefused(_ link: String) async throws -> Bool {
        switch try await open(link).result {
        case .failed(let error, _): return error.reason == .linkExpired
        case .location(let text): return text.contains(text: "error_code=otp_expired")
        case .signedIn, .otherHalfAwaited, .code: return false
        }
    }

    /// Whether a link signs in.
    func isSignedIn(_ link: String) async throws -> Bool {
        switch try await open(link).result {
        case .signedIn: return true
        case .location(let text): return text.contains(text: "#access_token=")
        case .failed, .otherHalfAwaited, .code: return false
        }
    }
}
