public import Backend
import Bytes
import JSON
import Store

extension InProcessBackend {
    /// Makes an account without a password and mails the invitation; an unconfirmed account is invited again.
    /// Source: supabase-admin.md 6.
    ///
    /// - Throws: `emailMissing`, `emailTooLong`, `emailMalformed`, `textHasNUL`, `userMetadataTooLarge`, `emailExists`,
    ///   `emailSendLimit`, `emailNotAuthorized`, `mailNotDelivered`.
    public func invite(
        _ invitation: Invitation, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        let email = try EmailAddress(validating: invitation.email ?? "").text
        let audience = try audience(context, principal)
        let metadata = try judged(invitation.userMetadata)
        let known = try await read { try await $0.user(email: email, audience: audience) }
        if known?.emailConfirmedAt != nil { throw AuthError(.emailExists) }
        let mail = prepare(
            .invite, .invite, to: email, account: email, metadata: known?.userMetadata ?? metadata, isPKCE: false,
            context)
        try await send([mail])
        let actor = adminActor(principal)
        let user = try await transaction(conflict: Self.conflict) { tx in
            let now = self.clock.now()
            var user = try await self.invitee(email, audience, metadata, at: now, in: tx)
            try await self.audit(.invited, by: actor, Self.inviteTraits(user), at: now, in: tx)
            let columns = user.keep(mail.stored, .confirmation, at: now)
            try await tx.update(user, columns)
            try await self.keep(mail.stored, .confirmation, of: user.id, relatesTo: email, at: now, in: tx)
            try await self.enqueue([mail], at: now, in: tx)
            return User(
                row: user, identities: try await tx.identities(of: user.id), factors: try await tx.factors(of: user.id))
        }
        wakeOutbox()
        return user
    }

    /// The account that is invited, made when there is none, its time of invitation set.
    /// - Throws: `emailExists` when it is confirmed.
    func invitee(
        _ email: String, _ audience: String, _ metadata: JSONText, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> UserRow {
        guard var user = try await tx.user(email: email, audience: audience) else {
            var user = newUser(email, audience, metadata, passwordHash: "", at: now)
            user.invitedAt = now
            let data = AdminRules.identityData(of: user.id, email: email)
            try await tx.insert(user)
            try await tx.insert(ownIdentity(of: user.id, "email", data, email: email, at: now))
            return user
        }
        try await tx.lock(user: user.id)
        guard user.emailConfirmedAt == nil else { throw AuthError(.emailExists) }
        user.invitedAt = now
        user.updatedAt = now
        try await tx.update(user, .invitedAt)
        return user
    }

    /// The row of an account that an administrator's call makes for an address.
    func newUser(
        _ email: String, _ audience: String, _ metadata: JSONText, passwordHash: String, at now: Timestamp
    ) -> UserRow {
        var user = UserRow(id: UserID(newUUID()), audience: audience, role: policy.defaultRole, createdAt: now)
        user.email = email
        user.encryptedPassword = passwordHash
        user.appMetadata = NewAccount.appMetadata("email")
        user.userMetadata = metadata
        return user
    }

    /// Metadata of an account that is to be made.
    /// - Throws: `textHasNUL`, `userMetadataTooLarge`.
    func judged(_ metadata: JSONObject?) throws(AuthError) -> JSONText {
        try Metadata.check(metadata)
        let text = JSONText(metadata ?? [:])
        try Metadata.checkSize(text, policy)
        return text
    }

    static func inviteTraits(_ user: UserRow) -> [(name: StaticString, value: String)] {
        [("user_email", user.email ?? ""), ("user_id", user.id.description)]
    }
}
