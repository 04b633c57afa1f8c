public import Backend
import Bytes
import JSON
import Store

extension InProcessBackend {
    /// Changes an account at once, without mails. Source: supabase-admin.md 4.4, FR-05.
    ///
    /// A new password ends all of its sessions; a ban ends none, but is told on each request.
    /// - Throws: `userNotFound`, `emailTooLong`, `emailMalformed`, `phoneMalformed`, `banDurationMalformed`,
    ///   `passwordTooLong`, `passwordWeak`, `emailExists`, `adminPhoneExists`, `textHasNUL`, `roleTooLong`.
    public func adminUpdateUser(
        _ id: UserID, _ attributes: AdminUserAttributes, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        let known = try await read { try await $0.user(id) }
        guard known != nil else { throw AuthError(.userNotFound) }
        var change = try AdminChange(attributes)
        if let password = attributes.password {
            try PasswordRules(policy, isLeaked: try await isLeaked(password)).check(password)
            change.passwordHash = try await passwords.hash(password)
        }
        let actor = adminActor(principal)
        return try await transaction(conflict: Self.conflict) { [change] tx in
            try await tx.lock(user: id)
            guard let before = try await tx.user(id) else { throw AuthError(.userNotFound) }
            let identities = try await tx.identities(of: id)
            let now = self.clock.now()
            let (user, shown) = try await self.apply(change, to: before, identities, at: now, in: tx)
            try await self.audit(.modified, by: actor, Self.traits(of: user), at: now, in: tx)
            var answer = User(row: user, identities: shown, factors: try await tx.factors(of: id))
            // Not read again in the reference: the generated column keeps its old value in the answer.
            answer.confirmedAt = before.confirmedAt
            return answer
        }
    }

    /// Writes the change and returns the row with the identities as the answer shows them: one that was there already
    /// with its old data, a new one after it.
    private func apply(
        _ change: AdminChange, to before: UserRow, _ identities: [IdentityRow], at now: Timestamp,
        in tx: any StoreTransaction
    ) async throws -> (UserRow, [IdentityRow]) {
        var user = before
        var shown = identities
        let columns = change.apply(to: &user, at: now)
        if change.confirmsEmail || change.confirmsPhone || change.passwordHash != nil {
            try await tx.deleteOneTimeTokens(of: user.id)
        }
        if change.passwordHash != nil { try await tx.deleteSessions(of: user.id, except: nil) }
        if let email = change.email {
            try await Self.checkFree(email: email, user.audience, except: user.id, in: tx)
            let added = try await setEmailIdentity(email, change.confirmsEmail, of: user.id, identities, now, in: tx)
            if let added { shown.append(added) }
        }
        if let phone = change.phone {
            try await Self.checkFree(phone: phone, except: user.id, in: tx)
            let added = try await setPhoneIdentity(phone, change.confirmsPhone, of: user.id, identities, now, in: tx)
            if let added { shown.append(added) }
        }
        if !columns.isEmpty {
            user.updatedAt = now
            try await tx.update(user, columns)
        }
        return (user, shown)
    }

    /// The new identity when there was none.
    private func setEmailIdentity(
        _ email: String, _ isVerified: Bool, of user: UserID, _ identities: [IdentityRow], _ now: Timestamp,
        in tx: any StoreTransaction
    ) async throws -> IdentityRow? {
        guard var identity = identities.first(where: { $0.provider == "email" }) else {
            let data = AdminRules.identityData(of: user, email: email, isEmailVerified: isVerified)
            let added = ownIdentity(of: user, "email", data, email: email, at: now)
            try await tx.insert(added)
            return added
        }
        let patch: JSONObject = ["email": .string(email), "email_verified": .bool(isVerified)]
        identity.data = Metadata.merged(identity.data, with: patch)
        identity.updatedAt = now
        try await tx.update(identity)
        return nil
    }

    /// The new identity when there was none.
    private func setPhoneIdentity(
        _ phone: String, _ isVerified: Bool, of user: UserID, _ identities: [IdentityRow], _ now: Timestamp,
        in tx: any StoreTransaction
    ) async throws -> IdentityRow? {
        guard var identity = identities.first(where: { $0.provider == "phone" }) else {
            var data = AdminRules.identityData(of: user, phone: phone)
            if isVerified { data = Metadata.merged(data, with: ["phone_verified": true]) }
            let added = ownIdentity(of: user, "phone", data, email: nil, at: now)
            try await tx.insert(added)
            return added
        }
        let patch: JSONObject = ["phone": .string(phone), "phone_verified": .bool(isVerified)]
        identity.data = Metadata.merged(identity.data, with: patch)
        identity.updatedAt = now
        try await tx.update(identity)
        return nil
    }
}

/// What an administrator changes of an account, judged.
struct AdminChange: Sendable {
    let email: String?
    let phone: String?
    let role: String?
    let ban: BanDuration
    let confirmsEmail: Bool
    let confirmsPhone: Bool
    let userMetadata: JSONObject?
    let appMetadata: JSONObject?
    var passwordHash: String?

    /// Judged in the reference's order; the password comes after.
    init(_ attributes: AdminUserAttributes) throws(AuthError) {
        email = try AdminRules.email(attributes.email)
        phone = try AdminRules.phone(attributes.phone)
        ban = try BanDuration(attributes.banDuration)
        role = try AdminRules.role(attributes.role)
        try Metadata.check(attributes.userMetadata)
        try Metadata.check(attributes.appMetadata)
        confirmsEmail = attributes.confirmsEmail
        confirmsPhone = attributes.confirmsPhone
        userMetadata = attributes.userMetadata
        appMetadata = attributes.appMetadata
    }

    /// The row after the change, in the order of supabase-admin.md 4.4; returns the columns that were touched.
    func apply(to user: inout UserRow, at now: Timestamp) -> UserColumns {
        var columns: UserColumns = []
        if let role {
            user.role = role
            columns.insert(.role)
        }
        if confirmsEmail { columns.formUnion(user.confirmEmail(at: now)) }
        if confirmsPhone { columns.formUnion(user.confirmPhone(at: now)) }
        if let passwordHash {
            user.encryptedPassword = passwordHash
            columns.formUnion(user.forgetPendingTokens().union(.encryptedPassword))
        }
        if let email {
            user.email = email
            columns.insert(.email)
            if user.isAnonymous, confirmsEmail { columns.formUnion(user.becomePermanent()) }
        }
        if let phone {
            user.phone = phone
            columns.insert(.phone)
            if user.isAnonymous, confirmsPhone { columns.formUnion(user.becomePermanent()) }
        }
        if let appMetadata {
            user.appMetadata = Metadata.merged(user.appMetadata, with: appMetadata)
            columns.insert(.appMetadata)
        }
        if let userMetadata {
            user.userMetadata = Metadata.merged(user.userMetadata, with: userMetadata)
            columns.insert(.userMetadata)
        }
        if ban.apply(to: &user.bannedUntil, at: now) { columns.insert(.bannedUntil) }
        return columns
    }
}
