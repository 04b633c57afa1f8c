import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Sign-up")
struct SignUpTests {
    /// Both ways of delivering mails.
    static let policies: [Policy] = [.supabase, .sovaria]

    @Test("a new address waits for its confirmation, and the mailed code confirms it", arguments: policies)
    func pending(_ policy: Policy) async throws {
        try await MailWorld.use(policy) { world in
            let user = try #require(try await world.signUp("Alice@Example.com", ["name": "Al", "gone": .null]).pending)
            #expect(user.email == "alice@example.com")
            #expect(user.confirmationSentAt == world.clock.now())
            #expect(user.confirmedAt == nil)
            #expect(user.userMetadata.object["sub"]?.string == user.id.description)
            #expect(user.userMetadata.object["gone"] == nil)
            #expect(user.userMetadata.object["email_verified"] == false)
            #expect(user.identities?.count == 1)
            #expect(
                await refusal { try await world.signIn("alice@example.com", "correct-horse-1") } == .emailNotConfirmed)
            try await world.deliver()
            let code = try world.code("alice@example.com")
            let session = try #require(try await world.verify("signup", code, "alice@example.com").session)
            #expect(session.user.confirmedAt != nil)
            #expect(session.user.userMetadata.object["email_verified"] == true)
            #expect(session.user.identities?.first?.data.object["email_verified"] == true)
            #expect(session.user.identities?.first?.data.object["gone"] == .null)
            #expect(await refusal { try await world.verify("signup", code, "alice@example.com") } == .codeExpired)
            _ = try await world.signIn("alice@example.com", "correct-horse-1")
        }
    }

    @Test("with auto-confirm the caller is signed in at once and no mail leaves")
    func autoconfirm() async throws {
        try await MailWorld.use(.supabase, { $0.autoconfirmsEmail = true }) { world in
            let session = try #require(try await world.signUp().session)
            #expect(session.user.confirmedAt == nil)
            #expect(session.user.emailConfirmedAt != nil)
            #expect(session.user.identities?.first?.data.object["email_verified"] == true)
            let stored = try await world.user(session)
            #expect(stored.confirmedAt != nil)
            #expect(stored.identities?.first?.data.object["email_verified"] == false)
            #expect(world.mailer.mails.isEmpty)
            #expect(await refusal { try await world.signUp() } == .userAlreadyExists)
        }
    }

    @Test("a second sign-up before the confirmation keeps the first password and sends a new code")
    func repeatedUnconfirmed() async throws {
        try await MailWorld.use { world in
            let first = try #require(try await world.signUp("v@example.com", ["a": 1]).pending)
            let second = try #require(
                try await world.signUp("v@example.com", password: "another-horse-2", ["a": 2]).pending)
            #expect(first.id == second.id)
            #expect(second.userMetadata.object["a"] == 1)
            let old = try world.code("v@example.com")
            let new = try world.code("v@example.com")
            #expect(await refusal { try await world.verify("signup", old, "v@example.com") } == .codeExpired)
            _ = try await world.verify("signup", new, "v@example.com")
            #expect(await refusal { try await world.signIn("v@example.com", "another-horse-2") } == .invalidCredentials)
            _ = try await world.signIn("v@example.com", "correct-horse-1")
        }
    }

    @Test("a confirmed address is answered with a look-alike, and nothing is sent or changed")
    func repeatedConfirmed() async throws {
        try await MailWorld.use { world in
            let session = try await world.member()
            let fake = try #require(try await world.signUp(password: "mallory-1", ["name": "Mallory"]).pending)
            #expect(fake.id != session.user.id)
            #expect(fake.identities?.isEmpty == true)
            #expect(fake.role.isEmpty)
            #expect(fake.userMetadata.description == #"{"name":"Mallory"}"#)
            #expect(world.mailer.mails.isEmpty)
            _ = try await world.signIn("alice@example.com", "correct-horse-1")
        }
    }

    @Test("auto-confirm gives an unconfirmed account only to who knows its password")
    func autoconfirmKnown() async throws {
        try await MailWorld.use { world in
            _ = try await world.signUp()
            var policy = world.backend.policy
            policy.autoconfirmsEmail = true
            let other = try MailWorld(world.store, policy)
            #expect(await refusal { try await other.signUp(password: "mallory-1") } == .userAlreadyExists)
            let session = try #require(try await other.signUp().session)
            #expect(session.user.confirmedAt != nil)
        }
    }

    @Test("parallel first sign-ups make one account", arguments: policies)
    func races(_ policy: Policy) async throws {
        try await MailWorld.use(policy, { $0.emailSendInterval = .zero }) { world in
            let ids = try await withThrowingTaskGroup(of: UserID?.self) { group in
                for _ in 0..<8 { group.addTask { try await world.signUp().pending?.id } }
                return try await group.reduce(into: Set<UserID?>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
        }
    }

    @Test("an undelivered mail leaves nothing behind where delivery comes first")
    func undelivered() async throws {
        try await MailWorld.use { world in
            world.mailer.refuse(MailError(isPermanent: true, "no"))
            #expect(await refusal { try await world.signUp() } == .mailNotDelivered)
            #expect(try await world.store.reader.user(email: "alice@example.com") == nil)
            world.mailer.refuse(nil)
            _ = try #require(try await world.signUp().pending)
        }
    }

    @Test("the outbox tries again, and drops what is refused for good")
    func outbox() async throws {
        try await MailWorld.use(.sovaria) { world in
            world.mailer.refuse(MailError(isPermanent: false, "later"))
            _ = try await world.signUp()
            try await world.deliver()
            world.mailer.refuse(nil)
            try await world.deliver()
            #expect(world.mailer.mails.isEmpty)
            world.clock.advance(by: .seconds(6))
            try await world.deliver()
            #expect(world.mailer.mails.count == 1)
            world.mailer.refuse(MailError(isPermanent: true, "never"))
            _ = try await world.signUp("bob@example.com")
            try await world.deliver()
            world.mailer.refuse(nil)
            world.clock.advance(by: .seconds(100_000))
            try await world.deliver()
            #expect(world.mailer.mails.count == 1)
        }
    }

    @Test("the interval, the budget and the list of authorised addresses")
    func limits() async throws {
        try await MailWorld.use(.supabase, { $0.emailSendInterval = .seconds(60) }) { world in
            _ = try await world.signUp()
            #expect(await refusal { try await world.signUp() } == .emailSendInterval)
            world.clock.advance(by: .seconds(60))
            _ = try await world.signUp()
        }
        try await MailWorld.use(.supabase, { $0.emailLimit = .perHour(1) }) { world in
            _ = try await world.signUp()
            #expect(await refusal { try await world.signUp("b@example.com") } == .emailSendLimit)
            #expect(try await world.store.reader.user(email: "b@example.com") == nil)
        }
        try await MailWorld.use(.supabase, { $0.authorizedAddresses = ["team@example.com"] }) { world in
            _ = try await world.signUp("team+test@example.com")
            #expect(await refusal { try await world.signUp("b@example.com") } == .emailNotAuthorized)
        }
    }

    @Test("faults in their order")
    func faults() async throws {
        try await MailWorld.use(.supabase, { $0.isEmailEnabled = false }) { world in
            func fault(_ change: (inout SignUp) -> Void) async -> AuthError.Reason? {
                var signUp = SignUp()
                change(&signUp)
                return await refusal { try await world.backend.signUp(signUp, world.visitor) }
            }
            #expect(await fault { _ in } == .signUpPasswordMissing)
            #expect(await fault { $0.password = Password("x") } == .passwordWeak)
            #expect(
                await fault {
                    $0.password = Password("correct-horse-1")
                    $0.email = "a@b.co"
                    $0.phone = "15555550100"
                } == .signUpEmailAndPhone)
            #expect(
                await fault {
                    $0.password = Password("correct-horse-1")
                    $0.phone = "15555550100"
                    $0.channel = "pigeon"
                } == .channelInvalid)
            #expect(
                await fault {
                    $0.password = Password("correct-horse-1")
                    $0.email = "nobody"
                } == .emailSignUpsDisabled)
        }
        try await MailWorld.use { world in
            #expect(await refusal { try await world.signUp("nobody") } == .emailMalformed)
            #expect(await refusal { try await world.signUp("a@b.co", ["x": "\u{0}"]) } == .textHasNUL)
        }
    }

    @Test("metadata over the limit makes no account")
    func metadataLimit() async throws {
        try await MailWorld.use(.sovaria) { world in
            let large: JSONObject = ["x": .string(String(repeating: "x", count: 16 * 1024))]
            #expect(await refusal { try await world.signUp("a@b.co", large) } == .userMetadataTooLarge)
            #expect(
                await refusal { try await world.backend.signUpAnonymously(large, world.visitor) }
                    == .userMetadataTooLarge)
        }
    }

    @Test("an anonymous account has a session and no address")
    func anonymous() async throws {
        try await MailWorld.use { world in
            let session = try await world.backend.signUpAnonymously(["a": .null, "b": 1], world.visitor)
            #expect(session.user.isAnonymous)
            #expect(session.user.email == nil)
            #expect(session.user.userMetadata.description == #"{"a":null,"b":1}"#)
            #expect(session.user.appMetadata == .emptyObject)
            #expect(try await world.user(session).identities?.isEmpty == true)
        }
        try await MailWorld.use(.supabase, { $0.areAnonymousSignInsEnabled = false }) { world in
            #expect(
                await refusal { try await world.backend.signUpAnonymously(nil, world.visitor) }
                    == .anonymousSignInsDisabled)
        }
    }

    @Test("a number signs up by its code")
    func phone() async throws {
        try await MailWorld.use { world in
            var signUp = SignUp()
            signUp.phone = "+1 555 555 0100"
            signUp.password = Password("correct-horse-1")
            let user = try #require(try await world.backend.signUp(signUp, world.visitor).pending)
            #expect(user.phone == "15555550100")
            var verification = Verification(type: "sms")
            verification.phone = "+15555550100"
            verification.code = OneTimeCode(try #require(world.messages.last?.code))
            let session = try #require(try await world.backend.verify(verification, world.visitor).session)
            #expect(session.user.phoneConfirmedAt != nil)
            #expect(await refusal { try await world.backend.verify(verification, world.visitor) } == .codeExpired)
        }
        try await MailWorld.use(.supabase, { $0.autoconfirmsPhone = true }) { world in
            var signUp = SignUp()
            signUp.phone = "15555550100"
            signUp.password = Password("correct-horse-1")
            let outcome = try await world.backend.signUp(signUp, world.visitor)
            #expect(outcome.session?.user.phoneConfirmedAt != nil)
        }
    }
}
