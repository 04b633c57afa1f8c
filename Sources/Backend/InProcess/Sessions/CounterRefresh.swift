import Backend
import Bytes
import Crypto
import Store

extension InProcessBackend {
    /// Exchanges a counter token. Source: supabase-core.md 7.3, 7.4; FR-01.
    func refresh(
        _ token: CounterToken, _ context: RequestContext, in tx: any StoreTransaction
    ) async throws -> RefreshOutcome {
        for _ in 0..<Self.refreshTriesMax {
            let id = SessionID(token.session)
            guard let owner = try await tx.session(id), let key = try owner.counterKey(), token.isGenuine(key),
                let account = try await tx.account(owner.userID, session: id), let session = account.session
            else {
                return .refused(.refreshTokenNotFound)
            }
            let now = clock.now()
            if let bannedUntil = account.user.bannedUntil, now < bannedUntil { return .refused(.refreshUserBanned) }
            if let refusal = try await validity(of: account, nil, now, in: tx) { return .refused(refusal) }
            let decision = CounterDecision.decide(
                presented: token.counter, current: session.counter,
                lastRefresh: SessionValidity.lastRefresh(session, nil), now: now, policy)
            if let outcome = try await perform(decision, session, of: account, key, context, now, in: tx) {
                return outcome
            }
        }
        return .refused(.refreshConflict)
    }

    /// nil when another caller advanced the counter first: decide again.
    private func perform(
        _ decision: CounterDecision, _ session: SessionRow, of account: AccountRows, _ key: HMACKey,
        _ context: RequestContext, _ now: Timestamp, in tx: any StoreTransaction
    ) async throws -> RefreshOutcome? {
        var session = session
        switch decision {
        case .notIssued: return .refused(.refreshTokenNotIssuedHere)
        case .refuse: return .refused(.refreshTokenAlreadyUsed)
        case .endSession:
            try await tx.delete(session: session.id)
            return .refused(.refreshTokenAlreadyUsed)
        case .resendOld:
            // The interval runs from the last use of a token that is due: an old one does not prolong it.
            break
        case .resendLost:
            session = refreshed(session, context, now)
            try await tx.refresh(session)
        case .advance:
            let before = session.refreshTokenCounter ?? 0
            session = refreshed(session, context, now)
            session.refreshTokenCounter = before &+ 1
            guard try await tx.refresh(session, ifCounterIs: before) else { return nil }
        }
        try await audit(.tokenRefreshed, by: AuditActor(account.user), at: now, in: tx)
        let amr = try await tx.amrClaims(of: session.id)
        return .opened(try counted(session, key, of: account.user, amr), account)
    }

    /// Gives a session with classic tokens a counter; its last classic token is spent by now.
    func upgrade(
        _ target: RefreshTarget, _ session: SessionRow, _ context: RequestContext, _ now: Timestamp,
        in tx: any StoreTransaction
    ) async throws -> RefreshOutcome? {
        guard let account = target.account else { return nil }
        var session = refreshed(session, context, now)
        if let counter = session.refreshTokenCounter, try session.counterKey() != nil {
            session.refreshTokenCounter = counter &+ 1
        } else {
            session.beginCounter(random)
        }
        guard let key = try session.counterKey() else { throw AuthError(.unexpected, detail: "a counter's key") }
        try await tx.update(session)
        let actor = AuditActor(account.user)
        try await audit(.tokenRefreshed, by: actor, at: now, in: tx)
        try await audit(.tokenRevoked, by: actor, at: now, in: tx)
        return .opened(try counted(session, key, of: account.user, target.amr), account)
    }

    /// Hands the first counter token out again to a client that lost the answer in which its last classic one was
    /// exchanged for it: as long as that was never used, as among classic tokens. nil for any other token.
    func resendConverted(
        _ target: RefreshTarget, _ session: SessionRow, _ context: RequestContext, _ now: Timestamp,
        in tx: any StoreTransaction
    ) async throws -> RefreshOutcome? {
        guard let account = target.account, session.counter == 0, let key = try session.counterKey(),
            let newest = try await tx.newestRefreshToken(of: session.id), newest.isRevoked,
            newest.id == target.token.id || newest.parent == target.token.token
        else { return nil }
        let session = refreshed(session, context, now)
        try await tx.refresh(session)
        try await audit(.tokenRefreshed, by: AuditActor(account.user), at: now, in: tx)
        return .opened(try counted(session, key, of: account.user, target.amr), account)
    }

    private func counted(
        _ session: SessionRow, _ key: HMACKey, of user: UserRow, _ amr: [AMRClaimRow]
    ) throws(AuthError) -> OpenedSession {
        OpenedSession(session: session, refreshToken: try session.counterToken(key), user: user, amr: amr)
    }
}
