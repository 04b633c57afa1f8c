public import Backend

extension InProcessBackend {
    public func sendCode(
        _ signIn: OneTimeSignIn, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt { throw AuthError(.notSupported) }
    public func sendMagicLink(_ link: MagicLink, _ context: RequestContext) async throws(AuthError) {
        throw AuthError(.notSupported)
    }
    public func recover(_ recovery: Recovery, _ context: RequestContext) async throws(AuthError) {
        throw AuthError(.notSupported)
    }
    public func resend(
        _ resend: Resend, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt { throw AuthError(.notSupported) }
    public func reauthenticate(
        _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt { throw AuthError(.notSupported) }
    public func invite(
        _ invitation: Invitation, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User { throw AuthError(.notSupported) }
    public func generateLink(
        _ request: LinkRequest, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> GeneratedLink { throw AuthError(.notSupported) }
    public func auditLog(
        _ query: AuditQuery, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> AuditPage { throw AuthError(.notSupported) }
}
