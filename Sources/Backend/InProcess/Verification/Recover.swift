public import Backend
import Store

extension InProcessBackend {
    /// Sends a link behind which a new password is set; an unknown address is answered alike.
    /// Source: supabase-core.md 10.6.
    ///
    /// - Throws: `sendingEmailDisabled`, `recoveryEmailMissing`, `emailTooLong`, `emailMalformed`, the faults of PKCE,
    ///   `emailNotAuthorized`, `mailNotDelivered`; unless enumeration is prevented `emailSendInterval`,
    ///   `emailSendLimit`.
    public func recover(_ recovery: Recovery, _ context: RequestContext) async throws(AuthError) {
        guard policy.isEmailEnabled else { throw AuthError(.sendingEmailDisabled) }
        guard let text = recovery.email, !text.isEmpty else { throw AuthError(.recoveryEmailMissing) }
        let email = try EmailAddress(validating: text).text
        let flow = try PKCERules.flow(recovery.pkce)
        let audience = try audience(context)
        guard !policy.preventsEnumeration || isFirstAsked([.signIn], .email(email)) else {
            return try await spendATransaction()
        }
        guard let user = try await read({ try await $0.user(email: email, audience: audience) }) else {
            if policy.preventsEnumeration { try await spendATransaction() }
            return
        }
        do throws(AuthError) {
            try await mail(.recovery, to: user, flow: flow, context)
        } catch {
            guard policy.preventsEnumeration, error.tellsAnAccount else { throw error }
            try await spendATransaction()
        }
    }
}
