import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@testable import InProcessBackend

@Suite("The check of the caller's token")
struct AuthenticationTests {
    private struct Case: Sendable {
        var claims: JSONObject
        var secret = TestWorld.secret
        var expected: AuthError.Reason?
        init(_ expected: AuthError.Reason?, _ claims: JSONObject, secret: String = TestWorld.secret) {
            self.claims = claims
            self.secret = secret
            self.expected = expected
        }
    }

    @Test("claims of supabase-core 5, in their order, twice each")
    func userTable() async throws {
        try await inWorld { world in
            let id = JSONValue.string(try await world.account().id.description)
            let nobody: JSONValue = "11111111-1111-4111-8111-111111111111"
            let now = world.clock.now().unixSeconds
            let later = JSONValue.int(now + 600)
            let cases = [
                Case(.subjectMissing, ["role": "authenticated", "exp": later]),
                Case(.subjectMissing, ["sub": .null, "exp": later]),
                Case(.subjectNotUUID, ["sub": "me", "exp": later]),
                Case(.subjectUnknown, ["sub": nobody, "exp": later]),
                Case(.subjectUnknown, ["sub": nobody]),
                Case(.subjectUnknown, ["sub": nobody, "session_id": "x", "exp": later]),
                Case(.sessionIDNotUUID, ["sub": id, "session_id": "x", "exp": later]),
                Case(.sessionUnknown, ["sub": id, "session_id": nobody, "exp": later]),
                Case(nil, ["sub": id, "session_id": "00000000-0000-0000-0000-000000000000", "exp": later]),
                Case(nil, ["sub": id, "exp": later]),
                Case(nil, ["sub": id]),
                Case(.tokenInvalid, ["sub": id, "exp": .int(now)]),
                Case(nil, ["sub": id, "exp": .int(now + 1)]),
                Case(.tokenInvalid, ["sub": id, "exp": later, "nbf": .int(now + 1)]),
                Case(nil, ["sub": id, "exp": later, "nbf": .int(now)]),
                Case(.tokenInvalid, ["sub": id, "exp": "tomorrow"]),
                Case(.tokenInvalid, ["sub": 5, "exp": later]),
                Case(.tokenInvalid, ["sub": id, "exp": later], secret: "another-secret-of-some-length-0000000"),
            ]
            for (index, row) in cases.enumerated() {
                let token = try world.token(row.claims, secret: row.secret)
                for _ in 0..<2 {
                    let reason = await failure { () throws(AuthError) in try await world.authenticate(token) }
                    #expect(reason == row.expected, "row \(index)")
                    let known = world.backend.userAtOnce(token.exposed.utf8.span)
                    #expect(known == nil || reason == nil, "row \(index)")
                }
            }
        }
    }

