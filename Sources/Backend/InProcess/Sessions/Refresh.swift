public import Backend
import Bytes
import Crypto
import Store

extension InProcessBackend {
    /// How often a refresh begins anew after another one took its token first.
    private static let refreshTriesMax = 5

    /// What a refresh leaves behind: tokens, or a refusal whose traces are kept.
    private enum RefreshOutcome: Sendable {
        case opened(OpenedSession)
        case refused(AuthError.Reason)
    }

    /// Exchanges a refresh token for new tokens. Source: supabase-core.md 7.2, 7.4, 10.3.2; FR-01.
    ///
    /// - Throws: `refreshTokenMalformed`, `refreshTokenNotFound`, `refreshUserBanned`, `refreshSessionMissing`,
    ///   `refreshSessionExpired`, `refreshSessionInactive`, `refreshSessionLowAAL`, `refreshSessionRevokedByNewer`,
    ///   `refreshTokenAlreadyUsed`, `refreshConflict`. A failing store is `unexpected` or `unavailable`, never one of
    ///   these: they end the client's session.
    public func refresh(_ refreshToken: RawToken, _ context: RequestContext) async throws(AuthError) -> Session {
        guard let format = RefreshTokenFormat(refreshToken.exposed, digest: { SHA.sha256($0) }) else {
            throw AuthError(.refreshTokenMalformed)
        }
        guard case .classic(let token) = format else {
            // No session of ours has a counter key yet.
            throw AuthError(.refreshTokenNotFound)
        }
        let outcome = try await transaction { tx in
            try await self.refresh(token, context, in: tx)
        }
        switch outcome {
        case .opened(let opened): return try await issueReloaded(opened)
        case .refused(let reason): throw AuthError(reason)
        }
    }

    private func refresh(
        _ token: String, _ context: RequestContext, in tx: any StoreTransaction
    ) async throws -> RefreshOutcome {
        for _ in 0..<Self.refreshTriesMax {
            guard let presented = try await tx.refreshToken(token),
                let user = try await tx.user(presented.userID)
            else {
                return .refused(.refreshTokenNotFound)
            }
            let now = clock.now()
            if let bannedUntil = user.bannedUntil, now < bannedUntil { return .refused(.refreshUserBanned) }
            guard let sessionID = presented.sessionID, let session = try await tx.session(sessionID) else {
                try await tx.delete(refreshToken: presented.id)
                return .refused(.refreshSessionMissing)
            }
            if let refusal = try await validity(of: session, presented, now, in: tx) { return .refused(refusal) }
            let active = presented.isRevoked ? try await tx.activeRefreshToken(of: sessionID) : nil
            let decision = RefreshDecision.decide(
                presented: presented, active: active, now: now, reuseInterval: policy.refreshReuseInterval,
                rotates: policy.rotatesRefreshTokens)
            if let outcome = try await perform(decision, Presented(presented, session, user), context, now, in: tx) {
                return outcome
            }
        }
        return .refused(.refreshConflict)
    }

    /// The rows that a presented token leads to.
    private struct Presented: Sendable {
        let token: RefreshTokenRow
        let session: SessionRow
        let user: UserRow
        init(_ token: RefreshTokenRow, _ session: SessionRow, _ user: UserRow) {
            self.token = token
            self.session = session
            self.user = user
        }
    }

    private func validity(
        of session: SessionRow, _ presented: RefreshTokenRow, _ now: Timestamp, in tx: any StoreTransaction
    ) async throws -> AuthError.Reason? {
        var hasVerifiedFactor = false
        if policy.sessionsAllowLowAAL != nil {
            hasVerifiedFactor = try await tx.factors(of: session.userID).contains { $0.status == "verified" }
        }
        let verdict = SessionValidity.judge(
            session, tokenUpdatedAt: presented.updatedAt, hasVerifiedFactor: hasVerifiedFactor, policy, now)
        if let refusal = verdict.refreshRefusal { return refusal }
        guard policy.allowsSingleSessionOnly else { return nil }
        try await tx.lock(user: session.userID)
        let others = try await tx.sessions(of: session.userID).filter { $0.id != session.id }
        let isLatest = SingleSession.isLatest(
            session, tokenUpdatedAt: presented.updatedAt, among: others, hasVerifiedFactor: hasVerifiedFactor, policy,
            now)
        return isLatest ? nil : .refreshSessionRevokedByNewer
    }

    /// nil when another caller took the token first: decide again.
    private func perform(
        _ decision: RefreshDecision, _ presented: Presented, _ context: RequestContext, _ now: Timestamp,
        in tx: any StoreTransaction
    ) async throws -> RefreshOutcome? {
        let actor = AuditActor(presented.user)
        let token: String
        switch decision {
        case .refuse: return .refused(.refreshTokenAlreadyUsed)
        case .revokeFamily:
            try await tx.revokeRefreshTokens(of: presented.session.id, at: now)
            return .refused(.refreshTokenAlreadyUsed)
        case .resend(let active):
            try await audit(.tokenRefreshed, by: actor, at: now, in: tx)
            token = active
        case .rotate:
            guard try await tx.revoke(refreshToken: presented.token.id, at: now) else { return nil }
            token = try await insertChild(of: presented, actor, now, in: tx)
        case .fork:
            token = try await insertChild(of: presented, actor, now, in: tx)
        }
        var session = presented.session
        session.refreshedAt = now
        session.updatedAt = now
        session.userAgent = context.userAgent
        session.ip = context.clientAddress
        try await tx.refresh(session)
        return .opened(OpenedSession(session: session, refreshToken: token, user: presented.user, amr: nil))
    }

    private func insertChild(
        of presented: Presented, _ actor: AuditActor, _ now: Timestamp, in tx: any StoreTransaction
    ) async throws -> String {
        try await audit(.tokenRefreshed, by: actor, at: now, in: tx)
        try await audit(.tokenRevoked, by: actor, at: now, in: tx)
        let token = RefreshTokenFormat.classic(random)
        try await tx.insert(
            RefreshTokenRow(
                token: token, userID: presented.user.id, parent: presented.token.token,
                sessionID: presented.session.id, createdAt: now))
        // The reference writes last_sign_in_at anew with its old value, which moves updated_at.
        var user = presented.user
        user.updatedAt = now
        try await tx.update(user, .lastSignInAt)
        return token
    }
}

/// One session at a time: which of a user's sessions may go on. Source: supabase-core.md 7.4 step 8.
enum SingleSession {
    /// Whether no other valid session of the same tag was refreshed later. Pure.
    static func isLatest(
        _ session: SessionRow, tokenUpdatedAt: Timestamp, among others: [SessionRow], hasVerifiedFactor: Bool,
        _ policy: Policy, _ now: Timestamp
    ) -> Bool {
        let tag = effectiveTag(session.tag, policy)
        let ours = SessionValidity.lastRefresh(session, tokenUpdatedAt)
        return !others.contains { other in
            effectiveTag(other.tag, policy) == tag
                && SessionValidity.judge(
                    other, tokenUpdatedAt: nil, hasVerifiedFactor: hasVerifiedFactor, policy, now) == .valid
                && SessionValidity.lastRefresh(other, nil) > ours
        }
    }

    /// An unknown or missing tag counts as the first one.
    static func effectiveTag(_ tag: String?, _ policy: Policy) -> String? {
        guard let tag, policy.sessionTags.contains(tag) else { return policy.sessionTags.first }
        return tag
    }
}
