public import Backend
import Store

extension InProcessBackend {
    /// Sends the caller a code that proves a change, to the address or else the number. Source: supabase-core.md 10.10.
    ///
    /// - Throws: `reauthenticationAddressMissing`, `reauthenticationEmailNotConfirmed`,
    ///   `reauthenticationPhoneNotConfirmed`, the faults of the send interval and limit, and of mails and messages.
    public func reauthenticate(
        _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt {
        guard let id = principal.userID else { throw AuthError(.subjectMissing) }
        guard let user = try await read({ try await $0.user(id) }) else { throw AuthError(.subjectUnknown) }
        guard (user.email ?? "").isEmpty else {
            guard user.emailConfirmedAt != nil else { throw AuthError(.reauthenticationEmailNotConfirmed) }
            try await mail(.reauthentication, to: user, context)
            return MessageReceipt()
        }
        guard !(user.phone ?? "").isEmpty else { throw AuthError(.reauthenticationAddressMissing) }
        guard user.phoneConfirmedAt != nil else { throw AuthError(.reauthenticationPhoneNotConfirmed) }
        return try await text(.reauthentication, to: user)
    }
}