    @Test("what is known at once of a token is what asking would tell")
    func atOnce() async throws {
        try await inWorld { world in
            let user = try await world.account()
            let token = try await world.signIn().accessToken
            func known() -> SharedUser? { world.backend.userAtOnce(token.exposed.utf8.span) }
            #expect(known() == nil)
            _ = try await world.authenticate(token)
            #expect(known()?.user.id == user.id)
            let cut = world.backend.userAtOnce(token.exposed.utf8.span.extracting(droppingLast: 1))
            #expect(cut == nil)

            _ = try await world.update(user.id) { $0.banDuration = "10m" }
            #expect(known() == nil)
            #expect(
                await failure { () throws(AuthError) in try await world.authenticate(token) } == .userBanned)
            #expect(known() == nil)
            world.clock.advance(by: .seconds(600))
            #expect(known()?.user.id == user.id)
            world.clock.advance(by: .seconds(3600))
            #expect(known() == nil)
        }
    }

    @Test("what administrators need")
    func administratorTable() async throws {
        try await inWorld { world in
            let id = JSONValue.string(try await world.account().id.description)
            let now = world.clock.now().unixSeconds
            let later = JSONValue.int(now + 600)
            let cases = [
                Case(nil, ["role": "service_role"]),
                Case(nil, ["role": "supabase_admin", "exp": later]),
                Case(nil, ["role": "service_role", "sub": id, "exp": later]),
                Case(nil, ["role": "service_role", "sub": "me", "exp": later]),
                Case(.notAdministrator, ["role": "SERVICE_ROLE", "exp": later]),
                Case(.notAdministrator, ["exp": later]),
                Case(.notAdministrator, ["role": "anon", "app_metadata": ["role": "service_role"], "exp": later]),
                Case(.tokenInvalid, ["role": "service_role", "exp": .int(now - 60)]),
                Case(.subjectMissing, ["role": "service_role", "session_id": id, "exp": later]),
                Case(.sessionIDNotUUID, ["role": "service_role", "sub": id, "session_id": "x", "exp": later]),
                Case(.sessionUnknown, ["role": "service_role", "sub": id, "session_id": id, "exp": later]),
            ]
            for (index, row) in cases.enumerated() {
                let token = try world.token(row.claims)
                for _ in 0..<2 {
                    let reason = await failure { () throws(AuthError) in
                        try await world.authenticate(token, as: .administrator)
                    }
                    #expect(reason == row.expected, "row \(index)")
                }
            }
        }
    }

    @Test("keys that are no tokens stand for their role")
    func keys() async throws {
        try await inWorld { world in
            func reason(_ role: APIKeyRole, _ level: AccessLevel) async -> AuthError.Reason? {
                var context = TestWorld.visitor
                context.keyRole = role
                return await failure { () throws(AuthError) in
                    try await world.backend.authenticate(context, as: level)
                }
            }
            #expect(await reason(.none, .user) == .bearerMissing)
            #expect(await reason(.none, .administrator) == .bearerMissing)
            #expect(await reason(.anonymous, .user) == .bearerMissing)
            #expect(await reason(.anonymous, .administrator) == .bearerMissing)
            #expect(await reason(.service, .user) == .bearerMissing)
            #expect(await reason(.service, .administrator) == nil)
        }
    }

    @Test("under sovaria a user's token needs exp, an administrator's does not")
    func expiryNeeded() async throws {
        try await inWorld(.sovaria) { world in
            let id = JSONValue.string(try await world.account().id.description)
            let token = try world.token(["sub": id])
            #expect(await failure { () throws(AuthError) in try await world.authenticate(token) } == .tokenInvalid)
            let key = try world.token(["role": "service_role"])
            _ = try await world.authenticate(key, as: .administrator)
        }
    }

    @Test("a known token is judged by what its account is now")
    func freshness() async throws {
        try await inWorld { world in
            let user = try await world.account()
            let session = try await world.signIn()
            let token = session.accessToken
            func reason() async -> AuthError.Reason? {
                await failure { () throws(AuthError) in try await world.authenticate(token) }
            }
            func shown() async throws -> User {
                try await world.backend.user(try await world.authenticate(token), TestWorld.bearer(token))
            }
            #expect(try await shown().userMetadata.object["plan"] == nil)
            _ = try await world.update(user.id) { $0.userMetadata = ["plan": "pro"] }
            #expect(try await shown().userMetadata.object["plan"]?.string == "pro")

            _ = try await world.update(user.id) { $0.banDuration = "10m" }
            #expect(await reason() == .userBanned)
            world.clock.advance(by: .seconds(600))
            #expect(await reason() == nil)

            let second = try await world.signIn()
            try await world.backend.signOut(
                .others, try await world.authenticate(second.accessToken), TestWorld.visitor)
            #expect(await reason() == .sessionUnknown)
            _ = try await world.authenticate(second.accessToken)

            try await world.backend.adminDeleteUser(user.id, softly: false, TestWorld.root, TestWorld.visitor)
            #expect(await reason() == .subjectUnknown)
        }
    }

    @Test("a known token expires on its own")
    func expiry() async throws {
        try await inWorld { world in
            try await world.account()
            let token = try await world.signIn().accessToken
            _ = try await world.authenticate(token)
            world.clock.advance(by: .seconds(3600))
            #expect(await failure { () throws(AuthError) in try await world.authenticate(token) } == .tokenInvalid)
        }
    }

    @Test("a token that differs from a known one in a single character is refused")
    func almostKnown() async throws {
        try await inWorld { world in
            try await world.account()
            let token = try await world.signIn().accessToken.exposed
            _ = try await world.authenticate(RawToken(token))
            for index in stride(from: 0, to: token.utf8.count, by: 7) {
                var bytes = Array(token.utf8)
                bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let forged = RawToken(String(decoding: bytes, as: UTF8.self))
                #expect(await failure { () throws(AuthError) in try await world.authenticate(forged) } == .tokenInvalid)
            }
        }
    }

    @Test("an administrator's session must still be good, a user's need not be")
    func administratorSession() async throws {
        try await inWorld(.supabase, { $0.sessionTimebox = .seconds(2) }) { world in
            try await world.account { $0.role = "service_role" }
            let token = try await world.signIn().accessToken
            _ = try await world.authenticate(token, as: .administrator)
            world.clock.advance(by: .seconds(3))
            #expect(
                await failure { () throws(AuthError) in try await world.authenticate(token, as: .administrator) }
                    == .sessionNoLongerValid)
            _ = try await world.authenticate(token)
        }
    }

    @Test("the audience of the request must be the token's")
    func audiences() async throws {
        for policy in [Policy.supabase, .sovaria] {
            try await inWorld(policy) { world in
                try await world.account()
                let token = try await world.signIn().accessToken
                let principal = try await world.authenticate(token)
                func reason(_ audience: String?) async -> AuthError.Reason? {
                    var context = TestWorld.bearer(token)
                    context.requestedAudience = audience
                    return await failure { () throws(AuthError) in try await world.backend.user(principal, context) }
                }
                #expect(await reason(nil) == nil)
                #expect(await reason("authenticated") == nil)
                #expect(await reason("elsewhere") == .audienceMismatch)
                #expect(await reason(String(repeating: "x", count: 256)) == .audienceTooLong)
            }
        }
        try await inWorld { world in
            let id = JSONValue.string(try await world.account().id.description)
            let principal = try await world.authenticate(try world.token(["sub": id, "exp": 4_102_444_800]))
            #expect(
                await failure { () throws(AuthError) in
                    try await world.backend.user(principal, TestWorld.visitor)
                } == .audienceMismatch)
        }
    }
}

