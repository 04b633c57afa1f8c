import Backend
import JSON
import Store

extension User {
    /// The account as it is shown, from its rows. Source: supabase-core.md 4.1.
    init(row: UserRow, identities: [IdentityRow]?, factors: [FactorRow]) {
        self.init(
            id: row.id, audience: row.audience, role: row.role, appMetadata: Self.object(row.appMetadata),
            userMetadata: Self.object(row.userMetadata), createdAt: row.createdAt, updatedAt: row.updatedAt,
            isAnonymous: row.isAnonymous)
        values.read(row.values)
        values.identities = identities.map { $0.map(Identity.init(row:)) }
        values.factors = factors.map(Factor.init(row:))
    }

    init(_ rows: AccountRows) {
        self.init(row: rows.user, identities: rows.identities, factors: rows.factors)
    }

    /// Imported rows may hold JSON's null (FR-08).
    private static func object(_ text: JSONText) -> JSONText { text.isObject ? text : .emptyObject }
}

extension Identity {
    init(row: IdentityRow) {
        self.init(
            id: row.id, providerID: row.providerID, userID: row.userID, provider: row.provider, data: row.data,
            lastSignInAt: row.lastSignInAt, createdAt: row.createdAt, updatedAt: row.updatedAt, email: row.email)
    }
}

extension Factor {
    init(row: FactorRow) {
        self.init(
            id: row.id, type: row.type, status: row.status,
            friendlyName: row.friendlyName.isEmpty ? nil : row.friendlyName, phone: row.phone,
            createdAt: row.createdAt, updatedAt: row.updatedAt, lastChallengedAt: row.lastChallengedAt,
            webAuthnAAGUID: row.webAuthnAAGUID, lastWebAuthnChallengeData: row.lastWebAuthnChallengeData)
    }
}

extension User.Values {
    fileprivate mutating func read(_ row: UserRow.Values) {
        email = row.email
        phone = row.phone
        emailConfirmedAt = row.emailConfirmedAt
        phoneConfirmedAt = row.phoneConfirmedAt
        confirmedAt = row.confirmedAt
        invitedAt = row.invitedAt
        confirmationSentAt = row.confirmationSentAt
        recoverySentAt = row.recoverySentAt
        newEmail = row.emailChange.isEmpty ? nil : row.emailChange
        emailChangeSentAt = row.emailChangeSentAt
        newPhone = row.phoneChange.isEmpty ? nil : row.phoneChange
        phoneChangeSentAt = row.phoneChangeSentAt
        reauthenticationSentAt = row.reauthenticationSentAt
        lastSignInAt = row.lastSignInAt
        bannedUntil = row.bannedUntil
        deletedAt = row.deletedAt
    }
}
