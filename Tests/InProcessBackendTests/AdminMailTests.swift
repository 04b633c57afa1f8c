import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@testable import InProcessBackend

extension MailWorld {
    static let root = Principal(userID: nil, sessionID: nil, tokenAudience: nil, role: "service_role")

    func invite(_ email: String, _ data: JSONObject? = nil) async throws(AuthError) -> User {
        var invitation = Invitation()
        invitation.email = email
        invitation.userMetadata = data
        clock.advance(by: .milliseconds(2))
        return try await backend.invite(invitation, Self.root, visitor)
    }

    func link(
        _ type: String, _ email: String = "alice@example.com", _ change: (inout LinkRequest) -> Void = { _ in }
    ) async throws(AuthError) -> GeneratedLink {
        var request = LinkRequest(type: type)
        request.email = email
        change(&request)
        clock.advance(by: .milliseconds(2))
        return try await backend.generateLink(request, Self.root, visitor)
    }

    func verify(_ type: String, hash: RawToken) async throws(AuthError) -> VerificationOutcome {
        var verification = Verification(type: type)
        verification.tokenHash = hash
        return try await backend.verify(verification, visitor)
    }

    func audit(_ query: String? = nil) async throws(AuthError) -> AuditPage {
        var question = AuditQuery()
        question.query = query
        return try await backend.auditLog(question, Self.root, visitor)
    }
}

@Suite("Invitations")
struct InvitationTests {
    @Test("an invitation makes an account that its link confirms", arguments: PasswordlessTests.policies)
    func invited(_ policy: Policy) async throws {
        try await MailWorld.use(
            policy,
            {
                $0.isSignUpDisabled = true; $0.autoconfirmsEmail = true
            }
        ) { (world: MailWorld) async throws in
            let user = try await world.invite("Ivy@Example.com", ["team": "red"])
            #expect(user.email == "ivy@example.com")
            #expect(user.invitedAt == world.clock.now())
            #expect(user.confirmationSentAt == world.clock.now())
            #expect(user.emailConfirmedAt == nil)
            #expect(user.userMetadata.description == #"{"team":"red"}"#)
            #expect(user.identities?.map(\.provider) == ["email"])
            try await world.deliver()
            let mail = try #require(world.mailer.take("ivy@example.com"))
            #expect(mail.kind == .invite)
            let session = try #require(try await world.verify("invite", mail.code ?? "", "ivy@example.com").session)
            #expect(session.user.id == user.id)
            #expect(await refusal { try await world.invite("ivy@example.com") } == .emailExists)
        }
    }

    @Test("an unconfirmed account is invited again, its data as it was; the first code is dead")
    func again() async throws {
        try await MailWorld.use(.supabase, { $0.emailSendInterval = .seconds(60) }) { (world: MailWorld) async throws in
            let first = try await world.invite("ivy@example.com", ["team": "red"])
            let old = try world.code("ivy@example.com")
            let second = try await world.invite("ivy@example.com", ["team": "blue"])
            #expect(second.id == first.id)
            #expect(second.userMetadata.object["team"] == "red")
            #expect(await refusal { try await world.verify("invite", old, "ivy@example.com") } == .codeExpired)
        }
    }

    @Test("a mail that is refused leaves no account; faults are told first")
    func refused() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            #expect(await refusal { try await world.invite("") } == .emailMissing)
            #expect(await refusal { try await world.invite("nonsense") } == .emailMalformed)
            #expect(await refusal { try await world.invite("a@b.c", ["a": "\0"]) } == .textHasNUL)
            world.mailer.refuse(MailError(isPermanent: true, "no"))
            #expect(await refusal { try await world.invite("a@b.c") } == .mailNotDelivered)
            #expect(try await world.userCount() == 0)
        }
    }

    @Test("a deleted account can be invited again")
    func afterDeletion() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            let user = try await world.invite("ivy@example.com")
            try await world.backend.adminDeleteUser(user.id, softly: false, MailWorld.root, world.visitor)
            let second = try await world.invite("ivy@example.com")
            #expect(second.id != user.id)
        }
    }
}

