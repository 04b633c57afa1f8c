import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@testable import InProcessBackend

extension MailWorld {
    @discardableResult
    func sendCode(
        _ email: String? = nil, phone: String? = nil, createsUser: Bool = true,
        _ change: (inout OneTimeSignIn) -> Void = { _ in }
    ) async throws(AuthError) -> MessageReceipt {
        var signIn = OneTimeSignIn()
        signIn.email = email
        signIn.phone = phone
        signIn.createsUser = createsUser
        change(&signIn)
        clock.advance(by: .milliseconds(2))
        return try await backend.sendCode(signIn, visitor)
    }

    func recover(_ email: String) async throws(AuthError) {
        var recovery = Recovery()
        recovery.email = email
        clock.advance(by: .milliseconds(2))
        try await backend.recover(recovery, visitor)
    }

    @discardableResult
    func resend(
        _ type: String, email: String? = nil, phone: String? = nil
    ) async throws(AuthError) -> MessageReceipt {
        var resend = Resend(type: type)
        resend.email = email
        resend.phone = phone
        clock.advance(by: .milliseconds(2))
        return try await backend.resend(resend, visitor)
    }

    func verifyText(_ code: String, _ phone: String) async throws(AuthError) -> VerificationOutcome {
        var verification = Verification(type: "sms")
        verification.code = OneTimeCode(code)
        verification.phone = phone
        return try await backend.verify(verification, visitor)
    }

    func userCount() async throws -> Int {
        let query = UserQuery(audience: "authenticated", filter: nil, isAscending: true, offset: 0, limit: 1)
        return try await store.reader.users(query).total
    }
}

@Suite("Signing in without a password")
struct PasswordlessTests {
    static let policies: [Policy] = [.supabase, .sovaria]

