public import Backend
import Bytes
import Crypto
import Store

extension InProcessBackend {
    /// Exchanges a PKCE code for a session, once. Source: supabase-core.md 10.3.3, RFC 7636 4.6.
    ///
    /// - Throws: `exchangeIncomplete`, `flowStateNotFound`, `flowStateExpired`, `codeVerifierMismatch`, `userBanned`.
    public func exchange(_ exchange: PKCEExchange, _ context: RequestContext) async throws(AuthError) -> Session {
        let code = exchange.authCode.exposed
        guard !code.isEmpty, !exchange.codeVerifier.isEmpty else { throw AuthError(.exchangeIncomplete) }
        guard !code.utf8.contains(0) else { throw AuthError(.flowStateNotFound) }
        let (flow, opened) = try await transaction { tx -> (FlowStateRow, OpenedSession) in
            let now = self.clock.now()
            guard let flow = try await tx.flowState(authCode: code), let userID = flow.userID else {
                throw AuthError(.flowStateNotFound)
            }
            guard !Self.isExpired(flow, self.policy, now) else { throw AuthError(.flowStateExpired) }
            guard Self.verifies(exchange.codeVerifier, flow) else { throw AuthError(.codeVerifierMismatch) }
            guard let user = try await tx.user(userID) else { throw AuthError(.flowStateNotFound) }
            if let bannedUntil = user.bannedUntil, now < bannedUntil { throw AuthError(.userBanned) }
            // Whoever deletes the row has the grant: exactly one caller.
            guard try await tx.delete(flowState: flow.id) else { throw AuthError(.flowStateNotFound) }
            try await self.audit(
                .login, by: AuditActor(user), [("provider_type", flow.providerType)], at: now, in: tx)
            let opened = try await self.openSession(for: user, method: flow.authenticationMethod, context, in: tx)
            return (flow, opened)
        }
        var session = try await issueReloaded(opened)
        if !flow.providerAccessToken.isEmpty { session.providerToken = RawToken(flow.providerAccessToken) }
        if !flow.providerRefreshToken.isEmpty { session.providerRefreshToken = RawToken(flow.providerRefreshToken) }
        return session
    }

    /// A magic link's flow begins when the link is opened, any other with its row.
    static func isExpired(_ flow: FlowStateRow, _ policy: Policy, _ now: Timestamp) -> Bool {
        let begin = flow.authenticationMethod == "magiclink" ? flow.authCodeIssuedAt ?? flow.createdAt : flow.createdAt
        return begin + policy.flowStateLifetime < now
    }

    static func verifies(_ verifier: RawToken, _ flow: FlowStateRow) -> Bool {
        guard let challenge = flow.codeChallenge, !challenge.isEmpty else { return false }
        switch flow.codeChallengeMethod {
        case "s256":
            return ConstantTime.equals(Base64.encodeURL(SHA.sha256(Array(verifier.exposed.utf8))), challenge)
        case "plain": return ConstantTime.equals(verifier.exposed, challenge)
        default: return false
        }
    }
}
