import Backend
import Bytes
import Store
import Testing

@testable import InProcessBackend

@Suite("What a refresh token earns")
struct RefreshDecisionTests {
    static let start = Timestamp(unixSeconds: 1_700_000_000)

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var isRevoked = true
        /// Parent of the session's active token; nil means that there is no active token.
        var activeParent: String?
        var secondsSinceUse: Int64 = 0
        var interval: Int64 = 10
        var rotates = true
        let expected: RefreshDecision
    }

    static let rows = [
        Row(testDescription: "a fresh token is spent", isRevoked: false, expected: .rotate),
        Row(
            testDescription: "a fresh token beside an active child is spent", isRevoked: false, activeParent: "other",
            expected: .rotate),
        Row(
            testDescription: "the parent of the unused child gets the child again", activeParent: "presented",
            secondsSinceUse: 5, expected: .resend("active")),
        Row(
            testDescription: "however late", activeParent: "presented", secondsSinceUse: 86_400,
            expected: .resend("active")),
        Row(
            testDescription: "also where rotation is off", activeParent: "presented", secondsSinceUse: 86_400,
            rotates: false, expected: .resend("active")),
        Row(
            testDescription: "a grandparent at the interval's last moment forks", activeParent: "child",
            secondsSinceUse: 10, expected: .fork),
        Row(
            testDescription: "a grandparent a second later is a replay", activeParent: "child", secondsSinceUse: 11,
            expected: .revokeFamily),
        Row(
            testDescription: "without an interval a grandparent is a replay", activeParent: "child",
            secondsSinceUse: 1, interval: 0, expected: .revokeFamily),
        Row(testDescription: "a replay without any active token", secondsSinceUse: 11, expected: .revokeFamily),
        Row(
            testDescription: "a revoked family grows no child within the interval", secondsSinceUse: 1,
            expected: .revokeFamily),
        Row(
            testDescription: "a replay is only refused where rotation is off", activeParent: "child",
            secondsSinceUse: 11, rotates: false, expected: .refuse),
    ]

    @Test("table of supabase-core 7.2", arguments: rows)
    func decides(_ row: Row) {
        var presented = Self.token("presented", parent: nil)
        presented.isRevoked = row.isRevoked
        let active = row.activeParent.map { Self.token("active", parent: $0) }
        let decision = RefreshDecision.decide(
            presented: presented, active: active, now: Self.start + .seconds(row.secondsSinceUse),
            reuseInterval: .seconds(row.interval), rotates: row.rotates)
        #expect(decision == row.expected)
    }

    static func token(_ text: String, parent: String?) -> RefreshTokenRow {
        RefreshTokenRow(token: text, userID: UserID(.zero), parent: parent, sessionID: nil, createdAt: start)
    }
}

@Suite("How long a session is good")
struct SessionValidityTests {
    static let start = Timestamp(unixSeconds: 1_700_000_000)

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var notAfter: Int64?
        var refreshedAt: Int64?
        var tokenUpdatedAt: Int64?
        var timebox: Int64?
        var inactivity: Int64?
        var lowAAL: Int64?
        var hasFactor = false
        var aal = "aal1"
        let now: Int64
        let expected: SessionValidity
    }

    static let rows = [
        Row(testDescription: "no limits", now: 1_000_000_000, expected: .valid),
        Row(testDescription: "not_after, at it", notAfter: 60, now: 60, expected: .valid),
        Row(testDescription: "not_after, past it", notAfter: 60, now: 61, expected: .expired),
        Row(testDescription: "timebox, at it", timebox: 60, now: 60, expected: .valid),
        Row(testDescription: "timebox, past it", timebox: 60, now: 61, expected: .expired),
        Row(testDescription: "inactive since the beginning", inactivity: 60, now: 61, expected: .inactive),
        Row(testDescription: "refreshed meanwhile", refreshedAt: 30, inactivity: 60, now: 90, expected: .valid),
        Row(testDescription: "refreshed too long ago", refreshedAt: 30, inactivity: 60, now: 91, expected: .inactive),
        Row(
            testDescription: "the token's own time counts", tokenUpdatedAt: 30, inactivity: 60, now: 90,
            expected: .valid),
        Row(
            testDescription: "a token older than its session does not", tokenUpdatedAt: -30, inactivity: 60, now: 61,
            expected: .inactive),
        Row(
            testDescription: "the timebox is told before inactivity", timebox: 60, inactivity: 60, now: 61,
            expected: .expired),
        Row(testDescription: "low AAL without a factor", lowAAL: 60, now: 61, expected: .valid),
        Row(testDescription: "low AAL with a factor", lowAAL: 60, hasFactor: true, now: 61, expected: .lowAAL),
        Row(testDescription: "low AAL in time", lowAAL: 60, hasFactor: true, now: 60, expected: .valid),
        Row(testDescription: "aal2", lowAAL: 60, hasFactor: true, aal: "aal2", now: 61, expected: .valid),
    ]

    @Test("table of supabase-core 7.4", arguments: rows)
    func judges(_ row: Row) {
        func at(_ seconds: Int64?) -> Timestamp? { seconds.map { Self.start + .seconds($0) } }
        var session = SessionRow(id: SessionID(.zero), userID: UserID(.zero), createdAt: Self.start)
        session.notAfter = at(row.notAfter)
        session.refreshedAt = at(row.refreshedAt)
        session.aal = row.aal
        var policy = Policy.supabase
        policy.sessionTimebox = row.timebox.map { .seconds($0) }
        policy.sessionInactivity = row.inactivity.map { .seconds($0) }
        policy.sessionsAllowLowAAL = row.lowAAL.map { .seconds($0) }
        let verdict = SessionValidity.judge(
            session, tokenUpdatedAt: at(row.tokenUpdatedAt), hasVerifiedFactor: row.hasFactor, policy,
            Self.start + .seconds(row.now))
        #expect(verdict == row.expected)
    }

    @Test("single session: a later refresh of the same tag wins, an ended session does not count")
    func singleSession() {
        var policy = Policy.supabase
        policy.sessionTags = ["web", "phone"]
        func session(_ created: Int64, tag: String?, refreshed: Int64? = nil, notAfter: Int64? = nil) -> SessionRow {
            var row = SessionRow(id: SessionID(.zero), userID: UserID(.zero), createdAt: Self.start + .seconds(created))
            row.tag = tag
            row.refreshedAt = refreshed.map { Self.start + .seconds($0) }
            row.notAfter = notAfter.map { Self.start + .seconds($0) }
            return row
        }
        let now = Self.start + .seconds(100)
        func isLatest(_ ours: SessionRow, _ others: [SessionRow]) -> Bool {
            SingleSession.isLatest(
                ours, tokenUpdatedAt: ours.createdAt, among: others, hasVerifiedFactor: false, policy, now)
        }
        let ours = session(10, tag: nil)
        #expect(isLatest(ours, []))
        #expect(isLatest(ours, [session(5, tag: "web")]))
        #expect(!isLatest(ours, [session(20, tag: "web")]))
        #expect(!isLatest(ours, [session(5, tag: "unknown", refreshed: 50)]))
        #expect(isLatest(ours, [session(20, tag: "phone")]))
        #expect(isLatest(ours, [session(20, tag: "web", notAfter: 30)]))
    }
}
