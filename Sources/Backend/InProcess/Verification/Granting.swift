import Backend
import Bytes
import JSON
import Store

/// What using up a code led to.
enum Granted: Sendable {
    case confirmed(UserRow)
    case otherHalfAwaited
}

/// The effects of a code or link that was found good, in the transaction that found it. Source: supabase-core.md 10.8.
extension InProcessBackend {
    func grant(
        _ purpose: VerificationPurpose, to user: UserRow, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> Granted {
        var user = user
        user.updatedAt = now
        var columns: UserColumns = []
        switch purpose {
        case .signUp, .invite:
            columns = try await acceptInvitation(&user, in: tx)
            try await audit(.signedUp, by: AuditActor(user), [("provider", "email")], at: now, in: tx)
            columns.formUnion(try await confirmAddress(&user, at: now, in: tx))
        case .recovery, .magicLink:
            user.recoveryToken = ""
            columns.insert(.recovery)
            if user.emailConfirmedAt == nil {
                try await audit(.signedUp, by: AuditActor(user), [("provider", "email")], at: now, in: tx)
                // The identity's own data stays as it is, as in the reference.
                columns.formUnion(user.confirmEmail(at: now))
            } else {
                try await audit(.login, by: AuditActor(user), at: now, in: tx)
            }
        case .emailChange(let half):
            guard !isFirstHalf(half, user) else {
                try await takeFirstHalf(half, user, in: tx)
                return .otherHalfAwaited
            }
            columns = try await completeEmailChange(&user, at: now, in: tx)
        case .sms:
            try await audit(.signedUp, by: AuditActor(user), [("provider", "phone")], at: now, in: tx)
            columns = user.confirmPhone(at: now).union(user.becomePermanent())
        case .phoneChange:
            columns = try await completePhoneChange(&user, at: now, in: tx)
        }
        try await tx.deleteOneTimeTokens(of: user.id)
        columns.formUnion(try await recomputeProviders(&user, in: tx))
        try await tx.update(user, columns)
        forgetAsked(user)
        return .confirmed(user)
    }

    /// An invited account that has no password gets one that nobody knows; like any new password it ends what is open.
    private func acceptInvitation(_ user: inout UserRow, in tx: any StoreTransaction) async throws -> UserColumns {
        guard user.invitedAt != nil, (user.encryptedPassword ?? "").isEmpty else { return [] }
        user.encryptedPassword = BcryptShape.unknowable(cost: policy.bcryptCost, random)
        try await tx.deleteSessions(of: user.id, except: nil)
        return user.forgetPendingTokens().union(.encryptedPassword)
    }

    /// Confirms the account's address, also in the identities that have it.
    private func confirmAddress(
        _ user: inout UserRow, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> UserColumns {
        let columns = user.confirmEmail(at: now)
        guard let email = user.email else { return columns }
        for var identity in try await tx.identities(of: user.id) {
            guard identity.data.object["email"]?.string?.lowercased() == email else { continue }
            identity.data = Metadata.merged(identity.data, with: ["email_verified": true])
            identity.updatedAt = now
            try await tx.update(identity)
        }
        return columns
    }

    // MARK: Changes of address and number

    /// Whether the other address still has to answer. Under auto-confirm one answer is enough in the reference; where
    /// the new address must prove itself, it has to be that one's. Source: supabase-core.md 10.8, deviations.md.
    private func isFirstHalf(_ half: EmailChangeHalf, _ user: UserRow) -> Bool {
        guard policy.emailChangeNeedsBoth, user.emailChangeConfirmStatus == 0, !(user.email ?? "").isEmpty else {
            return false
        }
        guard policy.autoconfirmsEmail else { return true }
        return policy.newAddressMustProveItself && half == .current
    }

    private func takeFirstHalf(
        _ half: EmailChangeHalf, _ user: UserRow, in tx: any StoreTransaction
    ) async throws {
        var user = user
        user.emailChangeConfirmStatus = 1
        switch half {
        case .new: user.emailChangeTokenNew = ""
        case .current: user.emailChangeTokenCurrent = ""
        }
        try await tx.update(user, .emailChange)
        try await tx.delete(oneTimeToken: VerificationPurpose.emailChange(half).keptType, of: user.id)
    }

    /// Makes the address that waited the account's own. The caller deletes the tokens and writes the row.
    /// - Throws: `emailExists` when another account took it meanwhile.
    func completeEmailChange(
        _ user: inout UserRow, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> UserColumns {
        let email = user.emailChange
        try await Self.checkFree(email: email, user.audience, except: user.id, in: tx)
        try await audit(.modified, by: AuditActor(user), at: now, in: tx)
        let verified: JSONObject = ["email": .string(email), "email_verified": true]
        let fresh = AdminRules.identityData(of: user.id, email: email, isEmailVerified: true)
        try await setOwnIdentity("email", verified, orElse: fresh, of: user.id, at: now, in: tx)
        let before = user.email
        user.email = email
        user.emailChange = ""
        user.emailChangeTokenNew = ""
        user.emailChangeTokenCurrent = ""
        user.emailChangeConfirmStatus = 0
        var columns: UserColumns = user.becomePermanent().union([.email, .emailChange])
        if user.emailConfirmedAt == nil { columns.formUnion(user.confirmEmail(at: now)) }
        if policy.notifiesEmailChanged, let before, !before.isEmpty {
            let draft = notice(.emailChanged, to: before, user, extras: ["OldEmail": .string(before)])
            try await tx.insert(draft.outboxRow(at: now))
        }
        return columns
    }

    /// Makes the number that waited the account's own. The caller deletes the tokens and writes the row.
    /// - Throws: `phoneExists` when another account took it meanwhile.
    func completePhoneChange(
        _ user: inout UserRow, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> UserColumns {
        let phone = user.phoneChange
        if let other = try await tx.user(phone: phone), other.id != user.id { throw AuthError(.phoneExists) }
        try await audit(.modified, by: AuditActor(user), at: now, in: tx)
        let verified: JSONObject = ["phone": .string(phone), "phone_verified": true]
        let fresh = Metadata.merged(AdminRules.identityData(of: user.id, phone: phone), with: verified)
        try await setOwnIdentity("phone", verified, orElse: fresh, of: user.id, at: now, in: tx)
        user.phone = phone
        user.phoneChange = ""
        user.phoneChangeToken = ""
        user.phoneConfirmedAt = now
        return user.becomePermanent().union([.phone, .phoneChange, .phoneConfirmedAt])
    }

    private func setOwnIdentity(
        _ provider: String, _ verified: JSONObject, orElse fresh: JSONText, of user: UserID, at now: Timestamp,
        in tx: any StoreTransaction
    ) async throws {
        if var identity = try await tx.identities(of: user).first(where: { $0.provider == provider }) {
            identity.data = Metadata.merged(identity.data, with: verified)
            identity.updatedAt = now
            try await tx.update(identity)
            return
        }
        try await tx.insert(ownIdentity(of: user, provider, fresh, email: verified["email"]?.string, at: now))
    }

    /// `app_metadata.providers` from the identities in their order; the first is `provider`.
    func recomputeProviders(_ user: inout UserRow, in tx: any StoreTransaction) async throws -> UserColumns {
        var providers: [String] = []
        for identity in try await tx.identities(of: user.id) where !providers.contains(identity.provider) {
            providers.append(identity.provider)
        }
        guard let first = providers.first else { return [] }
        let patch: JSONObject = [
            "provider": .string(first), "providers": .array(providers.map { JSONValue.string($0) }),
        ]
        let merged = Metadata.merged(user.appMetadata, with: patch)
        guard merged != user.appMetadata else { return [] }
        user.appMetadata = merged
        return .appMetadata
    }
}
