import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Administration of users")
struct AdminTests {
    private func reason(_ world: TestWorld, _ change: (inout AdminUserAttributes) -> Void) async -> AuthError.Reason? {
        var attributes = AdminUserAttributes()
        change(&attributes)
        let judged = attributes
        return await failure { () throws(AuthError) in
            try await world.backend.adminCreateUser(judged, TestWorld.root, TestWorld.visitor)
        }
    }

    @Test("a new account as the reference shows it")
    func create() async throws {
        try await inWorld { world in
            let user = try await world.account("Mixed@Example.com") {
                $0.phone = "+15550001111"
                $0.role = " editor "
                $0.userMetadata = ["none": .null]
                $0.appMetadata = ["plan": "pro", "provider": .null]
            }
            #expect(user.email == "mixed@example.com")
            #expect(user.phone == "15550001111")
            #expect(user.role == "editor")
            #expect(user.confirmedAt == nil)
            #expect(user.emailConfirmedAt == world.clock.now())
            #expect(user.phoneConfirmedAt == nil)
            #expect(user.identities?.map(\.provider) == ["email", "phone"])
            #expect(user.userMetadata.description == #"{"none":null,"email_verified":true}"#)
            #expect(user.appMetadata.description == #"{"providers":["email","phone"],"plan":"pro"}"#)
            let data = try #require(user.identities?.first?.data.object)
            #expect(data["email_verified"]?.bool == false)
            #expect(data["sub"]?.string == user.id.description)
            let read = try await world.backend.adminUser(user.id, TestWorld.root, TestWorld.visitor)
            #expect(read.confirmedAt == world.clock.now())
        }
    }

