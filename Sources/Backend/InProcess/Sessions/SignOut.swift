public import Backend
import Bytes
import Store

extension InProcessBackend {
    /// Ends sessions. Source: supabase-core.md 10.11, FR-02.
    ///
    /// A token without a session ends all of the account's, whatever the scope.
    public func signOut(
        _ scope: SignOutScope, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) {
        guard let userID = principal.userID else { throw AuthError(.subjectMissing) }
        let sessionID = principal.sessionID
        try await transaction { tx in
            guard let user = try await tx.user(userID) else { throw AuthError(.subjectUnknown) }
            try await self.audit(.logout, by: AuditActor(user), at: self.clock.now(), in: tx)
            switch (scope, sessionID) {
            case (.global, _), (_, nil): try await tx.deleteSessions(of: userID, except: nil)
            case (.local, let session?): try await tx.delete(session: session)
            case (.others, let session?): try await tx.deleteSessions(of: userID, except: session)
            }
        }
    }
}