    @Test("a new address is signed up by its code, a known one signed in; data counts once", arguments: policies)
    func newAndKnown(_ policy: Policy) async throws {
        try await MailWorld.use(policy) { (world: MailWorld) async throws in
            try await world.sendCode("Ann@Example.com") { $0.userMetadata = ["nick": "Ann"] }
            try await world.deliver()
            let first = try #require(world.mailer.take("ann@example.com"))
            #expect(first.kind == .confirmation)
            let session = try #require(try await world.verify("email", first.code ?? "", "ann@example.com").session)
            #expect(session.user.userMetadata.object["nick"] == "Ann")
            try await world.sendCode("ann@example.com") { $0.userMetadata = ["nick": "Other"] }
            try await world.deliver()
            let second = try #require(world.mailer.take("ann@example.com"))
            #expect(second.kind == .magicLink)
            #expect(try await world.user(session).userMetadata.object["nick"] == "Ann")
            guard case .signedIn(_, let type) = try await world.open(second).result else {
                Issue.record("the link did not sign in")
                return
            }
            #expect(type == "magiclink")
            #expect(
                await refusal { try await world.verify("magiclink", second.code ?? "", "ann@example.com") }
                    == .codeExpired)
        }
    }

    @Test("nobody learns a password by asking for a code")
    func unknowablePassword() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            try await world.sendCode("ann@example.com")
            let user = try #require(try await world.store.reader.user(email: "ann@example.com"))
            #expect(user.encryptedPassword?.hasPrefix("$2a$") == true)
            #expect(await refusal { try await world.signIn("ann@example.com", "") } == .invalidCredentials)
        }
    }

    @Test("refusals of a code's request, first fault first")
    func refusals() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            func told(_ change: (inout OneTimeSignIn) -> Void) async -> AuthError.Reason? {
                await refusal { try await world.sendCode(nil, change) }
            }
            #expect(
                await told {
                    $0.email = "a@b.c"; $0.phone = "15550001111"
                } == .otpEmailAndPhone)
            #expect(
                await told {
                    $0.email = "a@b.c"; $0.channel = "sms"
                } == .otpChannelWithEmail)
            #expect(
                await told {
                    $0.email = "a@b.c"; $0.pkce.challenge = "short"
                } == .pkceIncomplete)
            #expect(await told { _ in } == .otpAddressMissing)
            #expect(await told { $0.createsUser = false } == .otpAddressMissing)
            #expect(
                await told {
                    $0.email = "nonsense"; $0.createsUser = false
                } == .otpSignUpsNotAllowed)
            #expect(await told { $0.email = "nonsense" } == .emailMalformed)
            #expect(
                await told {
                    $0.phone = "x"; $0.channel = "pigeon"
                } == .phoneMalformed)
            #expect(
                await told {
                    $0.phone = "15550001111"; $0.channel = "pigeon"
                } == .channelInvalid)
            #expect(
                await told {
                    $0.email = "a@b.c"; $0.userMetadata = ["a": "\0"]
                } == .textHasNUL)
            #expect(try await world.userCount() == 0)
        }
    }

    @Test("switched-off ways refuse each with its own reason")
    func switchedOff() async throws {
        try await MailWorld.use(
            .supabase,
            {
                $0.isEmailEnabled = false; $0.isPhoneEnabled = false
            }
        ) { (world: MailWorld) async throws in
            #expect(await refusal { try await world.sendCode("a@b.c") } == .emailLoginsDisabled)
            #expect(await refusal { try await world.sendCode(phone: "15550001111") } == .otpPhoneDisabled)
            #expect(await refusal { try await world.recover("a@b.c") } == .sendingEmailDisabled)
            #expect(await refusal { try await world.resend("signup", email: "a@b.c") } == .sendingEmailDisabled)
            #expect(await refusal { try await world.resend("sms", phone: "1555") } == .resendPhoneDisabled)
        }
        try await MailWorld.use(.supabase, { $0.isMagicLinkEnabled = false }) { (world: MailWorld) async throws in
            #expect(await refusal { try await world.sendCode("a@b.c") } == .magicLinkDisabled)
            #expect(
                await refusal { try await world.backend.sendMagicLink(MagicLink(), world.visitor) }
                    == .magicLinkDisabled)
            try await world.recover("a@b.c")
        }
    }

    @Test("a code sent again kills the one before, and comes not before its time")
    func interval() async throws {
        try await MailWorld.use(.supabase, { $0.emailSendInterval = .seconds(60) }) { (world: MailWorld) async throws in
            _ = try await world.member()
            try await world.recover("alice@example.com")
            let first = try world.code("alice@example.com")
            #expect(await refusal { try await world.recover("alice@example.com") } == .emailSendInterval)
            #expect(await refusal { try await world.sendCode("alice@example.com") } == .emailSendInterval)
            world.clock.advance(by: .seconds(61))
            try await world.sendCode("alice@example.com")
            #expect(await refusal { try await world.verify("recovery", first, "alice@example.com") } == .codeExpired)
            let second = try world.code("alice@example.com")
            #expect(try await world.verify("email", second, "alice@example.com").session != nil)
        }
    }

    @Test("a mail that is refused leaves nothing behind where delivery comes first")
    func refusedMail() async throws {
        try await MailWorld.use(.supabase, { $0.emailSendInterval = .seconds(60) }) { (world: MailWorld) async throws in
            world.mailer.refuse(MailError(isPermanent: true, "no"))
            #expect(await refusal { try await world.sendCode("ann@example.com") } == .mailNotDelivered)
            #expect(try await world.userCount() == 0)
            world.mailer.refuse(nil)
            try await world.sendCode("ann@example.com")
            #expect(try await world.userCount() == 1)
        }
    }

    @Test("parallel requests of a new address make one account")
    func parallel() async throws {
        try await MailWorld.use(.sovaria) { (world: MailWorld) async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        do {
                            var signIn = OneTimeSignIn()
                            signIn.email = "ann@example.com"
                            _ = try await world.backend.sendCode(signIn, world.visitor)
                        } catch let error as AuthError {
                            #expect(error.reason == .emailSendInterval)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await world.userCount() == 1)
        }
    }

    @Test("auto-confirm makes the account at once and still sends the link; an unconfirmed one proves itself by it")
    func autoconfirm() async throws {
        try await MailWorld.use(.supabase, { $0.autoconfirmsEmail = true }) { (world: MailWorld) async throws in
            try await world.sendCode("ann@example.com")
            #expect(world.mailer.take("ann@example.com")?.kind == .magicLink)
            let user = try #require(try await world.store.reader.user(email: "ann@example.com"))
            #expect(user.emailConfirmedAt != nil)
            var attributes = AdminUserAttributes()
            attributes.email = "bob@example.com"
            let root = Principal(userID: nil, sessionID: nil, tokenAudience: nil, role: "service_role")
            _ = try await world.backend.adminCreateUser(attributes, root, world.visitor)
            try await world.sendCode("bob@example.com")
            let mail = try #require(world.mailer.take("bob@example.com"))
            #expect(mail.kind == .magicLink)
            #expect(try await world.store.reader.user(email: "bob@example.com")?.emailConfirmedAt == nil)
            let session = try #require(try await world.verify("email", mail.code ?? "", "bob@example.com").session)
            #expect(session.user.emailConfirmedAt != nil)
        }
    }
}

@Suite("Who has an account is not told")
struct EnumerationTests {
    @Test("the reference tells unknown addresses and closed sign-ups apart")
    func told() async throws {
        try await MailWorld.use(.supabase, { $0.isSignUpDisabled = true }) { (world: MailWorld) async throws in
            #expect(await refusal { try await world.sendCode("a@b.c") } == .signUpDisabled)
            #expect(await refusal { try await world.sendCode("a@b.c", createsUser: false) } == .otpSignUpsNotAllowed)
        }
    }

