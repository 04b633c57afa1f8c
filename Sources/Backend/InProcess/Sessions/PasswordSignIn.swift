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
        // The hash may change while a password is compared with it; then the new one is asked, once.
        for _ in 0..<2 {
            let checked = try await check(signIn.password, of: address, audience)
            guard let opened = try await open(checked, address, context) else { continue }
            var session = try await issueReloaded(opened)
            let isLeaked = (try? await isLeaked(signIn.password)) ?? false
            session.passwordJudgement = PasswordRules(policy, isLeaked: isLeaked).judge(signIn.password)
            return session
        }
        throw AuthError(.invalidCredentials)
    }

    /// An account whose password was found right, with the hash that it was compared with.
    private struct Checked: Sendable {
        let user: UserID
        let stored: String
        /// What takes its place.
        let rehashed: String?
    }

    private func check(
        _ password: Password, of address: SignInAddress, _ audience: String
    ) async throws(AuthError) -> Checked {
        let found = try await read { reader -> UserRow? in
            switch address {
            case .email(let email): try await reader.user(email: email, audience: audience)
            case .phone(let phone): try await reader.user(phone: phone, audience: audience)
            case .unstorable: nil
            }
        }
        guard let found, let stored = found.encryptedPassword, !stored.isEmpty else {
            _ = try await passwords.matches(password, hash: BcryptShape.nobodys(cost: policy.bcryptCost))
            throw AuthError(.invalidCredentials)
        }
        if !policy.tellsBanOnlyAfterPassword { try Self.checkBan(found, clock.now()) }
        guard try await passwords.matches(password, hash: stored) else { throw AuthError(.invalidCredentials) }
        return Checked(user: found.id, stored: stored, rehashed: await rehashed(password, from: stored))
    }

    /// nil when the account has another hash by now.
    private func open(
        _ checked: Checked, _ address: SignInAddress, _ context: RequestContext
    ) async throws(AuthError) -> OpenedSession? {
        try await transaction { tx -> OpenedSession? in
            try await tx.lock(user: checked.user)
            guard var user = try await tx.user(checked.user) else { throw AuthError(.invalidCredentials) }
            guard user.encryptedPassword == checked.stored else { return nil }
            let now = self.clock.now()
            try Self.checkBan(user, now)
            try address.checkConfirmed(user)
            if let rehashed = checked.rehashed {
                user.encryptedPassword = rehashed
                user.updatedAt = now
                try await tx.update(user, .encryptedPassword)
            }
            try await self.audit(.login, by: AuditActor(user), [("provider", address.provider)], at: now, in: tx)
            return try await self.openSession(for: user, method: "password", context, in: tx)
        }
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
