public import Backend
import Bytes
import JSON
import Store

extension InProcessBackend {
    /// Makes an account; no mail, no hook, whatever the sign-up settings say. Source: supabase-admin.md 4.2.
    ///
    /// - Throws: `adminAddressMissing`, `emailTooLong`, `emailMalformed`, `emailExists`, `phoneMalformed`,
    ///   `adminPhoneExists`, `adminPasswordAndHash`, `passwordTooLong`, `adminPasswordHashMalformed`,
    ///   `adminIDMalformed`, `adminIDNil`, `adminIDTaken`, `banDurationMalformed`, `textHasNUL`, `roleTooLong`,
    ///   `audienceTooLong`.
    public func adminCreateUser(
        _ attributes: AdminUserAttributes, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        guard !(attributes.email ?? "").isEmpty || !(attributes.phone ?? "").isEmpty else {
            throw AuthError(.adminAddressMissing)
        }
        var audience = try audience(context, principal)
        if let given = try AdminRules.audience(attributes.audience) { audience = given }
        let email = try AdminRules.email(attributes.email)
        if let email {
            try await read { reader in
                try await Self.checkFree(email: email, audience, in: reader)
            }
        }
        let phone = try AdminRules.phone(attributes.phone)
        if let phone { try await read { try await Self.checkFree(phone: phone, in: $0) } }
        let password = try AdminRules.newPassword(attributes)
        let id = try AdminRules.id(attributes.id) ?? UserID(newUUID())
        let ban = try BanDuration(attributes.banDuration)
        let role = try AdminRules.role(attributes.role) ?? policy.defaultRole
        try Metadata.check(attributes.userMetadata)
        try Metadata.check(attributes.appMetadata)

        let now = clock.now()
        var user = UserRow(id: id, audience: audience, role: role, createdAt: now)
        user.email = email
        user.phone = phone
        user.encryptedPassword = try await stored(password)
        user.appMetadata = AdminRules.appMetadata(
            hasEmail: email != nil, hasPhone: phone != nil, attributes.appMetadata)
        if let metadata = attributes.userMetadata { user.userMetadata = JSONText(metadata) }
        if attributes.confirmsEmail { _ = user.confirmEmail(at: now) }
        if attributes.confirmsPhone { _ = user.confirmPhone(at: now) }
        _ = ban.apply(to: &user.bannedUntil, at: now)
        let identities = identities(of: user, email: email, phone: phone, at: now)
        try await insert(user, identities, by: adminActor(principal), at: now)

        var answer = User(row: user, identities: identities, factors: [])
        // Not read again in the reference: the generated column is missing from the answer.
        answer.confirmedAt = nil
        if case .hash = password, attributes.userMetadata == nil, !attributes.confirmsEmail {
            answer.userMetadata = .null
        }
        return answer
    }

    private func stored(_ password: AdminRules.NewPassword) async throws(AuthError) -> String {
        switch password {
        case .given(let text): try await passwords.hash(Password(text))
        case .unknowable: BcryptShape.unknowable(cost: policy.bcryptCost, random)
        case .hash(let hash): hash
        }
    }

    private func identities(of user: UserRow, email: String?, phone: String?, at now: Timestamp) -> [IdentityRow] {
        var identities: [IdentityRow] = []
        if let email {
            let data = AdminRules.identityData(of: user.id, email: email)
            identities.append(ownIdentity(of: user.id, "email", data, email: email, at: now))
        }
        if let phone {
            let data = AdminRules.identityData(of: user.id, phone: phone)
            identities.append(ownIdentity(of: user.id, "phone", data, email: nil, at: now))
        }
        return identities
    }

    /// A new identity of provider `email` or `phone`, whose subject is the account itself.
    func ownIdentity(
        of user: UserID, _ provider: String, _ data: JSONText, email: String?, at now: Timestamp
    ) -> IdentityRow {
        var identity = IdentityRow(
            id: IdentityID(newUUID()), providerID: user.description, userID: user, provider: provider, data: data,
            lastSignInAt: now, createdAt: now)
        identity.email = email
        return identity
    }

    private func insert(
        _ user: UserRow, _ identities: [IdentityRow], by actor: AuditActor, at now: Timestamp
    ) async throws(AuthError) {
        try await transaction(conflict: Self.conflict) { tx in
            if let email = user.email { try await Self.checkFree(email: email, user.audience, in: tx) }
            if let phone = user.phone { try await Self.checkFree(phone: phone, in: tx) }
            if try await tx.user(user.id) != nil { throw AuthError(.adminIDTaken) }
            try await tx.insert(user)
            for identity in identities { try await tx.insert(identity) }
            let provider = user.email == nil ? "phone" : "email"
            try await self.audit(
                .signedUp, by: actor, [("provider", provider)] + Self.traits(of: user), at: now, in: tx)
        }
    }

    /// Which of the unique columns refused. Source: deviations.md "5xx that become 4xx".
    static func conflict(_ index: String) -> AuthError? {
        if index.contains(text: "phone") { return AuthError(.adminPhoneExists) }
        if index.contains(text: "email") || index.contains(text: "identities") { return AuthError(.emailExists) }
        return index.contains(text: "users") ? AuthError(.adminIDTaken) : nil
    }

    /// - Throws: `emailExists` when an account of any audience has the address, or an identity of this one.
    static func checkFree(
        email: String, _ audience: String, except own: UserID? = nil, in reader: any StoreReader
    ) async throws {
        if let other = try await reader.user(email: email), other.id != own { throw AuthError(.emailExists) }
        for identity in try await reader.identities(email: email) where identity.userID != own {
            if let other = try await reader.user(identity.userID), other.audience == audience {
                throw AuthError(.emailExists)
            }
        }
    }

    /// - Throws: `adminPhoneExists`.
    static func checkFree(phone: String, except own: UserID? = nil, in reader: any StoreReader) async throws {
        if let other = try await reader.user(phone: phone), other.id != own { throw AuthError(.adminPhoneExists) }
    }
}