    @Test("without prevention both are one refusal under Sovaria's rules", arguments: [true, false])
    func oneRefusal(createsUser: Bool) async throws {
        try await MailWorld.use(
            .sovaria,
            {
                $0.isSignUpDisabled = true; $0.preventsEnumeration = false
            }
        ) { (world: MailWorld) async throws in
            #expect(
                await refusal { try await world.sendCode("a@b.c", createsUser: createsUser) }
                    == .otpSignUpsNotAllowed)
            #expect(
                await refusal { try await world.sendCode(phone: "15550001111", createsUser: createsUser) }
                    == .otpSignUpsNotAllowed)
        }
    }

    @Test("with prevention known and unknown are answered alike, again and again")
    func alike() async throws {
        let change: (inout Policy) -> Void = {
            $0.emailSendInterval = .seconds(60)
            $0.testCodes = ["15550001111": OneTimeCode("123456")]
        }
        try await MailWorld.use(.sovaria, change) { (world: MailWorld) async throws in
            _ = try await world.member()
            try await world.deliver()
            for email in ["alice@example.com", "alice@example.com", "nobody@example.com", "nobody@example.com"] {
                #expect(try await world.sendCode(email, createsUser: false) == MessageReceipt())
                try await world.recover(email)
                #expect(try await world.resend("signup", email: email) == MessageReceipt())
            }
            try await world.sendCode(phone: "15550001111")
            #expect(try await world.sendCode(phone: "15550001111", createsUser: false).messageID == nil)
            try await world.deliver()
            #expect(world.mailer.take("nobody@example.com") == nil)
            #expect(world.mailer.take("alice@example.com") != nil)
            #expect(world.mailer.take("alice@example.com") == nil)
            #expect(await refusal { try await world.sendCode("nonsense", createsUser: false) } == .emailMalformed)
        }
    }

    @Test("with sign-ups off a known account still signs in, an unconfirmed one too")
    func knownSignIn() async throws {
        try await MailWorld.use(.sovaria, { $0.isSignUpDisabled = true }) { (world: MailWorld) async throws in
            var attributes = AdminUserAttributes()
            attributes.email = "carl@example.com"
            let root = Principal(userID: nil, sessionID: nil, tokenAudience: nil, role: "service_role")
            _ = try await world.backend.adminCreateUser(attributes, root, world.visitor)
            try await world.sendCode("carl@example.com")
            try await world.deliver()
            guard case .signedIn = try await world.open(world.mailer.take("carl@example.com")).result else {
                Issue.record("the link did not sign in")
                return
            }
        }
    }
}

@Suite("Codes by text message")
struct TextCodeTests {
    @Test("a new number is signed up by its code, a known one signed in")
    func newAndKnown() async throws {
        try await MailWorld.use(.supabase, { $0.smsSendInterval = .milliseconds(1) }) {
            (world: MailWorld) async throws in
            #expect(try await world.sendCode(phone: "+1 555 000 1111") == MessageReceipt())
            let first = try #require(world.messages.last)
            #expect(first.phone == "15550001111")
            #expect(try await world.verifyText(first.code, "15550001111").session?.user.phoneConfirmedAt != nil)
            try await world.sendCode(phone: "15550001111")
            let second = try #require(world.messages.last)
            #expect(try await world.verifyText(second.code, "+15550001111").session != nil)
            #expect(await refusal { try await world.verifyText(second.code, "15550001111") } == .codeExpired)
        }
    }