@Suite("Generated links")
struct GeneratedLinkTests {
    @Test("a magic link for nobody makes the account and becomes a sign-up's")
    func magicLinkForNobody() async throws {
        try await MailWorld.use(.sovaria) { (world: MailWorld) async throws in
            let link = try await world.link("magiclink")
            #expect(link.verificationType == "signup")
            #expect(link.tokenHash.exposed == link.code.hash(for: "alice@example.com"))
            #expect(
                link.actionLink.exposed.hasSuffix(
                    "/verify?token=\(link.tokenHash.exposed)&type=signup&redirect_to=https://app.example.com"))
            #expect(await refusal { try await world.verify("magiclink", hash: link.tokenHash) } == .linkExpired)
            let session = try #require(try await world.verify("signup", hash: link.tokenHash).session)
            #expect(session.user.emailConfirmedAt != nil)
            let again = try await world.link("magiclink")
            #expect(again.verificationType == "magiclink")
            #expect(try await world.verify("email", hash: again.tokenHash).session != nil)
            try await world.deliver()
            #expect(world.mailer.mails.isEmpty)
        }
    }

    @Test("a sign-up's link takes the password once and merges data")
    func signUp() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            #expect(await refusal { try await world.link("signup") } == .signUpPasswordMissing)
            #expect(
                await refusal { try await world.link("signup") { $0.password = Password("short") } }
                    == .passwordWeak)
            let first = try await world.link("signup") {
                $0.password = Password("correct-horse-1")
                $0.userMetadata = ["a": 1, "b": 2]
            }
            let second = try await world.link("signup") {
                $0.password = Password("another-horse-2")
                $0.userMetadata = ["a": .null, "b": 3]
            }
            #expect(second.user.id == first.user.id)
            #expect(second.user.userMetadata.description == #"{"b":3}"#)
            #expect(await refusal { try await world.verify("signup", hash: first.tokenHash) } == .linkExpired)
            #expect(try await world.verify("signup", hash: second.tokenHash).session != nil)
            _ = try await world.signIn("alice@example.com", "correct-horse-1")
            #expect(
                await refusal { try await world.link("signup") { $0.password = Password("correct-horse-1") } }
                    == .emailExists)
            #expect(await refusal { try await world.link("invite") } == .emailExists)
        }
    }

    @Test(
        "refusals of links",
        arguments: [
            ("recovery", AuthError.Reason.linkUserNotFound), ("email_change_new", .linkUserNotFound),
            ("nonsense", .linkTypeInvalid), ("", .linkTypeInvalid),
        ])
    func refusals(type: String, expected: AuthError.Reason) async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            #expect(await refusal { try await world.link(type) } == expected)
            #expect(await refusal { try await world.link(type, "") } == .emailMissing)
        }
    }

    @Test("a change of address needs a free one, and for the current address both")
    func emailChange() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            let session = try await world.member()
            _ = try await world.member("bob@example.com")
            #expect(await refusal { try await world.link("email_change_new") } == .emailMissing)
            #expect(
                await refusal { try await world.link("email_change_new") { $0.newEmail = "bob@example.com" } }
                    == .emailExists)
            let current = try await world.link("email_change_current") { $0.newEmail = "new@example.com" }
            let new = try await world.link("email_change_new") { $0.newEmail = "New@example.com" }
            #expect(new.user.newEmail == "new@example.com")
            // The stored hash, where the reference tells one that nothing matches.
            #expect(new.tokenHash.exposed == new.code.hash(for: "new@example.com"))
            #expect(try await world.verify("email_change", hash: current.tokenHash).session == nil)
            #expect(try await world.verify("email_change", hash: new.tokenHash).session != nil)
            #expect(try await world.user(session).email == "new@example.com")
        }
        try await MailWorld.use(.supabase, { $0.emailChangeNeedsBoth = false }) { (world: MailWorld) async throws in
            _ = try await world.member()
            #expect(
                await refusal { try await world.link("email_change_current") { $0.newEmail = "n@b.c" } }
                    == .linkNeedsSecureEmailChange)
        }
    }

    @Test("the redirect is the body's if it is allowed, else the request's")
    func redirects() async throws {
        try await MailWorld.use(.supabase, { $0.redirectPatterns = ["https://*.example.com/**"] }) {
            (world: MailWorld) async throws in
            let allowed = try await world.link("magiclink") { $0.redirectTo = "https://one.example.com/a?x=1&y=a+b" }
            #expect(allowed.redirectTo == "https://one.example.com/a?x=1&y=a+b")
            #expect(
                allowed.actionLink.exposed.hasSuffix(
                    "redirect_to=https%3A%2F%2Fone.example.com%2Fa%3Fx%3D1%26y%3Da%2Bb"))
            let other = try await world.link("magiclink") { $0.redirectTo = "https://evil.example.net/" }
            #expect(other.redirectTo == "https://app.example.com")
        }
    }
}

@Suite("The audit log as administrators read it")
struct AuditLogTests {
    @Test("newest first, searched by author, action or type in any letter case")
    func search() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            _ = try await world.member("ann@example.com", ["full_name": "Ann 100%"])
            world.clock.advance(by: .seconds(1))
            _ = try await world.invite("ivy@example.com")
            let all = try await world.audit()
            #expect(all.total == all.entries.count)
            #expect(all.entries.first?.payload.object["action"] == "user_invited")
            #expect(all.entries.first?.payload.object["actor_username"] == "service_role")
            #expect(try await world.audit("action:INVITED").total == 1)
            #expect(try await world.audit("author:ANN@").total == all.total - 1)
            #expect(try await world.audit("author:100\\%").total == all.total - 1)
            #expect(try await world.audit("author:100\\_").total == 0)
            #expect(try await world.audit("type:team").total == 2)
            #expect(try await world.audit("type:").total == all.total)
            #expect(try await world.audit("").total == all.total)
            for query in ["nonsense", "actor:ann", ":x", "Author:ann"] {
                #expect(await refusal { try await world.audit(query) } == .auditQueryInvalid, "\(query)")
            }
        }
    }

    @Test("pages are those of the user list")
    func pages() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            for number in 0..<3 { _ = try await world.invite("u\(number)@example.com") }
            var query = AuditQuery()
            query.page = "2"
            query.perPage = "2"
            let page = try await world.backend.auditLog(query, MailWorld.root, world.visitor)
            #expect(page.total == 3)
            #expect(page.entries.count == 1)
            query.perPage = "0"
            let zero = query
            #expect(
                await refusal { try await world.backend.auditLog(zero, MailWorld.root, world.visitor) }
                    == .paginationMalformed)
        }
    }
}
