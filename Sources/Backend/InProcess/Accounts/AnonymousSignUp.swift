public import Backend
import Bytes
public import JSON
import Store

extension InProcessBackend {
    /// Makes an account without an address and signs it in. Source: supabase-core.md 10.1 "Anonymous path".
    ///
    /// - Throws: `anonymousSignInsDisabled`, `signUpDisabled`, `textHasNUL`, `userMetadataTooLarge`.
    public func signUpAnonymously(
        _ userMetadata: JSONObject?, _ context: RequestContext
    ) async throws(AuthError) -> Session {
        guard policy.areAnonymousSignInsEnabled else { throw AuthError(.anonymousSignInsDisabled) }
        guard !policy.isSignUpDisabled else { throw AuthError(.signUpDisabled) }
        let audience = try audience(context)
        try Metadata.check(userMetadata)
        let metadata = userMetadata.map { JSONText($0) } ?? .emptyObject
        try Metadata.checkSize(metadata, policy)
        let opened = try await transaction { tx -> OpenedSession in
            let id = UserID(self.newUUID())
            var user = UserRow(id: id, audience: audience, role: self.policy.defaultRole, createdAt: self.clock.now())
            user.isAnonymous = true
            user.userMetadata = metadata
            try await tx.insert(user)
            return try await self.openSession(for: user, method: "anonymous", context, in: tx)
        }
        return try issue(opened, for: User(row: opened.user, identities: [], factors: []))
    }
}
