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
        self.email = row.email
        self.phone = row.phone
        self.emailConfirmedAt = row.emailConfirmedAt
        self.phoneConfirmedAt = row.phoneConfirmedAt
        self.confirmedAt = row.confirmedAt
        self.invitedAt = row.invitedAt
        self.confirmationSentAt = row.confirmationSentAt
        self.recoverySentAt = row.recoverySentAt
        self.newEmail = row.emailChange.isEmpty ? nil : row.emailChange
        self.emailChangeSentAt = row.emailChangeSentAt
        self.newPhone = row.phoneChange.isEmpty ? nil : row.phoneChange
        self.phoneChangeSentAt = row.phoneChangeSentAt
        self.reauthenticationSentAt = row.reauthenticationSentAt
        self.lastSignInAt = row.lastSignInAt
        self.bannedUntil = row.bannedUntil
        self.deletedAt = row.deletedAt
        self.identities = identities.map { $0.map(Identity.init(row:)) }
        self.factors = factors.map(Factor.init(row:))
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
