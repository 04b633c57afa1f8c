import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@Suite struct OutboxTests {
    private let fixtures = Fixtures()

    @Test("due messages are taken oldest first, once until their time is over") func outbox() async throws {
        try await TemporaryStore.use { store in
            let time = fixtures.clock.now()
            let message = OutboxRow(
                channel: "email", recipient: "a@example.com", payload: .emptyObject, createdAt: time)
            var later = message
            later.nextTryAt = time + .seconds(60)
            let waiting = later
            let (first, second) = try await store.transaction { transaction in
                let first = try await transaction.insert(message)
                let second = try await transaction.insert(message)
                try await transaction.insert(waiting)
                return (first, second)
            }
            let until = time + .seconds(30)
            let taken = try await store.transaction {
                try await $0.takeDueOutbox(at: time, until: until, limit: 10)
            }
            #expect(taken.map(\.id) == [first, second])
            let none = try await store.transaction {
                try await $0.takeDueOutbox(at: time + .seconds(29), until: until, limit: 10)
            }
            #expect(none.isEmpty)
            try await store.write {
                try await $0.delete(outbox: first)
                try await $0.postpone(outbox: second, to: time + .seconds(40), tries: 3)
            }
            let retried = try await store.transaction {
                try await $0.takeDueOutbox(at: time + .seconds(40), until: time + .seconds(90), limit: 10)
            }
            #expect(retried.map(\.id) == [second])
            #expect(retried.first?.tries == 3)
        }
    }

    @Test("the inbox keeps the newest messages, and finds those to one address") func inbox() async throws {
        try await TemporaryStore.use { store in
            let time = fixtures.clock.now()
            try await store.write { transaction in
                for number in 0..<10 {
                    let row = InboxRow(
                        channel: "email", recipient: number % 2 == 0 ? "a@example.com" : "b@example.com",
                        sender: "x@example.com", subject: "\(number)", html: "<p>", text: "t", code: "123456",
                        link: nil, createdAt: time)
                    try await transaction.insert(row, keeping: 4)
                }
            }
            let all = try await store.reader.inbox(to: nil, limit: 100)
            #expect(all.map(\.subject) == ["9", "8", "7", "6"])
            #expect(all.first?.code == "123456")
            #expect(all.first?.link == nil)
            #expect(try await store.reader.inbox(to: "a@example.com", limit: 1).map(\.subject) == ["8"])
            #expect(try await store.reader.inbox(to: "c@example.com", limit: 5).isEmpty)
            #expect(try await store.reader.inbox(to: nil, limit: -1).isEmpty)
        }
    }

    @Test("the audit log takes entries") func audit() async throws {
        try await TemporaryStore.use { store in
            let row = AuditRow(id: fixtures.uuid(), payload: .emptyObject, createdAt: fixtures.clock.now())
            try await store.write { try await $0.insert(row) }
        }
    }

    @Test("the clean-up deletes what is old, up to its limit, and nothing else") func cleanUp() async throws {
        try await TemporaryStore.use { store in
            let time = fixtures.clock.now()
            let user = fixtures.user("a@example.com")
            var anonymous = fixtures.user()
            anonymous.isAnonymous = true
            let guest = anonymous
            var ended = fixtures.session(of: user.id)
            ended.notAfter = time
            let old = ended
            let fresh = fixtures.session(of: user.id)
            let tokens = (0..<5).map { fixtures.refreshToken("t\($0)", of: fresh) }
            let last = fixtures.refreshToken("last", of: old)
            let flow = FlowStateRow(
                id: FlowStateID(fixtures.uuid()), providerType: "email", authenticationMethod: "otp", createdAt: time)
            try await store.write { transaction in
                for row in [user, guest] { try await transaction.insert(row) }
                for row in [old, fresh] { try await transaction.insert(row) }
                for row in tokens + [last] { try await transaction.insert(row) }
                try await transaction.revokeRefreshTokens(of: fresh.id, at: time)
                try await transaction.insert(flow)
            }
            func clean(_ step: CleanUpStep, _ time: Timestamp, _ limit: Int = 100) async throws -> Int {
                try await store.transaction { try await $0.cleanUp(step, before: time, limit: limit) }
            }
            for step in CleanUpStep.allCases { #expect(try await clean(step, time) == 0, "\(step)") }
            let after = time + .seconds(1)
            #expect(try await clean(.revokedRefreshTokens, after, 3) == 3)
            #expect(try await clean(.revokedRefreshTokens, after) == 2)
            #expect(try await clean(.refreshTokensOfEndedSessions, after) == 1)
            #expect(try await store.reader.refreshToken("last")?.isRevoked == true)
            #expect(try await clean(.endedSessions, after) == 1)
            #expect(try await store.reader.sessions(of: user.id).map(\.id) == [fresh.id])
            #expect(try await clean(.flowStates, after) == 1)
            #expect(try await clean(.challenges, after) == 0)
            #expect(try await clean(.unverifiedFactors, after) == 0)
            #expect(try await clean(.anonymousUsers, after) == 1)
            #expect(try await store.reader.user(user.id) != nil)
            #expect(try await store.reader.user(guest.id) == nil)
        }
    }
}
