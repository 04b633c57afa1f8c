import Backend
import Bytes
import Store

/// What a presented classic refresh token earns. Source: supabase-core.md 7.2, FR-01.
enum RefreshDecision: Equatable {
    /// Normal use: the token is spent and a child takes its place.
    case rotate
    /// The client lost our answer: the child that was never used is handed out again, however late.
    case resend(String)
    /// Used twice within the interval (two tabs): a further child, the first stays good.
    case fork
    /// Replay: every token of the session goes, and that is kept although the caller gets an error.
    case revokeFamily
    /// Replay where rotation is off.
    case refuse

    /// Pure.
    ///
    /// - Parameter active: the session's unrevoked token with the highest id; looked at for a revoked one alone.
    static func decide(
        presented: RefreshTokenRow, active: RefreshTokenRow?, now: Timestamp, reuseInterval: Duration, rotates: Bool
    ) -> RefreshDecision {
        guard presented.isRevoked else { return .rotate }
        if let active, active.parent == presented.token { return .resend(active.token) }
        // The interval runs from the first use: it does not slide (supabase-core.md 14, quirk 11). A session without
        // an active token is one whose family was revoked: nothing grows from it again, not even within the interval.
        if active != nil, now <= presented.updatedAt + reuseInterval { return .fork }
        return rotates ? .revokeFamily : .refuse
    }
}
