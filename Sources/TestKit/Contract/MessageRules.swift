import Backend
import Bytes
import JSON

/// Codes, links and mails. Source: supabase-core.md 10.4–10.10; FR-37.
extension BackendContract {
    static let messages: [ContractRule] = [
        ContractRule("A link signs in once") { world in
            _ = try await world.signUp("a@example.com")
            let link = try await world.mail("a@example.com").link
            try expect(try await world.isSignedIn(link), "the first time")
            try expect(try await world.isRefused(link), "the second time")
        },
        ContractRule("A code is good once, even when many try at once") { world in
            _ = try await world.signUp("a@example.com")
            let code = try await world.mail("a@example.com").code
            let opened = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask { (try? await world.verify("signup", code, "a@example.com")) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try expectEqual(opened, 1, "sessions")
            try await expectRefusal(.codeExpired, "again") {
                _ = try await world.verify("signup", code, "a@example.com")
            }
        },
        ContractRule("A code for an address signs in, and makes no account where it must not") { world in
            _ = try await world.account("a@example.com")
            var signIn = OneTimeSignIn()
            signIn.email = "a@example.com"
            world.pass()
            _ = try await world.backend.sendCode(signIn, world.visitor)
            _ = try await world.verify("email", try await world.mail("a@example.com").code, "a@example.com")
            signIn.email = "nobody@example.com"
            signIn.createsUser = false
            let unknown = signIn
            try await expectRefusal(.otpSignUpsNotAllowed, "unknown") {
                _ = try await world.backend.sendCode(unknown, world.visitor)
            }
        },
        ContractRule("A magic link and a recovery sign in") { world in
            _ = try await world.account("a@example.com")
            var link = MagicLink()
            link.email = "a@example.com"
            world.pass()
            try await world.backend.sendMagicLink(link, world.visitor)
            try expect(try await world.isSignedIn(try await world.mail("a@example.com").link), "the magic link")
            var recovery = Recovery()
            recovery.email = "a@example.com"
            world.pass()
            try await world.backend.recover(recovery, world.visitor)
            _ = try await world.verify("recovery", try await world.mail("a@example.com").code, "a@example.com")
            try await expectRefusal(.recoveryEmailMissing, "nobody") {
                try await world.backend.recover(Recovery(), world.visitor)
            }
        },
        ContractRule("A confirmation is sent again, but not at once", { $0.emailSendInterval = .seconds(60) }) {
            world in
            _ = try await world.signUp("a@example.com")
            _ = try await world.mail("a@example.com")
            var resend = Resend(type: "signup")
            resend.email = "a@example.com"
            let wanted = resend
            try await expectRefusal(.emailSendInterval, "too soon") {
                _ = try await world.backend.resend(wanted, world.visitor)
            }
            world.clock.advance(by: .seconds(61))
            _ = try await world.backend.resend(wanted, world.visitor)
            _ = try await world.verify("signup", try await world.mail("a@example.com").code, "a@example.com")
            try await expectRefusal(.resendTypeMissing, "no type") {
                _ = try await world.backend.resend(Resend(type: ""), world.visitor)
            }
        },
        ContractRule("An address changes when both the old and the new one agree") { world in
            let session = try await world.member("a@example.com")
            let pending = try await world.update(session) { $0.email = "b@example.com" }
            try expectEqual(pending.newEmail, "b@example.com", "waiting")
            let old = try await world.mail("a@example.com").code
            let new = try await world.mail("b@example.com").code
            var verification = Verification(type: "email_change")
            verification.code = OneTimeCode(old)
            verification.email = "a@example.com"
            guard case .otherHalfAwaited = try await world.backend.verify(verification, world.visitor) else {
                throw ContractFailure("one half was enough")
            }
            let changed = try await world.verify("email_change", new, "b@example.com")
            try expectEqual(changed.user.email, "b@example.com", "changed")
        },
        ContractRule(
            "A password changes with a code that was asked for",
            { $0.passwordChangeNeedsReauthentication = true }
        ) { world in
            let session = try await world.member("a@example.com")
            world.clock.advance(by: .seconds(2 * 86_400))
            let fresh = try await world.refresh(session.refreshToken)
            try await expectRefusal(.reauthenticationNeeded, "without a code") {
                try await world.update(fresh) { $0.password = Password("another-horse-2") }
            }
            let context = world.bearing(fresh.accessToken)
            _ = try await world.backend.reauthenticate(
                try await world.backend.authenticate(context, as: .user), context)
            let nonce = OneTimeCode(try await world.mail("a@example.com").code)
            try await expectRefusal(.reauthenticationInvalid, "another code") {
                try await world.update(fresh) {
                    $0.password = Password("another-horse-2")
                    $0.nonce = OneTimeCode("000000000")
                }
            }
            try await world.update(fresh) {
                $0.password = Password("another-horse-2")
                $0.nonce = nonce
            }
            _ = try await world.signIn("a@example.com", "another-horse-2")
        },
    ]
}
