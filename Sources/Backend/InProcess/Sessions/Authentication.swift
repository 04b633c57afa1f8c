public import Backend
import Bytes
import Store

extension InProcessBackend {
    /// Judges the caller's bearer. Source: supabase-core.md 5, supabase-admin.md 2.
    ///
    /// - Throws: `bearerMissing`, `tokenInvalid`, `subjectMissing`, `subjectNotUUID`, `subjectUnknown`,
    ///   `sessionIDNotUUID`, `sessionUnknown`, `userBanned`; of administrators also `sessionNoLongerValid`,
    ///   `notAdministrator`.
    public func authenticate(
        _ context: RequestContext, as level: AccessLevel
    ) async throws(AuthError) -> Principal {
        guard let bearer = context.bearer else { return try authenticateKey(context.keyRole, as: level) }
        let now = clock.now()
        if let known = accounts.find(bearer) {
            try checkTimes(known.claims, level, now)
            if isCurrent(known) { return try principal(known, level, now) }
            return try principal(await load(bearer, known.claims, level), level, now)
        }
        let claims = try tokens.verify(bearer, now)
        try checkTimes(claims, level, now)
        return try principal(await load(bearer, claims, level), level, now)
    }

    /// A caller without a token of its own: only a key of the service role can stand in for one. With any other key
    /// the answer is the one of a missing bearer, as behind the stock gateway (clients.md 2).
    private func authenticateKey(_ role: APIKeyRole, as level: AccessLevel) throws(AuthError) -> Principal {
        switch (role, level) {
        case (.none, _), (.anonymous, _), (.service, .user): throw AuthError(.bearerMissing)
        case (.service, .administrator):
            return Principal(userID: nil, sessionID: nil, tokenAudience: nil, role: "service_role")
        }
    }

    /// Whether nothing of the account changed since it was read.
    private func isCurrent(_ known: KnownToken) -> Bool {
        guard let userID = known.userID else { return true }
        guard let stamp = known.stamp, known.account != nil else { return false }
        return store.changeStamp(of: userID) == stamp
    }

    /// Times are told after the signature; a key of an administrator may live for ever. Source: supabase-core.md 6.3.
    private func checkTimes(_ claims: AccessTokenClaims, _ level: AccessLevel, _ now: Timestamp) throws(AuthError) {
        if let expiresAt = claims.expiresAt {
            guard now < expiresAt else {
                throw AuthError(.tokenInvalid, "token has invalid claims: token is expired")
            }
        } else if policy.userTokensNeedExpiry, !policy.administratorRoles.contains(claims.role) {
            throw AuthError(.tokenInvalid, "token has invalid claims: exp is required")
        }
        if let notBefore = claims.notBefore, now < notBefore {
            throw AuthError(.tokenInvalid, "token has invalid claims: token is not valid yet")
        }
    }

    /// Reads the subject's rows, checks that they are there, and remembers the token.
    private func load(
        _ bearer: RawToken, _ claims: AccessTokenClaims, _ level: AccessLevel
    ) async throws(AuthError) -> KnownToken {
        if level == .administrator, claims.sessionID.isEmpty || SessionID(claims.sessionID)?.uuid == .zero {
            let verified = KnownToken(
                token: bearer, claims: claims, userID: nil, sessionID: nil, account: nil, stamp: nil)
            // A user's own token without a session is no administrator's key: the slot is left to its account.
            if claims.subject.isEmpty { accounts.insert(verified) }
            return verified
        }
        guard !claims.subject.isEmpty else { throw AuthError(.subjectMissing) }
        guard let userID = UserID(claims.subject) else { throw AuthError(.subjectNotUUID) }
        let sessionID = SessionID(claims.sessionID).flatMap { $0.uuid == .zero ? nil : $0 }
        // The stamp is taken before the rows: a change in between makes it old at once.
        let stamp = store.changeStamp(of: userID)
        let rows = try await read { try await $0.account(userID, session: sessionID) }
        guard let rows else { throw AuthError(.subjectUnknown) }
        if !claims.sessionID.isEmpty {
            guard SessionID(claims.sessionID) != nil else { throw AuthError(.sessionIDNotUUID) }
            if let sessionID, rows.session?.id != sessionID || rows.session?.userID != userID {
                throw AuthError(.sessionUnknown)
            }
        }
        let verified = KnownToken(
            token: bearer, claims: claims, userID: userID, sessionID: sessionID, account: AccountSnapshot(rows),
            stamp: stamp)
        accounts.insert(verified)
        return verified
    }

