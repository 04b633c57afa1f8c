import Backend
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Leaked passwords")
struct LeakedPasswordTests {
    /// Knows some passwords; or nobody can be asked.
    private struct Source: LeakedPasswordSource {
        var known: Set<String> = []
        var isDown = false

        func isLeaked(_ password: Password) async throws(LeakedPasswordError) -> Bool {
            if isDown { throw LeakedPasswordError("down") }
            return known.contains(password.exposed)
        }
    }

    private static func signUp(_ password: String, in world: TestWorld) async throws(AuthError) {
        var signUp = SignUp()
        signUp.email = "new@example.com"
        signUp.password = Password(password)
        _ = try await world.backend.signUp(signUp, TestWorld.visitor)
    }

    private static func fault(_ body: () async throws(AuthError) -> Void) async -> AuthError? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test("a known password is told as weak where one is set, after the other reasons")
    func known() async throws {
        let source = Source(known: ["password1", "short"])
        try await inWorld(leaked: source, { $0.autoconfirmsEmail = true }) { world in
            let user = try await world.account()
            let refused = await Self.fault { () throws(AuthError) in try await Self.signUp("password1", in: world) }
            #expect(refused?.reason == .passwordWeak)
            #expect(refused?.weakPasswordReasons == ["pwned"])
            let both = await Self.fault { () throws(AuthError) in try await Self.signUp("short", in: world) }
            #expect(both?.weakPasswordReasons == ["length", "pwned"])
            #expect(
                await failure { () throws(AuthError) in
                    try await world.update(user.id) { $0.password = Password("password1") }
                } == .passwordWeak)
            var update = UpdateUser()
            update.password = Password("password1")
            let change = update
            let principal = try await world.authenticate(try await world.signIn().accessToken)
            #expect(
                await failure { () throws(AuthError) in
                    try await world.backend.update(change, principal, TestWorld.visitor)
                } == .passwordWeak)
            try await Self.signUp("quite-unknown-1", in: world)
        }
    }

    @Test("a sign-in with a known password works and says so")
    func signIn() async throws {
        try await inWorld(leaked: Source(known: ["correct-horse-1"])) { world in
            try await world.account()
            guard case .weak(_, let reasons) = try await world.signIn().passwordJudgement else {
                Issue.record("not told")
                return
            }
            #expect(reasons == ["pwned"])
        }
    }

    @Test("when nobody can say passwords are taken, unless the policy wants to know; signing in works always")
    func unreachable() async throws {
        let down = Source(isDown: true)
        try await inWorld(leaked: down, { $0.autoconfirmsEmail = true }) { world in
            try await Self.signUp("password1", in: world)
        }
        let change: (inout Policy) -> Void = { $0.leakedPasswordCheckFailsClosed = true }
        try await inWorld(leaked: down, change) { world in
            try await world.account()
            #expect(
                await failure { () throws(AuthError) in try await Self.signUp("password1", in: world) }
                    == .leakedPasswordsUnknown)
            guard case .fine = try await world.signIn().passwordJudgement else {
                Issue.record("judged by a list that is down")
                return
            }
        }
    }

    @Test(
        "an answer of the range service",
        arguments: [
            ("0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n00D4F6E8FA6EECAD2A3AA415EEC418D38EC:2", true),
            ("00d4f6e8fa6eecad2a3aa415eec418d38ec:12", true),
            ("00D4F6E8FA6EECAD2A3AA415EEC418D38EC:0", false),
            ("00D4F6E8FA6EECAD2A3AA415EEC418D38EC", false),
            ("00D4F6E8FA6EECAD2A3AA415EEC418D38EC0:5", false),
            ("10D4F6E8FA6EECAD2A3AA415EEC418D38EC:5", false),
            ("", false), ("\r\n:\r\n", false), ("<html>", false),
        ])
    func range(body: String, isKnown: Bool) {
        #expect(
            LeakedPasswordRange.holds("00D4F6E8FA6EECAD2A3AA415EEC418D38EC", Array(body.utf8)) == isKnown)
    }
}
