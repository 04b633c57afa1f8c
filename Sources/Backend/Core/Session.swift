public import Bytes
public import JSON

/// Tokens for a sign-in, with the account they are for. Source: supabase-core.md 4.4.
public struct Session: Sendable {
    public var accessToken: RawToken
    public var refreshToken: RawToken
    /// Whole seconds that the access token lives from now.
    public var expiresIn: Int
    public var expiresAt: Timestamp
    public var user: User
    public var sessionID: SessionID?
    /// Set by the password grant alone (where the wire shows `null` for a password without fault).
    public var passwordJudgement: PasswordJudgement?
    public var providerToken: RawToken?
    public var providerRefreshToken: RawToken?
    /// Members that a remote server sent and that we do not know: shown as they came.
    public var unknownMembers: JSONObject?

    public init(
        accessToken: RawToken, refreshToken: RawToken, expiresIn: Int, expiresAt: Timestamp, user: User,
        sessionID: SessionID?
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.expiresAt = expiresAt
        self.user = user
        self.sessionID = sessionID
    }
}

/// What the password rules say of a password that was just used to sign in.
public enum PasswordJudgement: Sendable {
    case fine
    case weak(message: String, reasons: [String])
}