    /// Keeps the rows that a transaction left for the caller's next call, if it is all that happened to the account
    /// since the caller's token was judged.
    func remember(_ account: AccountSnapshot, for principal: Principal) {
        guard let known = principal.backendState as? KnownToken, let userID = known.userID, let before = known.stamp,
            store.changeStamp(of: userID) == before &+ 1
        else { return }
        accounts.insert(
            KnownToken(
                token: known.token, claims: known.claims, userID: userID, sessionID: known.sessionID,
                account: account, stamp: before &+ 1))
    }

    /// What the token's account and role allow, as of now.
    private func principal(
        _ known: KnownToken, _ level: AccessLevel, _ now: Timestamp
    ) throws(AuthError) -> Principal {
        switch level {
        case .user:
            guard let account = known.account else { throw AuthError(.subjectMissing) }
            if let bannedUntil = account.rows.user.bannedUntil, now < bannedUntil { throw AuthError(.userBanned) }
        case .administrator:
            // Bans are not looked at here; the session, when there is one, must still be good.
            if let rows = known.account?.rows, let session = rows.session {
                let verdict = SessionValidity.judge(
                    session, tokenUpdatedAt: nil, hasVerifiedFactor: rows.hasVerifiedFactor, policy, now)
                guard verdict == .valid else { throw AuthError(.sessionNoLongerValid) }
            }
            guard policy.administratorRoles.contains(known.claims.role) else { throw AuthError(.notAdministrator) }
        }
        return Principal(
            userID: known.userID, sessionID: known.sessionID, tokenAudience: known.claims.audience,
            role: known.claims.role, backendState: known)
    }

    /// Which users the request is about. Source: supabase-core.md 5 "Request audience", deviations.md.
    ///
    /// - Parameter principal: nil on endpoints that look at no bearer.
    /// - Throws: `audienceTooLong`, `audienceMismatch` (the header names one that the settings do not allow).
    func audience(_ context: RequestContext, _ principal: Principal? = nil) throws(AuthError) -> String {
        if let requested = context.requestedAudience, !requested.isEmpty {
            guard requested.utf8.count <= AuthLimits.shortTextBytesMax else { throw AuthError(.audienceTooLong) }
            if let allowed = policy.allowedAudiences, requested != policy.audience, !allowed.contains(requested) {
                throw AuthError(.audienceMismatch)
            }
            return requested
        }
        if let principal, !policy.administratorRoles.contains(principal.role) {
            return principal.tokenAudience ?? policy.audience
        }
        return policy.audience
    }

    /// The account of a token that was checked before; faults and unusual audiences are left to the long way.
    public func userAtOnce(_ bearer: Span<UInt8>) -> SharedUser? {
        guard let known = accounts.find(bearer), let account = known.account,
            let expiresAt = known.claims.expiresAt, known.claims.audience == policy.audience, isCurrent(known)
        else { return nil }
        let now = clock.now()
        guard now < expiresAt else { return nil }
        if let notBefore = known.claims.notBefore, now < notBefore { return nil }
        if let bannedUntil = account.bannedUntil, now < bannedUntil { return nil }
        return account.shared
    }

    /// The caller's own account, from the snapshot that the check of the bearer made. Source: supabase-core.md 10.12.
    public func user(_ principal: Principal, _ context: RequestContext) async throws(AuthError) -> User {
        guard let userID = principal.userID else { throw AuthError(.subjectMissing) }
        if context.requestedAudience != nil || principal.tokenAudience != policy.audience {
            guard try audience(context, principal) == principal.tokenAudience ?? "" else {
                throw AuthError(.audienceMismatch)
            }
        }
        if let account = (principal.backendState as? KnownToken)?.account { return account.user }
        let rows = try await read { try await $0.account(userID, session: nil) }
        guard let rows else { throw AuthError(.subjectUnknown) }
        return User(rows)
    }
}

/// Limits of texts that come from outside.
enum AuthLimits {
    /// Bytes of `aud` and `role` (columns of 255 characters).
    static let shortTextBytesMax = 255
}

extension AccountRows {
    /// Whether a second factor could lift this account's sessions.
    var hasVerifiedFactor: Bool { factors.contains { $0.status == "verified" } }
}
