public import Bytes
public import JSON

/// An account as its owner and administrators see it. Source: supabase-core.md 4.1.
///
/// A time is nil when the column is; a text is nil when the account has none (the wire then shows `""`).
@dynamicMemberLookup
public struct User: Sendable {
    /// The members; reached through the account.
    public struct Values: Sendable {
        public var id: UserID
        public var audience: String
        public var role: String
        public var email: String?
        public var phone: String?
        public var emailConfirmedAt: Timestamp?
        public var phoneConfirmedAt: Timestamp?
        /// The earlier of the two confirmations. A value of its own: in the answer of the request that confirms it is
        /// still missing in the reference (supabase-core.md 4.1).
        public var confirmedAt: Timestamp?
        public var invitedAt: Timestamp?
        public var confirmationSentAt: Timestamp?
        public var recoverySentAt: Timestamp?
        /// The address that waits for confirmation.
        public var newEmail: String?
        public var emailChangeSentAt: Timestamp?
        /// The number that waits for confirmation.
        public var newPhone: String?
        public var phoneChangeSentAt: Timestamp?
        public var reauthenticationSentAt: Timestamp?
        public var lastSignInAt: Timestamp?
        public var appMetadata: JSONText
        public var userMetadata: JSONText
        public var factors: [Factor]
        /// In order of creation; nil where the operation did not load them (`null` on the wire: admin lists).
        public var identities: [Identity]?
        public var createdAt: Timestamp
        public var updatedAt: Timestamp
        public var bannedUntil: Timestamp?
        public var deletedAt: Timestamp?
        public var isAnonymous: Bool
        /// Members that a remote server sent and that we do not know: shown as they came.
        public var unknownMembers: JSONObject?
    }

    @usableFromInline var shared: CopyOnWrite<Values>

    public init(_ values: Values) {
        shared = CopyOnWrite(values)
    }

    /// All members, for who needs many of them.
    @inlinable
    public var values: Values {
        _read { yield shared.value }
        _modify { yield &shared.value }
    }

    public init(
        id: UserID, audience: String, role: String, appMetadata: JSONText = .emptyObject,
        userMetadata: JSONText = .emptyObject, createdAt: Timestamp, updatedAt: Timestamp, isAnonymous: Bool = false
    ) {
        self.init(
            Values(
                id: id, audience: audience, role: role, appMetadata: appMetadata, userMetadata: userMetadata,
                factors: [], identities: [], createdAt: createdAt, updatedAt: updatedAt, isAnonymous: isAnonymous))
    }

    @inlinable
    public subscript<Member>(dynamicMember member: KeyPath<Values, Member>) -> Member {
        shared.value[keyPath: member]
    }

    @inlinable
    public subscript<Member>(dynamicMember member: WritableKeyPath<Values, Member>) -> Member {
        _read { yield shared.value[keyPath: member] }
        _modify { yield &shared.value[keyPath: member] }
    }
}

/// One way to sign in to an account. Source: supabase-core.md 4.2.
public struct Identity: Sendable {
    /// The row's id, `identity_id` on the wire.
    public var id: IdentityID
    /// The provider's subject, `id` on the wire.
    public var providerID: String
    public var userID: UserID
    public var provider: String
    public var data: JSONText
    public var lastSignInAt: Timestamp?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// The lower-cased `email` of the data.
    public var email: String?
    /// Members that a remote server sent and that we do not know: shown as they came.
    public var unknownMembers: JSONObject?

    public init(
        id: IdentityID, providerID: String, userID: UserID, provider: String, data: JSONText,
        lastSignInAt: Timestamp?, createdAt: Timestamp, updatedAt: Timestamp, email: String?
    ) {
        self.id = id
        self.providerID = providerID
        self.userID = userID
        self.provider = provider
        self.data = data
        self.lastSignInAt = lastSignInAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.email = email
    }
}

/// A second factor as it is shown inside a user. Source: supabase-core.md 4.3.
public struct Factor: Sendable {
    public var id: FactorID
    /// `totp`, `phone` or `webauthn`.
    public var type: String
    /// `unverified` or `verified`.
    public var status: String
    public var friendlyName: String?
    public var phone: String?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    public var lastChallengedAt: Timestamp?
    public var webAuthnAAGUID: String?
    public var lastWebAuthnChallengeData: JSONText?
    /// Members that a remote server sent and that we do not know: shown as they came.
    public var unknownMembers: JSONObject?

    public init(
        id: FactorID, type: String, status: String, friendlyName: String?, phone: String?, createdAt: Timestamp,
        updatedAt: Timestamp, lastChallengedAt: Timestamp?, webAuthnAAGUID: String? = nil,
        lastWebAuthnChallengeData: JSONText? = nil
    ) {
        self.id = id
        self.type = type
        self.status = status
        self.friendlyName = friendlyName
        self.phone = phone
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.lastChallengedAt = lastChallengedAt
        self.webAuthnAAGUID = webAuthnAAGUID
        self.lastWebAuthnChallengeData = lastWebAuthnChallengeData
    }
}
