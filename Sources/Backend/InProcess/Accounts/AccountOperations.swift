public import Backend

extension InProcessBackend {
    public func update(
        _ update: UpdateUser, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        throw AuthError(.notSupported)
    }
}
