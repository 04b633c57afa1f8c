import Backend
import Bytes
import JSON

/// Sign-up and changes of one's own account. Source: supabase-core.md 10.1, 10.13; FR-04, FR-06, FR-09.
extension BackendContract {
    static let accounts: [ContractRule] = [
        ContractRule("A sign-up waits for its confirmation, and the mailed code signs in") { world in
            guard case .awaitsConfirmation(let user) = try await world.signUp("a@example.com", data: ["name": "A"])
            else {
                throw ContractFailure("signed in without a confirmation")
            }
            try expectEqual(user.email, "a@example.com", "address")
            try expect(user.emailConfirmedAt == nil && user.confirmationSentAt != nil, "not confirmed, but asked to be")
            try await expectRefusal(.emailNotConfirmed, "before") { _ = try await world.signIn("a@example.com") }
            let session = try await world.verify("signup", try await world.mail("a@example.com").code, "a@example.com")
            try expectEqual(session.user.id, user.id, "the same account")
            try expectEqual(session.user.userMetadata.object["name"]?.string, "A", "metadata")
            let read = try await world.user(session)
            try expect(read.emailConfirmedAt != nil, "confirmed")
            try expectEqual(read.identities?.count, 1, "identities")
            try expectEqual(read.identities?.first?.provider, "email", "provider")
        },
        ContractRule(
            "With autoconfirmation a sign-up signs in, and a known address is told", { $0.autoconfirmsEmail = true }
        ) {
            world in
            guard case .signedIn(let session) = try await world.signUp("a@example.com") else {
                throw ContractFailure("not signed in")
            }
            try expect(!session.refreshToken.isEmpty && session.sessionID != nil, "a session with its id")
            try expectEqual(session.expiresIn, 3600, "lifetime")
            try expectEqual(
                session.expiresAt.unixSeconds, world.clock.now().unixSeconds + 3600, "expiry")
            try await expectRefusal(.userAlreadyExists, "again") { _ = try await world.signUp("a@example.com") }
        },
        ContractRule("A sign-up of a known address looks like any other") { world in
            _ = try await world.member("a@example.com")
            guard case .awaitsConfirmation(let user) = try await world.signUp("a@example.com") else {
                throw ContractFailure("signed in")
            }
            try expectEqual(user.identities?.count, 0, "identities of the look-alike")
        },
        ContractRule("Anonymous accounts are made where they are allowed", { $0.areAnonymousSignInsEnabled = true }) {
            world in
            let session = try await world.backend.signUpAnonymously(["theme": "dark"], world.visitor)
            try expect(session.user.isAnonymous, "anonymous")
            try expectEqual(try await world.user(session).userMetadata.object["theme"]?.string, "dark", "metadata")
        },
        ContractRule("Anonymous accounts are refused where they are not") { world in
            try await expectRefusal(.anonymousSignInsDisabled, "sign-up") {
                _ = try await world.backend.signUpAnonymously(nil, world.visitor)
            }
        },
        ContractRule("Closed sign-ups, bad addresses and weak passwords are refused", { $0.passwordLengthMin = 8 }) {
            world in
            try await expectRefusal(.emailMalformed, "address") { _ = try await world.signUp("not an address") }
            let weak = try await expectRefusal(.passwordWeak, "password") {
                _ = try await world.signUp("a@example.com", "short")
            }
            try expectEqual(weak.weakPasswordReasons, ["length"], "reasons")
        },
        ContractRule("Metadata is merged at its first level, null removes, numbers keep every digit") { world in
            let session = try await world.member("a@example.com", data: ["a": 1, "b": ["x": 1, "y": 2]])
            let big = try JSONValue.parse("{\"n\":12345678901234567890123,\"b\":{\"x\":9},\"a\":null}").object
            let changed = try await world.update(session) { $0.userMetadata = big }
            let data = changed.userMetadata.object
            try expect(data["a"] == nil, "removed")
            try expectEqual(data["b"], ["x": 9], "replaced")
            try expectEqual(data["n"]?.number?.literal, "12345678901234567890123", "digits")
            try expectEqual(try await world.user(session).userMetadata, changed.userMetadata, "kept")
        },
        ContractRule("A new password throws every other session out and keeps the caller's") { world in
            let first = try await world.member("a@example.com")
            let second = try await world.signIn("a@example.com")
            try await expectRefusal(.samePassword, "the same") {
                try await world.update(first) { $0.password = Password("correct-horse-1") }
            }
            try await world.update(first) { $0.password = Password("another-horse-2") }
            _ = try await world.user(first)
            try await expectRefusal(.sessionUnknown, "the other session") { _ = try await world.user(second) }
            try await expectRefusal(.refreshTokenNotFound, "its refresh") {
                _ = try await world.refresh(second.refreshToken)
            }
            try await expectRefusal(.invalidCredentials, "the old password") {
                _ = try await world.signIn("a@example.com")
            }
            _ = try await world.signIn("a@example.com", "another-horse-2")
        },
        ContractRule("Only an administrator changes app_metadata, and no address is taken twice") { world in
            let session = try await world.member("a@example.com")
            _ = try await world.account("b@example.com")
            try await expectRefusal(.appMetadataNeedsAdmin, "app_metadata") {
                try await world.update(session) { $0.appMetadata = ["role": "x"] }
            }
            try await expectRefusal(.emailExists, "address") {
                try await world.update(session) { $0.email = "b@example.com" }
            }
        },
        ContractRule("What everybody is told tells what is on", { $0.areAnonymousSignInsEnabled = true }) { world in
            let settings = try await world.backend.publicSettings(world.visitor)
            try expect(!settings.isSignUpDisabled, "sign-ups are open")
            let keys = try await world.backend.publicKeys(world.visitor)
            try expect(keys.object["keys"]?.array != nil, "a key set")
        },
    ]
}