    @Test("a fixed code is good at any time for a number with an account, until it ends; nothing is sent")
    func fixedCodes() async throws {
        let end = Timestamp(unixSeconds: 4_000_000_000)
        let change: (inout Policy) -> Void = {
            $0.testCodes = ["15550001111": OneTimeCode("654321")]
            $0.testCodesEndAt = end
            $0.smsSendInterval = .milliseconds(1)
        }
        try await MailWorld.use(.supabase, change) { (world: MailWorld) async throws in
            #expect(await refusal { try await world.verifyText("654321", "15550001111") } == .codeExpired)
            #expect(try await world.sendCode(phone: "15550001111") == MessageReceipt())
            for _ in 0..<2 { #expect(try await world.verifyText("654321", "15550001111").session != nil) }
            #expect(await refusal { try await world.verifyText("654322", "15550001111") } == .codeExpired)
            #expect(try await world.sendCode(phone: "15550001111").messageID == "test-otp")
            #expect(world.messages.last == nil)
            world.clock.advance(by: end.since(world.clock.now()))
            #expect(await refusal { try await world.verifyText("654321", "15550001111") } == .codeExpired)
        }
    }

    @Test("text messages have an interval and a budget")
    func limits() async throws {
        try await MailWorld.use(
            .supabase,
            {
                $0.smsLimit = .perHour(1); $0.smsSendInterval = .seconds(60)
            }
        ) { (world: MailWorld) async throws in
            try await world.sendCode(phone: "15550001111")
            #expect(await refusal { try await world.sendCode(phone: "15550001111") } == .smsSendInterval)
            #expect(await refusal { try await world.sendCode(phone: "15550002222") } == .smsSendLimit)
            #expect(try await world.store.reader.user(phone: "15550002222") == nil)
        }
    }
}

@Suite("Messages once more, and proofs")
struct ResendTests {
    @Test(
        "refusals of a repeat, first fault first",
        arguments: [
            ("", "a@b.c", "", AuthError.Reason.resendTypeMissing), ("recovery", "a@b.c", "", .resendTypeMissing),
            ("signup", "", "1555", .resendEmailMissing), ("sms", "a@b.c", "", .resendPhoneMissing),
            ("signup", "a@b.c", "1555", .resendEmailAndPhone), ("email_change", "", "", .resendAddressMissing),
            ("signup", "nonsense", "", .emailMalformed), ("sms", "", "0", .phoneMalformed),
        ])
    func refusals(type: String, email: String, phone: String, expected: AuthError.Reason) async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            #expect(await refusal { try await world.resend(type, email: email, phone: phone) } == expected)
        }
    }

    @Test("a confirmation comes again with a new code; where there is nothing to do nothing is sent")
    func confirmation() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            _ = try await world.signUp()
            let old = try world.code("alice@example.com")
            try await world.resend("signup", email: "ALICE@example.com")
            #expect(await refusal { try await world.verify("signup", old, "alice@example.com") } == .codeExpired)
            let new = try world.code("alice@example.com")
            #expect(try await world.verify("signup", new, "alice@example.com").session != nil)
            for type in ["signup", "email_change"] { try await world.resend(type, email: "alice@example.com") }
            for type in ["sms", "phone_change"] { try await world.resend(type, phone: "15550009999") }
            #expect(world.mailer.mails.isEmpty)
            #expect(world.messages.last == nil)
        }
    }

    @Test("both mails of a change come again, and the first half has to be shown again")
    func emailChange() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            let session = try await world.member()
            try await world.update(session) { $0.email = "new@example.com" }
            let oldCurrent = try world.code("alice@example.com")
            _ = try world.code("new@example.com")
            #expect(try await world.verify("email_change", oldCurrent, "alice@example.com").session == nil)
            try await world.resend("email_change", email: "alice@example.com")
            let new = try world.code("new@example.com")
            let current = try world.code("alice@example.com")
            #expect(try await world.verify("email_change", new, "new@example.com").session == nil)
            let changed = try #require(try await world.verify("email_change", current, "alice@example.com").session)
            #expect(changed.user.email == "new@example.com")
        }
    }

    @Test("a proof goes to the address and is used up by the change it proves")
    func reauthentication() async throws {
        try await MailWorld.use(.supabase, { $0.passwordChangeNeedsReauthentication = true }) {
            (world: MailWorld) async throws in
            let session = try await world.member()
            world.clock.advance(by: .seconds(3000))
            let principal = try await world.principal(session)
            #expect(try await world.backend.reauthenticate(principal, world.visitor) == MessageReceipt())
            let mail = try #require(world.mailer.take("alice@example.com"))
            #expect(mail.kind == .reauthentication)
            #expect(mail.link == nil)
            #expect(try await world.user(session).reauthenticationSentAt == world.clock.now())
            #expect(
                await refusal { try await world.verify("email", mail.code ?? "", "alice@example.com") }
                    == .codeExpired)
        }
    }

    @Test("who has no confirmed address or number cannot be asked for a proof")
    func cannot() async throws {
        try await MailWorld.use { (world: MailWorld) async throws in
            let anonymous = try await world.backend.signUpAnonymously(nil, world.visitor)
            let principal = try await world.principal(anonymous)
            #expect(
                await refusal { try await world.backend.reauthenticate(principal, world.visitor) }
                    == .reauthenticationAddressMissing)
            let root = Principal(userID: nil, sessionID: nil, tokenAudience: nil, role: "service_role")
            var attributes = AdminUserAttributes()
            attributes.phone = "15550001111"
            let id = anonymous.user.id
            _ = try await world.backend.adminUpdateUser(id, attributes, root, world.visitor)
            #expect(
                await refusal { try await world.backend.reauthenticate(principal, world.visitor) }
                    == .reauthenticationPhoneNotConfirmed)
            attributes.email = "ann@example.com"
            _ = try await world.backend.adminUpdateUser(id, attributes, root, world.visitor)
            #expect(
                await refusal { try await world.backend.reauthenticate(principal, world.visitor) }
                    == .reauthenticationEmailNotConfirmed)
        }
    }
}
