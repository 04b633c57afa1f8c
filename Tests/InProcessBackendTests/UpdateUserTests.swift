import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Changes of one's own account")
struct UpdateUserTests {
    @Test("metadata merges and null removes; nothing else changes")
    func metadata() async throws {
        try await MailWorld.use { world in
            let session = try await world.member("alice@example.com", ["a": 1, "b": 2])
            let user = try await world.update(session) { $0.userMetadata = ["b": .null, "c": ["d": .null]] }
            #expect(user.userMetadata.object["a"] == 1)
            #expect(user.userMetadata.object["b"] == nil)
            #expect(user.userMetadata.object["c"] == ["d": .null])
            #expect(try await world.user(session).userMetadata == user.userMetadata)
            #expect(
                await refusal { try await world.update(session) { $0.userMetadata = ["x": "\u{0}"] } } == .textHasNUL)
            #expect(
                await refusal { try await world.update(session) { $0.appMetadata = ["x": 1] } }
                    == .appMetadataNeedsAdmin)
        }
    }

    @Test("parallel merges lose nothing")
    func races() async throws {
        try await MailWorld.use { world in
            let session = try await world.member()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<16 {
                    group.addTask { try await world.update(session) { $0.userMetadata = ["k\(index)": 1] } }
                }
                try await group.waitForAll()
            }
            let metadata = try await world.user(session).userMetadata.object
            #expect((0..<16).allSatisfy { metadata["k\($0)"] == 1 })
        }
    }

    @Test("the limit of the metadata is that of the merged object, to the byte", arguments: [0, 1])
    func limit(_ over: Int) async throws {
        try await MailWorld.use(.sovaria) { world in
            let session = try await world.member()
            let size = session.user.userMetadata.bytes.count
            let fill = String(repeating: "x", count: 16_384 - size - #","x":"""#.utf8.count + over)
            let reason = await refusal {
                try await world.update(session) {
                    $0.userMetadata = ["x": .string(fill)]
                    $0.password = Password("battery-staple-2")
                }
            }
            #expect(reason == (over == 0 ? nil : .userMetadataTooLarge))
            let password = over == 0 ? "battery-staple-2" : "correct-horse-1"
            _ = try await world.signIn("alice@example.com", password)
        }
    }

    @Test("a new password ends the other sessions and the codes on their way")
    func password() async throws {
        try await MailWorld.use { world in
            let session = try await world.member()
            let other = try await world.signIn("alice@example.com", "correct-horse-1")
            try await world.update(session) { $0.email = "bob@example.com" }
            let code = try world.code("bob@example.com")
            #expect(
                await refusal { try await world.update(session) { $0.password = Password("correct-horse-1") } }
                    == .samePassword)
            let user = try await world.update(session) { $0.password = Password("battery-staple-2") }
            #expect(user.newEmail == "bob@example.com")
            #expect(await refusal { try await world.user(other) } == .sessionUnknown)
            _ = try await world.user(session)
            #expect(await refusal { try await world.verify("email_change", code, "bob@example.com") } == .codeExpired)
            #expect(
                await refusal { try await world.signIn("alice@example.com", "correct-horse-1") } == .invalidCredentials)
            _ = try await world.signIn("alice@example.com", "battery-staple-2")
        }
    }

    @Test("the current password, where it is asked for")
    func currentPassword() async throws {
        try await MailWorld.use(.supabase, { $0.passwordChangeNeedsCurrent = true }) { world in
            let recovery = try await world.member()
            let session = try await world.signIn("alice@example.com", "correct-horse-1")
            func fault(_ current: String?) async -> AuthError.Reason? {
                await refusal {
                    try await world.update(session) {
                        $0.password = Password("battery-staple-2")
                        $0.currentPassword = current.map { Password($0) }
                    }
                }
            }
            #expect(await fault(nil) == .currentPasswordMissing)
            #expect(await fault("wrong") == .currentPasswordWrong)
            #expect(await fault("correct-horse-1") == nil)
            // That ended the other session; a session that began with a mailed code would not have had to know it.
            #expect(await refusal { try await world.user(recovery) } == .sessionUnknown)
        }
    }

    @Test("an old sign-in needs a nonce, where it is asked for")
    func reauthentication() async throws {
        try await MailWorld.use(.supabase, { $0.passwordChangeNeedsReauthentication = true }) { world in
            let session = try await world.member()
            try await world.update(session) { $0.password = Password("battery-staple-2") }
            world.clock.advance(by: .seconds(86_401))
            let fresh = try await world.backend.refresh(session.refreshToken, world.visitor)
            #expect(
                await refusal { try await world.update(fresh) { $0.password = Password("third-horse-3") } }
                    == .reauthenticationNeeded)
            #expect(
                await refusal {
                    try await world.update(fresh) {
                        $0.password = Password("third-horse-3")
                        $0.nonce = OneTimeCode("123456")
                    }
                } == .reauthenticationInvalid)
        }
    }

    @Test("a taken, malformed or unchanged address")
    func addresses() async throws {
        try await MailWorld.use { world in
            let session = try await world.member()
            _ = try await world.member("bob@example.com")
            #expect(await refusal { try await world.update(session) { $0.email = "BOB@example.com" } } == .emailExists)
            #expect(await refusal { try await world.update(session) { $0.email = "nobody" } } == .emailMalformed)
            let user = try await world.update(session) { $0.email = "Alice@example.com" }
            #expect(user.newEmail == nil)
            #expect(world.mailer.mails.isEmpty)
        }
    }

    @Test("a refused mail changes nothing where delivery comes first")
    func undelivered() async throws {
        try await MailWorld.use { world in
            let session = try await world.member()
            world.mailer.refuse(MailError(isPermanent: false, "down"))
            let reason = await refusal {
                try await world.update(session) {
                    $0.email = "bob@example.com"
                    $0.userMetadata = ["x": 1]
                }
            }
            #expect(reason == .mailNotDelivered)
            let user = try await world.user(session)
            #expect(user.newEmail == nil)
            #expect(user.userMetadata.object["x"] == nil)
        }
    }

    @Test("the interval counts although a new password clears what is pending")
    func interval() async throws {
        try await MailWorld.use(.supabase, { $0.emailSendInterval = .seconds(60) }) { world in
            let session = try await world.member()
            try await world.update(session) { $0.email = "bob@example.com" }
            let reason = await refusal {
                try await world.update(session) {
                    $0.email = "carol@example.com"
                    $0.password = Password("battery-staple-2")
                }
            }
            #expect(reason == .emailSendInterval)
            _ = try await world.signIn("alice@example.com", "correct-horse-1")
        }
    }

    @Test("an anonymous account becomes permanent by an address of its own", arguments: [true, false])
    func anonymous(_ autoconfirms: Bool) async throws {
        try await MailWorld.use(.supabase, { $0.autoconfirmsEmail = autoconfirms }) { world in
            let session = try await world.backend.signUpAnonymously(nil, world.visitor)
            #expect(
                await refusal { try await world.update(session) { $0.password = Password("correct-horse-1") } }
                    == .anonymousPasswordNeedsAddress)
            try await world.update(session) { $0.email = "alice@example.com" }
            if !autoconfirms {
                #expect(try await world.user(session).isAnonymous)
                #expect(try await world.open(world.mailer.take("alice@example.com")).summary == "session email_change")
            }
            let user = try await world.user(session)
            #expect(!user.isAnonymous)
            #expect(user.email == "alice@example.com")
            #expect(user.appMetadata.object["providers"] == ["email"])
            #expect(user.identities?.count == 1)
            #expect(world.mailer.mails.isEmpty)
        }
    }

    @Test("a number is changed by its code")
    func phone() async throws {
        try await MailWorld.use { world in
            let session = try await world.member()
            let user = try await world.update(session) { $0.phone = "+15555550100" }
            #expect(user.newPhone == "15555550100")
            var verification = Verification(type: "phone_change")
            verification.phone = "15555550100"
            verification.code = OneTimeCode(try #require(world.messages.last?.code))
            let after = try #require(try await world.backend.verify(verification, world.visitor).session)
            #expect(after.user.phone == "15555550100")
            #expect(after.user.appMetadata.object["providers"] == ["email", "phone"])
        }
    }

    @Test("notices go to the account's address, after a change of address to the old one")
    func notices() async throws {
        let change: @Sendable (inout Policy) -> Void = {
            $0.notifiesPasswordChanged = true
            $0.notifiesEmailChanged = true
            $0.emailChangeNeedsBoth = false
        }
        try await MailWorld.use(.supabase, change) { world in
            let session = try await world.member()
            try await world.update(session) { $0.password = Password("battery-staple-2") }
            try await world.deliver()
            #expect(world.mailer.take("alice@example.com")?.kind == .passwordChanged)
            try await world.update(session) { $0.email = "bob@example.com" }
            _ = try await world.open(world.mailer.take("bob@example.com"))
            try await world.deliver()
            let notice = try #require(world.mailer.take("alice@example.com"))
            #expect(notice.kind == .emailChanged)
            #expect(notice.html.contains("bob@example.com"))
            #expect(world.mailer.mails.isEmpty)
        }
    }
}
