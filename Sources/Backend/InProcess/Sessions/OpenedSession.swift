import Backend
import Bytes
import Store

/// A session whose rows are written, before its access token is made.
final class OpenedSession: Sendable {
    let session: SessionRow
    let refreshToken: String
    /// The account's row after the sign-in.
    let user: UserRow
    /// Newest first; nil when they are still to be read, after the transaction.
    let amr: [AMRClaimRow]?

    init(session: SessionRow, refreshToken: String, user: UserRow, amr: [AMRClaimRow]?) {
        self.session = session
        self.refreshToken = refreshToken
        self.user = user
        self.amr = amr
    }
}

extension InProcessBackend {
    /// Writes the rows of a sign-in. Source: supabase-core.md 7.1.
    ///
    /// - Parameter method: what is written to `amr`, for instance `password` or `otp`.
    func openSession(
        for user: UserRow, method: String, _ context: RequestContext, in tx: any StoreTransaction
    ) async throws -> OpenedSession {
        let now = clock.now()
        var user = user
        user.lastSignInAt = now
        user.updatedAt = now
        try await tx.update(user, .lastSignInAt)

        var session = SessionRow(id: SessionID(newUUID()), userID: user.id, createdAt: now)
        session.userAgent = context.userAgent
        session.ip = context.clientAddress
        let token: String
        if policy.issuesCounterTokens {
            session.beginCounter(random)
            guard let key = try session.counterKey() else { throw AuthError(.unexpected, detail: "a counter's key") }
            token = try session.counterToken(key)
            try await tx.insert(session)
        } else {
            token = RefreshTokenFormat.classic(random)
            try await tx.insert(session)
            try await tx.insert(
                RefreshTokenRow(token: token, userID: user.id, parent: nil, sessionID: session.id, createdAt: now))
        }
        try await tx.upsertAMRClaim(session: session.id, method: method, at: now)
        let claim = AMRClaimRow(method: method, createdAt: now, updatedAt: now)
        return OpenedSession(session: session, refreshToken: token, user: user, amr: [claim])
    }

    /// Makes the access token of a session and puts the answer together; no row is touched.
    ///
    /// - Parameter user: the account as the answer shows it; the claims are taken from it.
    func issue(_ opened: OpenedSession, for user: User) throws(AuthError) -> Session {
        let issuedAt = clock.now().wholeSeconds
        var expiresAt = issuedAt + policy.accessTokenLifetime
        let hasVerifiedFactor = user.factors.contains { $0.status == "verified" }
        if let limit = policy.sessionsAllowLowAAL, hasVerifiedFactor, opened.session.aal != "aal2" {
            expiresAt = min(expiresAt, opened.session.createdAt + limit)
        }
        let claims = AccessTokenClaims.write(
            user: user, session: opened.session, amr: opened.amr ?? [], issuer: policy.issuer, issuedAt: issuedAt,
            expiresAt: expiresAt)
        let token = try tokens.sign(claims)
        let seconds = expiresAt.unixSeconds &- issuedAt.unixSeconds
        return Session(
            accessToken: token, refreshToken: RawToken(opened.refreshToken),
            expiresIn: Int(truncatingIfNeeded: max(seconds, 0)), expiresAt: expiresAt, user: user,
            sessionID: opened.session.id)
    }

    /// Reads the account anew on the caller's own loop, as the answer to a grant shows it, and issues the tokens.
    func issueReloaded(_ opened: OpenedSession) async throws(AuthError) -> Session {
        let (rows, amr) = try await read { reader in
            let rows = try await reader.account(opened.user.id, session: nil)
            if let amr = opened.amr { return (rows, amr) }
            return (rows, try await reader.amrClaims(of: opened.session.id))
        }
        // An account that was deleted meanwhile is answered as it was: its tokens are good for nothing.
        let user = rows.map { User($0) } ?? User(row: opened.user, identities: [], factors: [])
        let complete = OpenedSession(
            session: opened.session, refreshToken: opened.refreshToken, user: opened.user, amr: amr)
        return try issue(complete, for: user)
    }
}
