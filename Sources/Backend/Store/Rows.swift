public import Backend
public import Bytes
public import JSON

/// Times are stored with microseconds, in UTC.
public typealias StoreTime = Timestamp

/// `auth.users`. Texts that the reference cannot read as NULL are never nil here. Source: supabase-schema.md 6, 8.
@dynamicMemberLookup
public struct UserRow: Sendable {
    /// The columns; reached through the row.
    public struct Values: Sendable {
        public var id: UserID
        public var audience: String
        public var role: String
        public var email: String?
        /// nil and `""` both mean that there is no password.
        public var encryptedPassword: String? = ""
        public var emailConfirmedAt: Timestamp?
        public var invitedAt: Timestamp?
        public var confirmationToken = ""
        public var confirmationSentAt: Timestamp?
        public var recoveryToken = ""
        public var recoverySentAt: Timestamp?
        public var emailChangeTokenNew = ""
        public var emailChange = ""
        public var emailChangeSentAt: Timestamp?
        public var emailChangeTokenCurrent = ""
        public var emailChangeConfirmStatus = 0
        public var lastSignInAt: Timestamp?
        public var appMetadata: JSONText = .emptyObject
        public var userMetadata: JSONText = .emptyObject
        public var phone: String?
        public var phoneConfirmedAt: Timestamp?
        public var phoneChange = ""
        public var phoneChangeToken = ""
        public var phoneChangeSentAt: Timestamp?
        public var reauthenticationToken = ""
        public var reauthenticationSentAt: Timestamp?
        public var bannedUntil: Timestamp?
        public var deletedAt: Timestamp?
        public var isSSOUser = false
        public var isAnonymous = false
        public var createdAt: Timestamp
        public var updatedAt: Timestamp

        /// Generated column: the earlier of the two confirmations.
        public var confirmedAt: Timestamp? {
            guard let email = emailConfirmedAt else { return phoneConfirmedAt }
            guard let phone = phoneConfirmedAt else { return email }
            return min(email, phone)
        }
    }

    @usableFromInline var shared: CopyOnWrite<Values>

    public init(_ values: Values) {
        shared = CopyOnWrite(values)
    }

    public init(id: UserID, audience: String, role: String, createdAt: Timestamp) {
        self.init(Values(id: id, audience: audience, role: role, createdAt: createdAt, updatedAt: createdAt))
    }

    /// All columns, for who needs many of them.
    @inlinable
    public var values: Values {
        _read { yield shared.value }
        _modify { yield &shared.value }
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

/// Columns of ``UserRow`` that an update writes. `updatedAt` is always written.
public struct UserColumns: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    private init(bit: UInt64) { rawValue = 1 << bit }

    public static let audience = UserColumns(bit: 0)
    public static let role = UserColumns(bit: 1)
    public static let email = UserColumns(bit: 2)
    public static let encryptedPassword = UserColumns(bit: 3)
    public static let emailConfirmedAt = UserColumns(bit: 4)
    public static let invitedAt = UserColumns(bit: 5)
    /// Token and sent time together.
    public static let confirmation = UserColumns(bit: 6)
    public static let recovery = UserColumns(bit: 7)
    /// All six columns of a pending e-mail change.
    public static let emailChange = UserColumns(bit: 8)
    public static let lastSignInAt = UserColumns(bit: 9)
    public static let appMetadata = UserColumns(bit: 10)
    public static let userMetadata = UserColumns(bit: 11)
    public static let phone = UserColumns(bit: 12)
    public static let phoneConfirmedAt = UserColumns(bit: 13)
    /// All three columns of a pending change of number.
    public static let phoneChange = UserColumns(bit: 14)
    public static let reauthentication = UserColumns(bit: 15)
    public static let bannedUntil = UserColumns(bit: 16)
    public static let deletedAt = UserColumns(bit: 17)
    public static let isAnonymous = UserColumns(bit: 18)
    public static let isSSOUser = UserColumns(bit: 19)
}

/// `auth.identities`.
public struct IdentityRow: Sendable {
    public var id: IdentityID
    public var providerID: String
    public var userID: UserID
    public var provider: String
    public var data: JSONText
    public var lastSignInAt: Timestamp?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    /// Generated column; ignored by writes.
    public var email: String?