    @Test("refusals of create, first fault first")
    func refusals() async throws {
        try await inWorld { world in
            try await world.account { $0.phone = "15550001111" }
            let long = String(repeating: "x", count: 250) + "@example.com"
            #expect(await reason(world) { $0.password = Password("x") } == .adminAddressMissing)
            #expect(await reason(world) { $0.email = "nonsense" } == .emailMalformed)
            #expect(await reason(world) { $0.email = long } == .emailTooLong)
            #expect(await reason(world) { $0.email = "ALICE@example.com" } == .emailExists)
            #expect(await reason(world) { $0.phone = "0123" } == .phoneMalformed)
            #expect(await reason(world) { $0.phone = "+1 555 000 1111" } == .adminPhoneExists)
            let bcrypt = BcryptShape.nobodys(cost: 4)
            #expect(
                await reason(world) {
                    $0.email = "b@example.com"
                    $0.password = Password("")
                    $0.passwordHash = bcrypt
                } == .adminPasswordAndHash)
            let faults: [((inout AdminUserAttributes) -> Void, AuthError.Reason)] = [
                ({ $0.password = Password(String(repeating: "x", count: 73)) }, .passwordTooLong),
                ({ $0.passwordHash = "plain" }, .adminPasswordHashMalformed),
                ({ $0.id = "42" }, .adminIDMalformed),
                ({ $0.id = "00000000-0000-0000-0000-000000000000" }, .adminIDNil),
                ({ $0.banDuration = "7d" }, .banDurationMalformed),
                ({ $0.userMetadata = ["x": ["y": "\0"]] }, .textHasNUL),
                ({ $0.role = String(repeating: "x", count: 256) }, .roleTooLong),
                ({ $0.audience = String(repeating: "x", count: 256) }, .audienceTooLong),
                ({ $0.password = Password("has\0nul") }, .textHasNUL),
            ]
            for (change, expected) in faults {
                let told = await reason(world) {
                    $0.email = "b@example.com"
                    change(&$0)
                }
                #expect(told == expected)
            }
            #expect(try await world.store.reader.user(email: "b@example.com") == nil)
        }
    }

    @Test("an id that is taken, and an address that another audience has")
    func taken() async throws {
        try await inWorld { world in
            let user = try await world.account()
            #expect(
                await reason(world) {
                    $0.email = "b@example.com"
                    $0.id = user.id.description.uppercased()
                } == .adminIDTaken)
            #expect(
                await reason(world) {
                    $0.email = "alice@example.com"
                    $0.audience = "elsewhere"
                } == .emailExists)
        }
    }

    @Test("many at once with one address make one account")
    func race() async throws {
        try await inWorld { world in
            let made = await withTaskGroup(of: AuthError.Reason?.self) { group in
                for _ in 0..<8 {
                    group.addTask { await failure { () throws(AuthError) in try await world.account() } }
                }
                var reasons: [AuthError.Reason?] = []
                for await reason in group { reasons.append(reason) }
                return reasons
            }
            #expect(made.filter { $0 == nil }.count == 1)
            #expect(made.filter { $0 == .emailExists }.count == 7)
        }
    }

    @Test("FR-05: a password that an administrator sets ends all sessions, other changes end none")
    func passwordReset() async throws {
        try await inWorld { world in
            let user = try await world.account()
            let session = try await world.signIn()
            _ = try await world.update(user.id) { $0.userMetadata = ["a": 1] }
            _ = try await world.authenticate(session.accessToken)
            _ = try await world.update(user.id) { $0.password = Password("fresh-password-1") }
            #expect(
                await failure { () throws(AuthError) in try await world.authenticate(session.accessToken) }
                    == .sessionUnknown)
            #expect(
                await failure { () throws(AuthError) in try await world.refresh(session.refreshToken) }
                    == .refreshTokenNotFound)
            #expect(await failure { () throws(AuthError) in try await world.signIn() } == .invalidCredentials)
            _ = try await world.signIn(password: "fresh-password-1")
            #expect(
                await failure { () throws(AuthError) in
                    try await world.update(user.id) { $0.password = Password("") }
                } == .passwordWeak)
        }
    }

    @Test("FR-06: metadata merges at the first level, null removes, numbers keep their digits")
    func metadata() async throws {
        try await inWorld { world in
            let user = try await world.account {
                $0.userMetadata = ["a": 1, "b": ["x": 1, "y": 2], "big": 9_007_199_254_740_993]
            }
            _ = try await world.update(user.id) { $0.userMetadata = ["a": .null] }
            let after = try await world.update(user.id) { $0.userMetadata = ["b": ["x": 9]] }
            #expect(
                after.userMetadata.description
                    == #"{"b":{"x":9},"big":9007199254740993,"email_verified":true}"#)
            let same = try await world.update(user.id) { $0.userMetadata = [:] }
            #expect(same.userMetadata == after.userMetadata)
            let app = try await world.update(user.id) { $0.appMetadata = ["plan": "pro", "providers": .null] }
            #expect(app.appMetadata.description == #"{"provider":"email","plan":"pro"}"#)
        }
    }

    @Test("an address is replaced at once; the answer shows the identity as it was")
    func email() async throws {
        try await inWorld { world in
            let user = try await world.account()
            try await world.account("bob@example.com")
            let answer = try await world.update(user.id) {
                $0.email = "New@Example.com"
                $0.confirmsEmail = true
            }
            #expect(answer.email == "new@example.com")
            #expect(answer.identities?.first?.email == "alice@example.com")
            let read = try await world.backend.adminUser(user.id, TestWorld.root, TestWorld.visitor)
            #expect(read.identities?.first?.email == "new@example.com")
            #expect(read.identities?.first?.data.object["email_verified"]?.bool == true)
            #expect(
                await failure { () throws(AuthError) in
                    try await world.update(user.id) { $0.email = "bob@example.com" }
                } == .emailExists)
            let phone = try await world.update(user.id) { $0.phone = "15550002222" }
            #expect(phone.identities?.map(\.provider) == ["email", "phone"])
        }
    }

    @Test("FR-42: soft deletion frees the address and is done once")
    func softDeletion() async throws {
        try await inWorld { world in
            let user = try await world.account { $0.phone = "15550001111" }
            let session = try await world.signIn()
            try await world.backend.adminDeleteUser(user.id, softly: true, TestWorld.root, TestWorld.visitor)
            let gone = try await world.backend.adminUser(user.id, TestWorld.root, TestWorld.visitor)
            #expect(gone.deletedAt == world.clock.now())
            #expect(gone.email == SoftDeletion.obfuscated("alice@example.com", of: user.id))
            #expect(gone.userMetadata == .emptyObject)
            #expect(gone.identities?.map(\.data) == [.emptyObject, .emptyObject])
            #expect(
                await failure { () throws(AuthError) in try await world.authenticate(session.accessToken) }
                    == .sessionUnknown)
            let again = try await world.account { $0.phone = "15550001111" }
            #expect(again.id != user.id)
            world.clock.advance(by: .seconds(60))
            try await world.backend.adminDeleteUser(user.id, softly: true, TestWorld.root, TestWorld.visitor)
            let unchanged = try await world.backend.adminUser(user.id, TestWorld.root, TestWorld.visitor)
            #expect(unchanged.deletedAt == gone.deletedAt)
            try await world.backend.adminDeleteUser(user.id, softly: false, TestWorld.root, TestWorld.visitor)
            for softly in [true, false] {
                #expect(
                    await failure { () throws(AuthError) in
                        try await world.backend.adminDeleteUser(
                            user.id, softly: softly, TestWorld.root, TestWorld.visitor)
                    } == .userNotFound)
            }
        }
    }

    @Test("lists: newest first, pages, filter, no identities")
    func list() async throws {
        try await inWorld { world in
            for name in ["ann", "ben", "cyd"] {
                try await world.account("\(name)@example.com")
                world.clock.advance(by: .seconds(1))
            }
            func page(_ change: (inout UserListQuery) -> Void) async throws -> UserPage {
                var query = UserListQuery()
                change(&query)
                return try await world.backend.adminUsers(query, TestWorld.root, TestWorld.visitor)
            }
            let all = try await page { _ in }
            #expect(all.users.compactMap(\.email) == ["cyd@example.com", "ben@example.com", "ann@example.com"])
            #expect(all.total == 3)
            #expect(all.audience == "authenticated")
            #expect(all.users.allSatisfy { $0.identities == nil && $0.factors.isEmpty })
            let second = try await page {
                $0.page = "2"
                $0.perPage = "2"
                $0.sort = ["created_at asc"]
            }
            #expect(second.users.compactMap(\.email) == ["cyd@example.com"])
            #expect(second.total == 3)
            #expect(try await page { $0.filter = "ben@" }.users.count == 1)
            #expect(try await page { $0.page = "18446744073709551615" }.users.isEmpty)
        }
    }
}

