public import Backend

extension InProcessBackend {
    public func update(
        _ update: UpdateUser, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        throw AuthError(.notSupported)
    }

    public func verify(
        _ verification: Verification, _ context: RequestContext
    ) async throws(AuthError) -> VerificationOutcome {
        throw AuthError(.notSupported)
    }

    public func openLink(_ link: LinkVerification, _ context: RequestContext) async throws(AuthError) -> LinkOutcome {
        throw AuthError(.notSupported)
    }
}
