public import Backend
import Bytes
import Store

extension InProcessBackend {
    /// How often a refresh begins anew after another one took its token first.
    static let refreshTriesMax = 5

    /// What a refresh leaves behind: tokens, or a refusal whose traces are kept.
    enum RefreshOutcome: Sendable {
        case opened(OpenedSession, AccountRows)
        case refused(AuthError.Reason)
    }

    /// Exchanges a refresh token of either form for new tokens. Source: supabase-core.md 7.2 to 7.4, 10.3.2; FR-01.
    ///
    /// - Throws: `refreshTokenMalformed`, `refreshTokenNotFound`, `refreshUserBanned`, `refreshSessionMissing`,
    ///   `refreshSessionExpired`, `refreshSessionInactive`, `refreshSessionLowAAL`, `refreshSessionRevokedByNewer`,
    ///   `refreshTokenNotIssuedHere`, `refreshTokenAlreadyUsed`, `refreshConflict`. A failing store is `unexpected` or
    ///   `unavailable`, never one of these: they end the client's session.
    public func refresh(_ refreshToken: RawToken, _ context: RequestContext) async throws(AuthError) -> Session {
        guard let format = RefreshTokenFormat(refreshToken.exposed) else { throw AuthError(.refreshTokenMalformed) }
        let outcome = try await transaction { tx in
            switch format {
            case .classic(let token): try await self.refresh(token, context, in: tx)
            case .counter(let token): try await self.refresh(token, context, in: tx)
            }
        }
        switch outcome {
        case .opened(let opened, let account): return try issue(opened, for: User(account))
        case .refused(let reason): throw AuthError(reason)
        }
    }

    private func refresh(
        _ token: String, _ context: RequestContext, in tx: any StoreTransaction
    ) async throws -> RefreshOutcome {
        for _ in 0..<Self.refreshTriesMax {
            guard let target = try await tx.refreshTarget(token), let account = target.account else {
                return .refused(.refreshTokenNotFound)
            }
            let presented = target.token
            let now = clock.now()
            if let bannedUntil = account.user.bannedUntil, now < bannedUntil { return .refused(.refreshUserBanned) }
            guard let session = account.session else {
                try await tx.delete(refreshToken: presented.id)
                return .refused(.refreshSessionMissing)
            }
            if let refusal = try await validity(of: account, presented.updatedAt, now, in: tx) {
                return .refused(refusal)
            }
            if presented.isRevoked, session.refreshTokenHMACKey != nil,
                let outcome = try await resendConverted(target, session, context, now, in: tx)
            {
                return outcome
            }
            let active = presented.isRevoked ? try await tx.activeRefreshToken(of: session.id) : nil
            let decision = RefreshDecision.decide(
                presented: presented, active: active, now: now, reuseInterval: policy.refreshReuseInterval,
                rotates: policy.rotatesRefreshTokens)
            if let outcome = try await perform(decision, target, session, context, now, in: tx) {
                return outcome
            }
        }
        return .refused(.refreshConflict)
    }

    /// Why the account's session cannot be refreshed; nil when it can.
    ///
    /// - Parameter tokenUpdatedAt: of a classic token.
    func validity(
        of account: AccountRows, _ tokenUpdatedAt: Timestamp?, _ now: Timestamp, in tx: any StoreTransaction
    ) async throws -> AuthError.Reason? {
        guard let session = account.session else { return .refreshSessionMissing }
        let hasVerifiedFactor = account.hasVerifiedFactor
        let verdict = SessionValidity.judge(
            session, tokenUpdatedAt: tokenUpdatedAt, hasVerifiedFactor: hasVerifiedFactor, policy, now)
        if let refusal = verdict.refreshRefusal { return refusal }
        guard policy.allowsSingleSessionOnly else { return nil }
        try await tx.lock(user: session.userID)
        let others = try await tx.sessions(of: session.userID).filter { $0.id != session.id }
        let isLatest = SingleSession.isLatest(
            session, tokenUpdatedAt: tokenUpdatedAt, among: others, hasVerifiedFactor: hasVerifiedFactor, policy, now)
        return isLatest ? nil : .refreshSessionRevokedByNewer
    }

    /// nil when another caller took the token first: decide again.
    private func perform(
        _ decision: RefreshDecision, _ target: RefreshTarget, _ session: SessionRow, _ context: RequestContext,
        _ now: Timestamp, in tx: any StoreTransaction
    ) async throws -> RefreshOutcome? {
        guard let account = target.account else { return .refused(.refreshTokenNotFound) }
        var user = account.user
        let token: String
        switch decision {
        case .refuse: return .refused(.refreshTokenAlreadyUsed)
        case .revokeFamily:
            try await tx.revokeRefreshTokens(of: session.id, at: now)
            return .refused(.refreshTokenAlreadyUsed)
        case .resend(let active):
            try await audit(.tokenRefreshed, by: AuditActor(user), at: now, in: tx)
            token = active
        case .rotate:
            guard try await tx.revoke(refreshToken: target.token.id, at: now) else { return nil }
            if CounterUpgrade.applies(to: session.id, policy) {
                return try await upgrade(target, session, context, now, in: tx)
            }
            token = try await insertChild(of: target.token, &user, session, now, in: tx)
        case .fork:
            token = try await insertChild(of: target.token, &user, session, now, in: tx)
        }
        let session = refreshed(session, context, now)
        try await tx.refresh(session)
        let opened = OpenedSession(session: session, refreshToken: token, user: user, amr: target.amr)
        return .opened(opened, account.with(user))
    }

    /// The session as a refresh leaves it.
    func refreshed(_ session: SessionRow, _ context: RequestContext, _ now: Timestamp) -> SessionRow {
        var session = session
        session.refreshedAt = now
        session.updatedAt = now
        session.userAgent = context.userAgent
        session.ip = context.clientAddress
        return session
    }

    private func insertChild(
        of parent: RefreshTokenRow, _ user: inout UserRow, _ session: SessionRow, _ now: Timestamp,
        in tx: any StoreTransaction
    ) async throws -> String {
        let actor = AuditActor(user)
        try await audit(.tokenRefreshed, by: actor, at: now, in: tx)
        try await audit(.tokenRevoked, by: actor, at: now, in: tx)
        let token = RefreshTokenFormat.classic(random)
        try await tx.insert(
            RefreshTokenRow(
                token: token, userID: user.id, parent: parent.token, sessionID: session.id, createdAt: now))
        // The reference writes last_sign_in_at anew with its old value, which moves updated_at.
        user.updatedAt = now
        try await tx.update(user, .lastSignInAt)
        return token
    }
}

/// One session at a time: which of a user's sessions may go on. Source: supabase-core.md 7.4 step 8.
enum SingleSession {
    /// Whether no other valid session of the same tag was refreshed later. Pure.
    static func isLatest(
        _ session: SessionRow, tokenUpdatedAt: Timestamp?, among others: [SessionRow], hasVerifiedFactor: Bool,
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
