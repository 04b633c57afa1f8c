import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@testable import InProcessBackend

extension LinkOutcome {
    /// `session`, `code`, `half` or the reason of the failure.
    var summary: String {
        switch result {
        case .signedIn(_, let type): "session \(type)"
        case .code: "code"
        case .otherHalfAwaited: "half"
        case .failed(let error, _): error.reason.rawValue
        case .location: "location"
        }
    }
}

@Suite("Codes and links")
struct VerificationTests {
    @Test("a link signs in once")
    func link() async throws {
        try await MailWorld.use { world in
            _ = try await world.signUp()
            let mail = world.mailer.take("alice@example.com")
            #expect(mail?.subject == "Confirm your email address")
            #expect(try await world.open(mail).summary == "session signup")
            #expect(try await world.open(mail).summary == "linkExpired")
        }
    }

    @Test("of parallel uses of one code or link exactly one succeeds", arguments: [true, false])
    func races(_ byLink: Bool) async throws {
        try await MailWorld.use { world in
            _ = try await world.signUp()
            let mail = try #require(world.mailer.take("alice@example.com"))
            let code = try #require(mail.code)
            let successes = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        if byLink { return (try? await world.open(mail).summary) == "session signup" }
                        return await refusal { try await world.verify("signup", code, "alice@example.com") } == nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(successes == 1)
        }
    }

    @Test("a PKCE link gives a code for the client's verifier, also under type email", arguments: ["signup", "email"])
    func pkce(_ type: String) async throws {
        try await MailWorld.use { world in
            _ = try await world.signUp(challenge: MailWorld.challenge)
            let outcome = try await world.open(world.mailer.take("alice@example.com"), as: type)
            guard case .code(let code) = outcome.result else {
                Issue.record("no code: \(outcome.summary)")
                return
            }
            let session = try await world.backend.exchange(
                PKCEExchange(authCode: code, codeVerifier: RawToken(MailWorld.challenge)), world.visitor)
            #expect(session.user.email == "alice@example.com")
        }
    }

    @Test("a PKCE link of an unknown type is an error of the redirect")
    func unknownType() async throws {
        try await MailWorld.use { world in
            let link = LinkVerification(type: "sms", token: RawToken("pkce_x"))
            let unknown = try await world.backend.openLink(link, world.visitor)
            #expect(unknown.summary == "verifyTypeInvalid")
            let nul = LinkVerification(type: "signup", token: RawToken("a\u{0}"))
            let expired = try await world.backend.openLink(nul, world.visitor)
            #expect(expired.summary == "linkExpired")
        }
    }

    @Test("a code lives until its lifetime is over", arguments: [0, 1])
    func expiry(_ late: Int) async throws {
        try await MailWorld.use { world in
            _ = try await world.signUp()
            let code = try world.code("alice@example.com")
            world.clock.advance(by: .seconds(86_400 + late))
            let reason = await refusal { try await world.verify("signup", code, "alice@example.com") }
            #expect(reason == (late == 0 ? nil : .codeExpired))
        }
    }

    @Test("the fifth wrong try kills a code where tries are counted")
    func wrongTries() async throws {
        for tries in [4, 5] {
            try await MailWorld.use(.sovaria) { world in
                _ = try await world.signUp()
                try await world.deliver()
                let mail = try #require(world.mailer.take("alice@example.com"))
                let code = try #require(mail.code)
                let wrong = code == "000000" ? "111111" : "000000"
                for _ in 0..<tries {
                    #expect(
                        await refusal { try await world.verify("email", wrong, "alice@example.com") } == .codeExpired)
                }
                let reason = await refusal { try await world.verify("email", code, "alice@example.com") }
                #expect(reason == (tries == 4 ? nil : .codeExpired))
                if tries == 5 { #expect(try await world.open(mail).summary == "linkExpired") }
            }
        }
    }

    @Test("wrong tries at either code of a change are counted", arguments: ["alice@example.com", "bob@example.com"])
    func wrongTriesOfChange(_ address: String) async throws {
        try await MailWorld.use(.sovaria) { world in
            let session = try await world.member()
            try await world.update(session) { $0.email = "bob@example.com" }
            try await world.deliver()
            let code = try world.code(address)
            let wrong = code == "000000" ? "111111" : "000000"
            for _ in 0..<5 {
                #expect(await refusal { try await world.verify("email_change", wrong, address) } == .codeExpired)
            }
            #expect(await refusal { try await world.verify("email_change", code, address) } == .codeExpired)
        }
    }

