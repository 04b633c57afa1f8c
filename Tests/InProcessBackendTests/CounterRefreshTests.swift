import Backend
import Bytes
import Crypto
import Store
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Refreshing with counter tokens")
struct CounterRefreshTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let behind: Int
        var secondsSinceRefresh: Int64 = 100
        var rotates = true
        var allowsReuse = false
        let expected: CounterDecision
    }

    static let rows = [
        Row(testDescription: "ahead of what was issued", behind: -1, expected: .notIssued),
        Row(testDescription: "the newest", behind: 0, expected: .advance),
        Row(testDescription: "the one before, however late", behind: 1, expected: .resendLost),
        Row(testDescription: "two back", behind: 2, expected: .endSession),
        Row(testDescription: "two back within the interval", behind: 2, secondsSinceRefresh: 9, expected: .resendOld),
        Row(testDescription: "two back at its end", behind: 2, secondsSinceRefresh: 10, expected: .endSession),
        Row(testDescription: "far back within the interval", behind: 9, secondsSinceRefresh: 0, expected: .resendOld),
        Row(testDescription: "reuse allowed", behind: 5, allowsReuse: true, expected: .resendOld),
        Row(testDescription: "rotation off", behind: 2, rotates: false, expected: .refuse),
    ]

    @Test("table of supabase-core 7.3", arguments: rows)
    func decides(_ row: Row) {
        var policy = Policy.supabase
        policy.refreshReuseInterval = .seconds(10)
        policy.rotatesRefreshTokens = row.rotates
        policy.allowsRefreshReuse = row.allowsReuse
        let start = Timestamp(unixSeconds: 1_700_000_000)
        let decision = CounterDecision.decide(
            presented: UInt64(20 - row.behind), current: 20, lastRefresh: start,
            now: start + .seconds(row.secondsSinceRefresh), policy)
        #expect(decision == row.expected)
    }

    private func inCounterWorld(
        _ change: (inout Policy) -> Void = { _ in }, _ body: (TestWorld) async throws -> Void
    ) async throws {
        try await inWorld(
            .supabase,
            {
                $0.issuesCounterTokens = true
                change(&$0)
            },
            {
                try await $0.account()
                try await body($0)
            })
    }

    private func refusal(_ token: RawToken, in world: TestWorld) async -> AuthError.Reason? {
        await failure { () throws(AuthError) in try await world.refresh(token) }
    }

    @Test("a token counts on in the same session, and no row is written for it")
    func rotation() async throws {
        try await inCounterWorld { world in
            let first = try await world.signIn()
            world.clock.advance(by: .seconds(60))
            let second = try await world.refresh(first.refreshToken)
            #expect(second.sessionID == first.sessionID)
            #expect(second.refreshToken.exposed != first.refreshToken.exposed)
            let id = try #require(first.sessionID)
            let row = try #require(try await world.store.reader.session(id))
            #expect(row.refreshTokenCounter == 1)
            #expect(row.refreshedAt == world.clock.now())
            #expect(try await world.store.reader.newestRefreshToken(of: id) == nil)
            #expect(second.user.updatedAt == first.user.updatedAt)
        }
    }

    @Test("FR-01: a client that lost our answer gets the same token again, however late")
    func lostAnswer() async throws {
        try await inCounterWorld { world in
            let first = try await world.signIn()
            let second = try await world.refresh(first.refreshToken)
            world.clock.advance(by: .seconds(86_400))
            #expect(try await world.refresh(first.refreshToken).refreshToken.exposed == second.refreshToken.exposed)
            _ = try await world.refresh(second.refreshToken)
        }
    }

    @Test("a replay ends the session, access tokens included")
    func replay() async throws {
        try await inCounterWorld { world in
            let first = try await world.signIn()
            let second = try await world.refresh(first.refreshToken)
            let third = try await world.refresh(second.refreshToken)
            _ = try await world.authenticate(first.accessToken)
            #expect(await refusal(first.refreshToken, in: world) == .refreshTokenAlreadyUsed)
            #expect(await refusal(third.refreshToken, in: world) == .refreshTokenNotFound)
            #expect(
                await failure { () throws(AuthError) in try await world.authenticate(third.accessToken) }
                    == .sessionUnknown)
        }
    }

    @Test("an old token within the interval does not prolong it")
    func interval() async throws {
        try await inCounterWorld({ $0.refreshReuseInterval = .seconds(10) }) { world in
            let first = try await world.signIn()
            let second = try await world.refresh(first.refreshToken)
            let third = try await world.refresh(second.refreshToken)
            world.clock.advance(by: .seconds(6))
            #expect(try await world.refresh(first.refreshToken).refreshToken.exposed == third.refreshToken.exposed)
            world.clock.advance(by: .seconds(6))
            #expect(await refusal(first.refreshToken, in: world) == .refreshTokenAlreadyUsed)
        }
    }

    @Test("one token used many times at once is counted once")
    func race() async throws {
        try await inCounterWorld { world in
            let first = try await world.signIn()
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<16 {
                    group.addTask { try await world.refresh(first.refreshToken).refreshToken.exposed }
                }
                var seen: Set<String> = []
                for try await token in group { seen.insert(token) }
                return seen
            }
            #expect(tokens.count == 1)
            let id = try #require(first.sessionID)
            #expect(try await world.store.reader.session(id)?.refreshTokenCounter == 1)
        }
    }

    @Test("refusals: forged, ahead, banned, session over, session gone")
    func refusals() async throws {
        try await inCounterWorld({ $0.sessionTimebox = .seconds(60) }) { world in
            let session = try await world.signIn()
            let id = try #require(session.sessionID)
            let row = try #require(try await world.store.reader.session(id))
            let key = try #require(try row.counterKey())
            let ahead = RawToken(try CounterToken(session: id.uuid, counter: 9, key: key).text)
            #expect(await refusal(ahead, in: world) == .refreshTokenNotIssuedHere)
            let forged = try CounterToken(session: id.uuid, counter: 0, key: HMACKey(random: SystemRandom()))
            #expect(await refusal(RawToken(forged.text), in: world) == .refreshTokenNotFound)
            _ = try await world.update(session.user.id) { $0.banDuration = "10s" }
            #expect(await refusal(session.refreshToken, in: world) == .refreshUserBanned)
            world.clock.advance(by: .seconds(61))
            #expect(await refusal(session.refreshToken, in: world) == .refreshSessionExpired)
            try await world.store.transaction { try await $0.delete(session: id) }
            #expect(await refusal(session.refreshToken, in: world) == .refreshTokenNotFound)
        }
    }

    @Test("a key that this version cannot read is a failure, not the end of a session")
    func encryptedKey() async throws {
        try await inCounterWorld { world in
            let session = try await world.signIn()
            let id = try #require(session.sessionID)
            try await world.store.transaction { tx in
                guard var row = try await tx.session(id) else { return }
                row.refreshTokenHMACKey = #"{"key_id":"k1","alg":"aes-gcm-hkdf","data":"","nonce":""}"#
                try await tx.update(row)
            }
            #expect(await refusal(session.refreshToken, in: world) == .unexpected)
        }
    }

    @Test("sessions of either form live on whatever new ones get")
    func bothForms() async throws {
        try await inWorld { world in
            try await world.account()
            let classic = try await world.signIn()
            let id = try #require(classic.sessionID)
            try await world.store.transaction { tx in
                guard var row = try await tx.session(id) else { return }
                row.beginCounter(SystemRandom())
                try await tx.update(row)
            }
            let row = try #require(try await world.store.reader.session(id))
            let key = try #require(try row.counterKey())
            let counted = try await world.refresh(RawToken(try row.counterToken(key)))
            #expect(counted.sessionID == id)
            #expect(try await world.refresh(classic.refreshToken).refreshToken.exposed.utf8.count == 12)
        }
        try await inCounterWorld { world in
            let user = try #require(try await world.store.reader.user(email: "alice@example.com"))
            let now = world.clock.now()
            let session = SessionRow(id: SessionID(UUID(random: SystemRandom())), userID: user.id, createdAt: now)
            try await world.store.transaction { tx in
                try await tx.insert(session)
                try await tx.insert(
                    RefreshTokenRow(
                        token: "abcdefghijkl", userID: user.id, parent: nil, sessionID: session.id, createdAt: now))
            }
            #expect(try await world.refresh(RawToken("abcdefghijkl")).refreshToken.exposed.utf8.count == 12)
        }
    }

    @Test("an upgrade gives a classic session a counter, and a lost answer is given again")
    func upgrade() async throws {
        try await inCounterWorld({ $0.counterUpgradePercentage = 100 }) { world in
            let user = try #require(try await world.store.reader.user(email: "alice@example.com"))
            let now = world.clock.now()
            let session = SessionRow(id: SessionID(UUID(random: SystemRandom())), userID: user.id, createdAt: now)
            try await world.store.transaction { tx in
                try await tx.insert(session)
                try await tx.insert(
                    RefreshTokenRow(
                        token: "abcdefghijkl", userID: user.id, parent: nil, sessionID: session.id, createdAt: now))
            }
            let classic = RawToken("abcdefghijkl")
            let first = try await world.refresh(classic)
            #expect(first.sessionID == session.id)
            #expect(try #require(CounterToken(first.refreshToken.exposed)).counter == 0)
            world.clock.advance(by: .seconds(3600))
            #expect(try await world.refresh(classic).refreshToken.exposed == first.refreshToken.exposed)
            let second = try await world.refresh(first.refreshToken)
            #expect(await refusal(classic, in: world) == .refreshTokenAlreadyUsed)
            _ = try await world.refresh(second.refreshToken)
        }
    }

    @Test("which sessions are upgraded is a matter of their ids, in the share that is set")
    func share() {
        var policy = Policy.supabase
        policy.issuesCounterTokens = true
        policy.counterUpgradePercentage = 30
        let random = SeededRandom()
        let ids = (0..<2000).map { _ in SessionID(UUID(random: random)) }
        let chosen = ids.filter { CounterUpgrade.applies(to: $0, policy) }
        #expect((450...750).contains(chosen.count))
        #expect(chosen.allSatisfy { CounterUpgrade.applies(to: $0, policy) })
        policy.counterUpgradePercentage = 100
        #expect(ids.allSatisfy { CounterUpgrade.applies(to: $0, policy) })
        policy.issuesCounterTokens = false
        #expect(!ids.contains { CounterUpgrade.applies(to: $0, policy) })
    }
}
