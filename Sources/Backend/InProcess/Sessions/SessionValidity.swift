import Backend
import Bytes
import Store

/// Whether a session may still be refreshed, or act for an administrator. Source: supabase-core.md 7.4.
enum SessionValidity: Equatable {
    case valid
    /// Past `not_after` or the timebox.
    case expired
    case inactive
    /// The user has a second factor and did not use it in time.
    case lowAAL

    /// Pure; the checks in the reference's order.
    ///
    /// - Parameter tokenUpdatedAt: when the presented classic refresh token was last written, for sessions that were
    ///   never refreshed.
    static func judge(
        _ session: SessionRow, tokenUpdatedAt: Timestamp?, hasVerifiedFactor: Bool, _ policy: Policy, _ now: Timestamp
    ) -> SessionValidity {
        if let notAfter = session.notAfter, notAfter < now { return .expired }
        if let timebox = policy.sessionTimebox, session.createdAt + timebox < now { return .expired }
        if let limit = policy.sessionInactivity, lastRefresh(session, tokenUpdatedAt) + limit < now { return .inactive }
        if let limit = policy.sessionsAllowLowAAL, hasVerifiedFactor, session.aal != "aal2",
            session.createdAt + limit < now
        {
            return .lowAAL
        }
        return .valid
    }

    /// `refreshed_at`, else the token's time if that is later than the session's, else the session's beginning.
    static func lastRefresh(_ session: SessionRow, _ tokenUpdatedAt: Timestamp?) -> Timestamp {
        if let refreshedAt = session.refreshedAt { return refreshedAt }
        return max(tokenUpdatedAt ?? session.createdAt, session.createdAt)
    }

    /// What a refresh is answered; nil for a valid session.
    var refreshRefusal: AuthError.Reason? {
        switch self {
        case .valid: nil
        case .expired: .refreshSessionExpired
        case .inactive: .refreshSessionInactive
        case .lowAAL: .refreshSessionLowAAL
        }
    }
}
