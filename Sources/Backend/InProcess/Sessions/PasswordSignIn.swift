public import Backend
import Bytes
import Crypto
import Store

extension InProcessBackend {
    /// Signs in by password. Source: supabase-core.md 10.3.1, deviations.md.
    ///
    /// Unknown accounts cost a hash as known ones do, so that timing tells nothing.
    /// - Throws: `signInEmailAndPhone`, `emailLoginsDisabled`, `phoneLoginsDisabled`, `signInAddressMissing`,
    ///   `invalidCredentials`, `signInUserBanned`, `emailNotConfirmed`, `phoneNotConfirmed`, `passwordQueueFull`.
    public func signIn(_ signIn: PasswordSignIn, _ context: RequestContext) async throws(AuthError) -> Session {
        let address = try SignInAddress(signIn, policy)
        let audience = try audience(context)
        let found = try await read { reader -> UserRow? in
            switch address {
            case .email(let email): try await reader.user(email: email, audience: audience)
            case .phone(let phone): try await reader.user(phone: phone, audience: audience)
            case .unstorable: nil
            }
        }
        guard let found, let stored = found.encryptedPassword, !stored.isEmpty else {
            _ = try await passwords.matches(signIn.password, hash: BcryptShape.nobodys(cost: policy.bcryptCost))
            throw AuthError(.invalidCredentials)
        }
        if !policy.tellsBanOnlyAfterPassword { try Self.checkBan(found, clock.now()) }
        guard try await passwords.matches(signIn.password, hash: stored) else {
            throw AuthError(.invalidCredentials)
        }
        let rehashed = await rehashed(signIn.password, from: stored)
        let opened = try await transaction { tx -> OpenedSession in
            try await tx.lock(user: found.id)
            // The password may have been changed, or the account gone, while the hash was made.
            guard var user = try await tx.user(found.id), user.encryptedPassword == stored else {
                throw AuthError(.invalidCredentials)
            }
            if let rehashed {
                user.encryptedPassword = rehashed
                try await tx.update(user, .encryptedPassword)
            }
            let now = self.clock.now()
            try Self.checkBan(user, now)
            try address.checkConfirmed(user)
            try await self.audit(.login, by: AuditActor(user), [("provider", address.provider)], at: now, in: tx)
            return try await self.openSession(for: user, method: "password", context, in: tx)
        }
        var session = try await issueReloaded(opened)
        session.passwordJudgement = PasswordRules(policy).judge(signIn.password)
        return session
    }

    /// A hash of our own for a password whose hash another system made, now that the password is known; nil to keep
    /// the one that is there: bcrypt looks at no more than 72 bytes and none behind a NUL, and an overloaded hasher
    /// does not keep anyone from signing in. Source: supabase-core.md 8.7.
    private func rehashed(_ password: Password, from stored: String) async -> String? {
        let bytes = password.exposed.utf8
        guard PasswordHash(stored).isImported, bytes.count <= PasswordRules.bytesMax, !bytes.contains(0) else {
            return nil
        }
        return try? await passwords.hash(password)
    }

    private static func checkBan(_ user: UserRow, _ now: Timestamp) throws(AuthError) {
        if let bannedUntil = user.bannedUntil, now < bannedUntil { throw AuthError(.signInUserBanned) }
    }
}

/// The address of a password sign-in, in the form in which accounts are looked up.
enum SignInAddress: Equatable, Sendable {
    case email(String)
    case phone(String)
    /// Holds a NUL: no account can have it (deviations.md).
    case unstorable(provider: String)

    /// - Throws: the first four faults of the table in supabase-core.md 10.3.1.
    init(_ signIn: PasswordSignIn, _ policy: Policy) throws(AuthError) {
        let email = signIn.email ?? ""
        let phone = signIn.phone ?? ""
        guard email.isEmpty || phone.isEmpty else { throw AuthError(.signInEmailAndPhone) }
        if !email.isEmpty {
            guard policy.isEmailEnabled else { throw AuthError(.emailLoginsDisabled) }
            self = email.utf8.contains(0) ? .unstorable(provider: "email") : .email(email.lowercased())
        } else if !phone.isEmpty {
            guard policy.isPhoneEnabled else { throw AuthError(.phoneLoginsDisabled) }
            self = phone.utf8.contains(0) ? .unstorable(provider: "phone") : .phone(PhoneNumber.stripped(phone))
        } else {
            throw AuthError(.signInAddressMissing)
        }
    }

    var provider: String {
        switch self {
        case .email: "email"
        case .phone: "phone"
        case .unstorable(let provider): provider
        }
    }

    /// - Throws: `emailNotConfirmed`, `phoneNotConfirmed`.
    func checkConfirmed(_ user: UserRow) throws(AuthError) {
        switch self {
        case .email: if user.emailConfirmedAt == nil { throw AuthError(.emailNotConfirmed) }
        case .phone: if user.phoneConfirmedAt == nil { throw AuthError(.phoneNotConfirmed) }
        case .unstorable: throw AuthError(.invalidCredentials)
        }
    }
}
