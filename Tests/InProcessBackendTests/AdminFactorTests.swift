import Backend
import Bytes
import Store
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Administration of factors")
struct AdminFactorTests {
    private static let root = TestWorld.root
    private static let visitor = TestWorld.visitor

    private func factor(
        _ type: String, of user: UserID, name: String = "", phone: String? = nil, in world: TestWorld
    ) async throws -> FactorID {
        var row = FactorRow(
            id: FactorID(UUID(random: SystemRandom())), userID: user, type: type, status: "verified",
            createdAt: world.clock.now())
        row.friendlyName = name
        row.phone = phone
        world.clock.advance(by: .seconds(1))
        let inserted = row
        try await world.store.transaction { try await $0.insert(inserted) }
        return row.id
    }

    @Test("factors are listed in order of creation; an unknown user has none to list")
    func list() async throws {
        try await inWorld { world in
            let user = try await world.account()
            #expect(try await world.backend.adminFactors(user.id, Self.root, Self.visitor).isEmpty)
            let first = try await factor("totp", of: user.id, name: "a", in: world)
            let second = try await factor("phone", of: user.id, phone: "15550001111", in: world)
            let listed = try await world.backend.adminFactors(user.id, Self.root, Self.visitor)
            #expect(listed.map(\.id) == [first, second])
            #expect(
                await failure { () throws(AuthError) in
                    try await world.backend.adminFactors(UserID(.zero), Self.root, Self.visitor)
                } == .userNotFound)
        }
    }

    @Test("a name is changed when one is given, a number of phone factors only, and neither twice in an account")
    func update() async throws {
        try await inWorld { world in
            let user = try await world.account()
            let other = try await world.account("bob@example.com")
            let app = try await factor("totp", of: user.id, name: "app", in: world)
            let phone = try await factor("phone", of: user.id, name: "phone", phone: "15550001111", in: world)
            let second = try await factor("phone", of: user.id, phone: "15550002222", in: world)
            func change(
                _ id: FactorID, of owner: UserID? = nil, name: String? = nil, phone: String? = nil
            ) async throws(AuthError) -> Factor {
                try await world.backend.adminUpdateFactor(
                    id, of: owner ?? user.id, AdminFactorAttributes(friendlyName: name, phone: phone), Self.root,
                    Self.visitor)
            }
            func refusal(
                _ id: FactorID, of owner: UserID? = nil, name: String? = nil, phone: String? = nil
            ) async -> AuthError.Reason? {
                await failure { () throws(AuthError) in try await change(id, of: owner, name: name, phone: phone) }
            }
            #expect(try await change(app, name: "renamed").friendlyName == "renamed")
            #expect(try await change(app, name: "", phone: "bad").friendlyName == "renamed")
            #expect(try await change(app, phone: "15550003333").phone == nil)
            #expect(try await change(phone, phone: "+1 555 000 4444").phone == "15550004444")
            #expect(await refusal(phone, phone: "bad") == .phoneMalformed)
            #expect(await refusal(phone, name: "renamed") == .factorNameTaken)
            #expect(await refusal(phone, phone: "15550002222") == .factorPhoneTaken)
            #expect(await refusal(second, name: "nul\0") == .textHasNUL)
            #expect(await refusal(app, of: other.id, name: "x") == .factorNotFound)
            #expect(await refusal(app, of: UserID(.zero), name: "x") == .userNotFound)
            #expect(await refusal(FactorID(.zero), name: "x") == .factorNotFound)
        }
    }

    @Test("with a factor goes what it raised: level, claim, and the factor of the session")
    func delete() async throws {
        try await inWorld { world in
            let user = try await world.account()
            let app = try await factor("totp", of: user.id, in: world)
            let raised = try #require(try await world.signIn().sessionID)
            let plain = try #require(try await world.signIn().sessionID)
            let now = world.clock.now()
            try await world.store.transaction { tx in
                guard var session = try await tx.session(raised) else { return }
                session.aal = "aal2"
                session.factorID = app
                try await tx.update(session)
                for id in [raised, plain] { try await tx.upsertAMRClaim(session: id, method: "totp", at: now) }
            }
            let gone = try await world.backend.adminDeleteFactor(app, of: user.id, Self.root, Self.visitor)
            #expect(gone.id == app)
            let session = try #require(try await world.store.reader.session(raised))
            #expect(session.aal == "aal1")
            #expect(session.factorID == nil)
            #expect(try await world.store.reader.amrClaims(of: raised).map(\.method) == ["password"])
            #expect(try await world.store.reader.amrClaims(of: plain).count == 2)
            #expect(try await world.store.reader.factors(of: user.id).isEmpty)
            #expect(
                await failure { () throws(AuthError) in
                    try await world.backend.adminDeleteFactor(app, of: user.id, Self.root, Self.visitor)
                } == .factorNotFound)
        }
    }
}

@Suite("Lists of users by cursor")
struct UserCursorTests {
    @Test("pages follow each other by cursor where that is on, and by number as soon as one is asked for")
    func walk() async throws {
        try await inWorld(.supabase, { $0.pagesByCursor = true }) { world in
            var made: [UserID] = []
            for number in 0..<5 {
                made.append(try await world.account("u\(number)@example.com").id)
                world.clock.advance(by: .seconds(1))
            }
            var query = UserListQuery()
            query.limit = "2"
            var seen: [UserID] = []
            repeat {
                let page = try await world.backend.adminUsers(query, TestWorld.root, TestWorld.visitor)
                seen += page.users.map(\.id)
                query.cursor = try #require(page.cursor).next
            } while query.cursor != nil
            #expect(seen == made.reversed())
            query.page = "1"
            let numbered = try await world.backend.adminUsers(query, TestWorld.root, TestWorld.visitor)
            #expect(numbered.cursor == nil)
            #expect(numbered.total == 5)
        }
        try await inWorld { world in
            var query = UserListQuery()
            query.cursor = "!!"
            let page = try await world.backend.adminUsers(query, TestWorld.root, TestWorld.visitor)
            #expect(page.cursor == nil)
        }
    }
}
