import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@Suite struct RowTests {
    private let fixtures = Fixtures()

    @Test("every column of a user comes back as it was written") func wholeUser() async throws {
        try await TemporaryStore.use { store in
            var user = fixtures.user("a@example.com")
            let time = fixtures.clock.now()
            user.encryptedPassword = nil
            user.emailConfirmedAt = time + .seconds(2)
            user.invitedAt = time + .seconds(3)
            user.confirmationToken = "aa"
            user.confirmationSentAt = time + .seconds(4)
            user.recoveryToken = "bb"
            user.recoverySentAt = time + .seconds(5)
            user.emailChangeTokenNew = "cc"
            user.emailChange = "b@example.com"
            user.emailChangeSentAt = time + .seconds(6)
            user.emailChangeTokenCurrent = "dd"
            user.emailChangeConfirmStatus = 1
            user.lastSignInAt = time + .seconds(7)
            user.userMetadata = try JSONText(#"{"big":12345678901234567890,"text":"ä\u0000"}"#)
            user.phone = "4912345"
            user.phoneConfirmedAt = time + .seconds(1)
            user.phoneChange = "4954321"
            user.phoneChangeToken = "ee"
            user.phoneChangeSentAt = time + .seconds(8)
            user.reauthenticationToken = "ff"
            user.reauthenticationSentAt = time + .seconds(9)
            user.bannedUntil = time + .seconds(10)
            user.deletedAt = time + .seconds(11)
            user.isSSOUser = true
            user.isAnonymous = true
            user.updatedAt = time + .seconds(12)
            let written = user
            try await store.write { try await $0.insert(written) }
            let found = try #require(try await store.reader.user(user.id))
            #expect(String(describing: found) == String(describing: written))
            #expect(found.confirmedAt == time + .seconds(1))
        }
    }

    @Test("an empty address or number is stored as NULL, so that two of them do not collide")
    func emptyAddresses() async throws {
        try await TemporaryStore.use { store in
            var first = fixtures.user("")
            first.phone = ""
            let second = first
            var third = fixtures.user("")
            third.phone = ""
            let rows = [second, third]
            try await store.write { for row in rows { try await $0.insert(row) } }
            #expect(try await store.reader.user(third.id)?.email == nil)
            #expect(try await store.reader.user(third.id)?.phone == nil)
        }
    }

    @Test("a partial update writes its columns and the time, nothing else") func partialUpdate() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            try await store.write { try await $0.insert(user) }
            var changed = user
            changed.email = "b@example.com"
            changed.role = "other"
            changed.userMetadata = try JSONText(#"{"n":1}"#)
            changed.emailChange = "c@example.com"
            changed.emailChangeConfirmStatus = 2
            changed.updatedAt = user.updatedAt + .seconds(1)
            let row = changed
            try await store.write { try await $0.update(row, [.userMetadata, .emailChange]) }
            let found = try #require(try await store.reader.user(user.id))
            #expect(found.email == "a@example.com")
            #expect(found.role == "authenticated")
            #expect(found.userMetadata.description == #"{"n":1}"#)
            #expect(found.emailChange == "c@example.com")
            #expect(found.emailChangeConfirmStatus == 2)
            #expect(found.updatedAt == row.updatedAt)
        }
    }

    @Test("each group of columns can be written alone, and all together", arguments: 0..<21)
    func columnGroups(bit: Int) async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let columns = UserColumns(rawValue: bit == 20 ? (1 << 20) - 1 : 1 << UInt64(bit))
            try await store.write {
                try await $0.insert(user)
                try await $0.update(user, columns)
            }
            let found = try await store.reader.user(user.id)
            #expect(String(describing: found) == String(describing: Optional(user)))
        }
    }

    @Test("more sets of columns than are kept prepared still work") func manyColumnSets() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            try await store.write {
                try await $0.insert(user)
                for set in 0..<200 { try await $0.update(user, UserColumns(rawValue: UInt64(set))) }
            }
            #expect(try await store.reader.user(user.id)?.email == "a@example.com")
        }
    }

    @Test("users are found by address and number, in an audience and in any") func lookups() async throws {
        try await TemporaryStore.use { store in
            var user = fixtures.user("a@example.com", audience: "one")
            user.phone = "49123"
            user.phoneChange = "49999"
            var single = fixtures.user("a@example.com", audience: "one")
            single.isSSOUser = true
            let rows = [user, single]
            try await store.write { for row in rows { try await $0.insert(row) } }
            let reader = store.reader
            #expect(try await reader.user(email: "a@example.com", audience: "one")?.id == user.id)
            #expect(try await reader.user(email: "a@example.com", audience: "two") == nil)
            #expect(try await reader.user(email: "A@example.com", audience: "one") == nil)
            #expect(try await reader.user(phone: "49123", audience: "one")?.id == user.id)
            #expect(try await reader.user(phone: "49123", audience: "two") == nil)
            #expect(try await reader.user(email: "a@example.com")?.id == user.id)
            #expect(try await reader.user(phone: "49123")?.id == user.id)
            #expect(try await reader.user(phoneChange: "49999", audience: "one")?.id == user.id)
            #expect(try await reader.user(phoneChange: "", audience: "one") == nil)
        }
    }

    @Test(
        "a value that is taken is refused by the name of its columns",
        arguments: [
            ("email", "users.email"), ("phone", "users.phone"), ("id", "users.id"), ("token", "users.recovery_token"),
        ])
    func unique(what: String, name: String) async throws {
        try await TemporaryStore.use { store in
            var first = fixtures.user("a@example.com")
            first.phone = "49123"
            first.recoveryToken = "abc"
            var second = fixtures.user("b@example.com")
            switch what {
            case "email": second.email = first.email
            case "phone": second.phone = first.phone
            case "token": second.recoveryToken = first.recoveryToken
            default:
                second = first
                second.email = "c@example.com"
                second.phone = nil
                second.recoveryToken = ""
            }
            let (one, two) = (first, second)
            try await store.write { try await $0.insert(one) }
            do {
                try await store.write { try await $0.insert(two) }
                Issue.record("nothing was refused")
            } catch StoreError.notUnique(let found) {
                #expect(found == name)
            }
        }
    }

    @Test("codes of digits alone may be the same for two users, as in rows of old versions")
    func oldTokens() async throws {
        try await TemporaryStore.use { store in
            var first = fixtures.user("a@example.com")
            first.recoveryToken = "123456"
            var second = fixtures.user("b@example.com")
            second.recoveryToken = "123456"
            let rows = [first, second]
            try await store.write { for row in rows { try await $0.insert(row) } }
        }
    }

    @Test("identities come in order of creation, by provider and by address") func identities() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let first = fixtures.identity(of: user)
            fixtures.clock.advance(by: .seconds(1))
            let second = fixtures.identity(of: user, provider: "google", subject: "g1")
            let single = fixtures.identity(of: user, provider: "sso:1234", subject: "s1")
            try await store.write {
                try await $0.insert(user)
                for row in [second, first, single] { try await $0.insert(row) }
            }
            let reader = store.reader
            #expect(try await reader.identities(of: user.id).map(\.id) == [first.id, second.id, single.id])
            #expect(try await reader.identity(provider: "google", providerID: "g1")?.id == second.id)
            #expect(try await reader.identity(provider: "email", providerID: "g1") == nil)
            #expect(try await reader.identities(email: "a@example.com").map(\.id) == [first.id, second.id])
            var changed = second
            changed.data = try JSONText(#"{"sub":"g1","email":"NEW@example.com"}"#)
            let row = changed
            try await store.write { try await $0.update(row) }
            #expect(try await reader.identities(email: "new@example.com").map(\.email) == ["new@example.com"])
            try await store.write { try await $0.delete(identity: second.id) }
            #expect(try await reader.identities(of: user.id).count == 2)
        }
    }

    @Test("an identity that exists, or whose user does not, is refused") func badIdentities() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let other = fixtures.user("b@example.com")
            let taken = fixtures.identity(of: user, provider: "google", subject: "g1")
            var second = fixtures.identity(of: user, provider: "google", subject: "g1")
            second.id = IdentityID(fixtures.uuid())
            let again = second
            try await store.write {
                try await $0.insert(user)
                try await $0.insert(taken)
            }
            do {
                try await store.write { try await $0.insert(again) }
                Issue.record("nothing was refused")
            } catch StoreError.notUnique(let name) {
                #expect(name == "identities.provider_id, identities.provider")
            }
            let lost = fixtures.identity(of: other)
            do {
                try await store.write { try await $0.insert(lost) }
                Issue.record("nothing was refused")
            } catch StoreError.missingReference {
                #expect(try await store.reader.identities(of: other.id).isEmpty)
            }
        }
    }

    @Test("deleting a user deletes all that hangs on it") func deletion() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let identity = fixtures.identity(of: user)
            let session = fixtures.session(of: user.id)
            let token = fixtures.refreshToken("t1", of: session)
            let code = fixtures.oneTimeToken("h", .recovery, of: user.id)
            try await store.write {
                try await $0.insert(user)
                try await $0.insert(identity)
                try await $0.insert(session)
                try await $0.insert(token)
                try await $0.upsertAMRClaim(session: session.id, method: "password", at: token.createdAt)
                try await $0.replace(code)
                _ = try await $0.countWrongTry(of: user.id, type: .recovery)
            }
            #expect(try await store.reader.account(user.id, session: session.id)?.identities.count == 1)
            try await store.write { try await $0.delete(user: user.id) }
            let reader = store.reader
            #expect(try await reader.account(user.id, session: session.id) == nil)
            #expect(try await reader.identities(of: user.id).isEmpty)
            #expect(try await reader.session(session.id) == nil)
            #expect(try await reader.refreshToken("t1") == nil)
            #expect(try await reader.amrClaims(of: session.id).isEmpty)
            #expect(try await reader.oneTimeToken(hash: "h", types: [.recovery]) == nil)
        }
    }

    @Test("an account comes with its identities, factors and the session that was asked for")
    func account() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let session = fixtures.session(of: user.id)
            try await store.write {
                try await $0.insert(user)
                try await $0.insert(session)
            }
            #expect(try await store.reader.account(user.id, session: nil)?.session == nil)
            #expect(try await store.reader.account(user.id, session: session.id)?.session?.id == session.id)
            let unknown = SessionID(fixtures.uuid())
            let without = try #require(try await store.reader.account(user.id, session: unknown))
            #expect(without.session == nil)
            #expect(without.user.id == user.id)
        }
    }
}