@Suite("PKCE exchange")
struct PKCEExchangeTests {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    private func begin(
        _ world: TestWorld, _ user: UserID?, code: String = "code", method: String = "s256"
    ) async throws {
        let id = FlowStateID(world.backend.newUUID())
        let now = world.clock.now()
        try await world.store.transaction { tx in
            var flow = FlowStateRow(
                id: id, providerType: "email", authenticationMethod: "email/signup", createdAt: now)
            flow.userID = user
            flow.authCode = code
            flow.codeChallengeMethod = method
            flow.codeChallenge = method == "s256" ? "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" : Self.verifier
            flow.providerAccessToken = "provider-token"
            try await tx.insert(flow)
        }
    }

    private func exchange(_ world: TestWorld, _ code: String, _ verifier: String) async throws(AuthError) -> Session {
        try await world.backend.exchange(
            PKCEExchange(authCode: RawToken(code), codeVerifier: RawToken(verifier)), TestWorld.visitor)
    }

    @Test("a code is good once, with its verifier", arguments: ["s256", "plain"])
    func once(_ method: String) async throws {
        try await inWorld { world in
            let user = try await world.account()
            try await begin(world, user.id, method: method)
            #expect(
                await failure { () throws(AuthError) in try await exchange(world, "code", "wrong") }
                    == .codeVerifierMismatch)
            let session = try await exchange(world, "code", Self.verifier)
            #expect(session.user.id == user.id)
            #expect(session.providerToken?.exposed == "provider-token")
            #expect(session.providerRefreshToken == nil)
            let id = try #require(session.sessionID)
            #expect(try await world.store.reader.amrClaims(of: id).map(\.method) == ["email/signup"])
            #expect(
                await failure { () throws(AuthError) in try await exchange(world, "code", Self.verifier) }
                    == .flowStateNotFound)
        }
    }

    @Test("refusals")
    func refusals() async throws {
        try await inWorld { world in
            let user = try await world.account()
            try await begin(world, user.id)
            try await begin(world, nil, code: "orphan")
            func reason(_ code: String, _ verifier: String = PKCEExchangeTests.verifier) async -> AuthError.Reason? {
                await failure { () throws(AuthError) in try await exchange(world, code, verifier) }
            }
            #expect(await reason("", "x") == .exchangeIncomplete)
            #expect(await reason("x", "") == .exchangeIncomplete)
            #expect(await reason("unknown") == .flowStateNotFound)
            #expect(await reason("co\0de") == .flowStateNotFound)
            #expect(await reason("orphan") == .flowStateNotFound)
            _ = try await world.update(user.id) { $0.banDuration = "1m" }
            #expect(await reason("code") == .userBanned)
            world.clock.advance(by: .seconds(301))
            #expect(await reason("code") == .flowStateExpired)
        }
    }

    @Test("one code exchanged many times at once gives one session")
    func race() async throws {
        try await inWorld { world in
            let user = try await world.account()
            try await begin(world, user.id)
            let granted = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await failure { () throws(AuthError) in
                            try await exchange(world, "code", Self.verifier)
                        } == nil
                    }
                }
                var count = 0
                for await isGranted in group where isGranted { count += 1 }
                return count
            }
            #expect(granted == 1)
            #expect(try await world.store.reader.sessions(of: user.id).count == 1)
        }
    }
}