    public init(
        id: IdentityID, providerID: String, userID: UserID, provider: String, data: JSONText,
        lastSignInAt: Timestamp?, createdAt: Timestamp
    ) {
        self.id = id
        self.providerID = providerID
        self.userID = userID
        self.provider = provider
        self.data = data
        self.lastSignInAt = lastSignInAt
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}

/// `auth.sessions`.
@dynamicMemberLookup
public struct SessionRow: Sendable {
    /// The columns; reached through the row.
    public struct Values: Sendable {
        public var id: SessionID
        public var userID: UserID
        public var createdAt: Timestamp
        public var updatedAt: Timestamp
        public var factorID: FactorID?
        /// `aal1`, `aal2`.
        public var aal = "aal1"
        public var notAfter: Timestamp?
        public var refreshedAt: Timestamp?
        public var userAgent: String?
        public var ip: String?
        public var tag: String?
        public var oauthClientID: UUID?
        public var refreshTokenHMACKey: String?
        public var refreshTokenCounter: Int64?
        public var scopes: String?
    }

    @usableFromInline var shared: CopyOnWrite<Values>

    public init(_ values: Values) {
        shared = CopyOnWrite(values)
    }

    public init(id: SessionID, userID: UserID, createdAt: Timestamp) {
        self.init(Values(id: id, userID: userID, createdAt: createdAt, updatedAt: createdAt))
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

/// `auth.refresh_tokens`: the classic format.
public struct RefreshTokenRow: Sendable {
    public var id: Int64 = 0
    public var token: String
    public var userID: UserID
    public var isRevoked = false
    public var parent: String?
    public var sessionID: SessionID?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp

    public init(token: String, userID: UserID, parent: String?, sessionID: SessionID?, createdAt: Timestamp) {
        self.token = token
        self.userID = userID
        self.parent = parent
        self.sessionID = sessionID
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}

/// `auth.mfa_amr_claims`.
public struct AMRClaimRow: Sendable {
    public var method: String
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    public init(method: String, createdAt: Timestamp, updatedAt: Timestamp) {
        self.method = method
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// `auth.one_time_token_type`.
public enum OneTimeTokenType: String, Sendable, CaseIterable {
    case confirmation = "confirmation_token"
    case reauthentication = "reauthentication_token"
    case recovery = "recovery_token"
    case emailChangeNew = "email_change_token_new"
    case emailChangeCurrent = "email_change_token_current"
    case phoneChange = "phone_change_token"
}

/// `auth.one_time_tokens`.
public struct OneTimeTokenRow: Sendable {
    public var id: UUID
    public var userID: UserID
    public var type: OneTimeTokenType
    public var hash: String
    public var relatesTo: String
    public var createdAt: Timestamp
    public init(
        id: UUID, userID: UserID, type: OneTimeTokenType, hash: String, relatesTo: String, createdAt: Timestamp
    ) {
        self.id = id
        self.userID = userID
        self.type = type
        self.hash = hash
        self.relatesTo = relatesTo
        self.createdAt = createdAt
    }
}

/// `auth.mfa_factors`, as far as a user shows it.
public struct FactorRow: Sendable {
    public var id: FactorID
    public var userID: UserID
    public var friendlyName = ""
    public var type: String
    public var status: String
    public var phone: String?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    public var lastChallengedAt: Timestamp?
    public var webAuthnAAGUID: String?
    public var lastWebAuthnChallengeData: JSONText?
    public init(id: FactorID, userID: UserID, type: String, status: String, createdAt: Timestamp) {
        self.id = id
        self.userID = userID
        self.type = type
        self.status = status
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}

/// `auth.flow_state`.
public struct FlowStateRow: Sendable {
    public var id: FlowStateID
    public var userID: UserID?
    public var authCode: String?
    /// `s256` or `plain`.
    public var codeChallengeMethod: String?
    public var codeChallenge: String?
    public var providerType: String
    public var providerAccessToken = ""
    public var providerRefreshToken = ""
    public var authenticationMethod: String
    public var authCodeIssuedAt: Timestamp?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp
    public init(id: FlowStateID, providerType: String, authenticationMethod: String, createdAt: Timestamp) {
        self.id = id
        self.providerType = providerType
        self.authenticationMethod = authenticationMethod
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}

/// `auth.audit_log_entries`.
public struct AuditRow: Sendable {
    public var id: UUID
    public var payload: JSONText
    public var createdAt: Timestamp
    public var ipAddress = ""
    public init(id: UUID, payload: JSONText, createdAt: Timestamp) {
        self.id = id
        self.payload = payload
        self.createdAt = createdAt
    }
}

/// A page of the audit log. Source: supabase-admin.md 8.1.
public struct AuditSearch: Sendable {
    /// Which members of the payload a text is looked for in.
    public enum Scope: String, Sendable, CaseIterable {
        /// `actor_username` or `actor_name`.
        case author
        case action
        /// `log_type`.
        case type
    }
    /// nil: every entry.
    public var scope: Scope?
    /// A part of the member's text, whatever its letter case; `%` and `_` are wildcards.
    public var text: String
    public var offset: Int
    public var limit: Int
    public init(scope: Scope?, text: String, offset: Int, limit: Int) {
        self.scope = scope
        self.text = text
        self.offset = offset
        self.limit = limit
    }
}

/// A message that a transaction decided on; ours alone, in `drawbridge_outbox`.
public struct OutboxRow: Sendable {
    public var id: Int64 = 0
    /// `email` or `sms`.
    public var channel: String
    public var recipient: String
    /// What is to be sent, in the sender's own form. Holds codes: deleted with the row once delivered.
    public var payload: JSONText
    public var createdAt: Timestamp
    public var nextTryAt: Timestamp
    public var tries = 0
    public init(channel: String, recipient: String, payload: JSONText, createdAt: Timestamp) {
        self.channel = channel
        self.recipient = recipient
        self.payload = payload
        self.createdAt = createdAt
        nextTryAt = createdAt
    }
}

/// A message in the built-in inbox; ours alone, in `drawbridge_inbox`. Source: interface.md "Addresses".
public struct InboxRow: Sendable {
    public var id: Int64 = 0
    /// `email` or `sms`.
    public var channel: String
    public var recipient: String
    public var sender: String
    public var subject: String
    public var html: String
    public var text: String
    /// The one-time code in it, when there is one.
    public var code: String?
    /// The confirmation link in it, when there is one.
    public var link: String?
    public var createdAt: Timestamp
    public init(
        channel: String, recipient: String, sender: String, subject: String, html: String, text: String,
        code: String?, link: String?, createdAt: Timestamp
    ) {
        self.channel = channel
        self.recipient = recipient
        self.sender = sender
        self.subject = subject
        self.html = html
        self.text = text
        self.code = code
        self.link = link
        self.createdAt = createdAt
    }
}

/// Everything a token check looks at, read at one moment. A class, since it is handed on by everyone who looks at it.
public final class AccountRows: Sendable {
    public let user: UserRow
    public let identities: [IdentityRow]
    public let factors: [FactorRow]
    /// nil when there is no such session, or none was asked for.
    public let session: SessionRow?
    public init(user: UserRow, identities: [IdentityRow], factors: [FactorRow], session: SessionRow?) {
        self.user = user
        self.identities = identities
        self.factors = factors
        self.session = session
    }

    /// The same with another state of the user's row.
    public func with(_ user: UserRow) -> AccountRows {
        AccountRows(user: user, identities: identities, factors: factors, session: session)
    }
}

/// What a refresh token leads to, read at one moment.
public struct RefreshTarget: Sendable {
    public var token: RefreshTokenRow
    /// nil when the user is gone; its `session` is nil when the token's session is.
    public var account: AccountRows?
    /// The session's methods, newest first.
    public var amr: [AMRClaimRow]
    public init(token: RefreshTokenRow, account: AccountRows?, amr: [AMRClaimRow] = []) {
        self.token = token
        self.account = account
        self.amr = amr
    }
}

/// A page of users. Source: supabase-admin.md 4.1.
public struct UserQuery: Sendable {
    public var audience: String
    /// Text in the address (case-sensitive) or in `full_name` (not); `%` and `_` are wildcards.
    public var filter: String?
    public var isAscending: Bool
    public var offset: Int
    public var limit: Int
    /// Only users behind this one in the order asked for; then nothing is counted and ``offset`` is not looked at.
    public var after: Place?

    /// A place in the list.
    public enum Place: Sendable, Equatable {
        case start
        case user(createdAt: Timestamp, id: UserID)
    }

    public init(audience: String, filter: String?, isAscending: Bool, offset: Int, limit: Int) {
        self.audience = audience
        self.filter = filter
        self.isAscending = isAscending
        self.offset = offset
        self.limit = limit
    }
}

/// A step of the clean-up. Source: supabase-schema.md 10.
public enum CleanUpStep: Sendable, CaseIterable {
    case revokedRefreshTokens
    case refreshTokensOfEndedSessions
    case endedSessions
    case flowStates
    case challenges
    case unverifiedFactors
    case anonymousUsers
}