@Suite("Signing out")
struct SignOutTests {
    @Test("scopes", arguments: [SignOutScope.global, .local, .others])
    func scopes(_ scope: SignOutScope) async throws {
        try await inWorld { world in
            try await world.account()
            let here = try await world.signIn()
            let there = try await world.signIn()
            try await world.backend.signOut(
                scope, try await world.authenticate(here.accessToken), TestWorld.visitor)
            func isOver(_ session: Session) async -> Bool {
                let access = await failure { () throws(AuthError) in
                    try await world.authenticate(session.accessToken)
                }
                let refresh = await failure { () throws(AuthError) in
                    try await world.refresh(session.refreshToken)
                }
                #expect((access == .sessionUnknown) == (refresh == .refreshTokenNotFound))
                return access == .sessionUnknown
            }
            #expect(await isOver(here) == (scope != .others))
            #expect(await isOver(there) == (scope != .local))
        }
    }

    @Test("a token without a session ends all")
    func sessionless() async throws {
        try await inWorld { world in
            let user = try await world.account()
            let session = try await world.signIn()
            let token = try world.token(["sub": .string(user.id.description), "exp": 4_102_444_800])
            try await world.backend.signOut(.local, try await world.authenticate(token), TestWorld.visitor)
            #expect(
                await failure { () throws(AuthError) in try await world.authenticate(session.accessToken) }
                    == .sessionUnknown)
        }
    }
}