    @Test("an address changes when both addresses have confirmed, in either order", arguments: [true, false])
    func emailChange(_ newFirst: Bool) async throws {
        try await MailWorld.use { world in
            let session = try await world.member()
            let pending = try await world.update(session) { $0.email = "bob@example.com" }
            #expect(pending.newEmail == "bob@example.com")
            let order = newFirst ? ["bob@example.com", "alice@example.com"] : ["alice@example.com", "bob@example.com"]
            let first = try world.code(order[0])
            let second = try world.code(order[1])
            guard case .otherHalfAwaited = try await world.verify("email_change", first, order[0]) else {
                Issue.record("one half was enough")
                return
            }
            #expect(await refusal { try await world.verify("email_change", first, order[0]) } == .codeExpired)
            #expect(try await world.user(session).email == "alice@example.com")
            let after = try #require(try await world.verify("email_change", second, order[1]).session)
            #expect(after.user.email == "bob@example.com")
            #expect(after.user.newEmail == nil)
            #expect(after.user.identities?.first?.email == "bob@example.com")
            #expect(await refusal { try await world.verify("email_change", second, order[1]) } == .codeExpired)
        }
    }

    @Test("each half of a PKCE change uses its own code")
    func pkceChange() async throws {
        try await MailWorld.use { world in
            let session = try await world.member()
            try await world.update(session) {
                $0.email = "bob@example.com"
                $0.pkce = PKCEChallenge(challenge: MailWorld.challenge, method: "plain")
            }
            let code = try world.code("bob@example.com")
            _ = try await world.verify("email_change", code, "bob@example.com")
            #expect(await refusal { try await world.verify("email_change", code, "bob@example.com") } == .codeExpired)
            let outcome = try await world.open(world.mailer.take("alice@example.com"))
            #expect(outcome.summary == "code")
        }
    }

    @Test("an address that was taken meanwhile is refused")
    func taken() async throws {
        try await MailWorld.use(.supabase, { $0.emailChangeNeedsBoth = false }) { world in
            let session = try await world.member()
            try await world.update(session) { $0.email = "bob@example.com" }
            let mail = try #require(world.mailer.take("bob@example.com"))
            _ = try await world.member("bob@example.com")
            #expect(try await world.open(mail).summary == "emailExists")
            let code = try #require(mail.code)
            #expect(await refusal { try await world.verify("email_change", code, "bob@example.com") } == .emailExists)
            #expect(try await world.user(session).email == "alice@example.com")
        }
    }

    @Test("with auto-confirm the current address alone is enough only in the reference", arguments: [true, false])
    func autoconfirmedChange(_ mustProve: Bool) async throws {
        let change: @Sendable (inout Policy) -> Void = {
            $0.autoconfirmsEmail = true
            $0.newAddressMustProveItself = mustProve
        }
        try await MailWorld.use(.supabase, change) { world in
            let session = try #require(try await world.signUp().session)
            try await world.update(session) { $0.email = "bob@example.com" }
            let current = try await world.open(world.mailer.take("alice@example.com"))
            #expect(current.summary == (mustProve ? "half" : "session email_change"))
            let new = try await world.open(world.mailer.take("bob@example.com"))
            #expect(new.summary == (mustProve ? "session email_change" : "linkExpired"))
        }
    }

    @Test("faults of the request, in their order")
    func faults() async throws {
        try await MailWorld.use { world in
            func fault(_ type: String, _ change: (inout Verification) -> Void) async -> AuthError.Reason? {
                var verification = Verification(type: type)
                change(&verification)
                return await refusal { try await world.backend.verify(verification, world.visitor) }
            }
            #expect(await fault("") { $0.code = OneTimeCode("1") } == .verifyTypeMissing)
            #expect(await fault("email") { _ in } == .verifyTokenAndHash)
            #expect(await fault("email") { $0.code = OneTimeCode("1") } == .verifyAddressNotSingle)
            #expect(
                await fault("email") {
                    $0.code = OneTimeCode("1")
                    $0.email = "nobody"
                } == .verifyEmailMalformed)
            #expect(
                await fault("email") {
                    $0.tokenHash = RawToken("x")
                    $0.redirectTo = "y"
                } == .verifyHashNotAlone)
            #expect(await fault("nonsense") { $0.tokenHash = RawToken("x") } == .verifyTypeInvalid)
            #expect(await fault("signup") { $0.tokenHash = RawToken("x\u{0}") } == .linkExpired)
            #expect(
                await fault("nonsense") {
                    $0.code = OneTimeCode("1")
                    $0.email = "a@b.co"
                } == .codeExpired)
        }
    }
}
