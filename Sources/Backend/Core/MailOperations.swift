public import JSON

/// `POST /otp`: a code or link for an address, which signs in. Source: supabase-core.md 10.4.
///
/// Texts are as sent; the backend judges them. Nil members were absent, null or empty.
public struct OneTimeSignIn: Sendable {
    public var email: String?
    public var phone: String?
    /// An account is made for an unknown address.
    public var createsUser = true
    public var userMetadata: JSONObject?
    public var channel: String?
    public var pkce = PKCEChallenge()
    public init() {}
}

/// `POST /magiclink`: a link to an address, which signs in. Source: supabase-core.md 10.5.
public struct MagicLink: Sendable {
    public var email: String?
    public var userMetadata: JSONObject?
    public var pkce = PKCEChallenge()
    public init() {}
}

/// `POST /recover`: a link to an address, behind which a new password is set. Source: supabase-core.md 10.6.
public struct Recovery: Sendable {
    public var email: String?
    public var pkce = PKCEChallenge()
    public init() {}
}

/// `POST /resend`: a message once more, with a new code. Source: supabase-core.md 10.9.
public struct Resend: Sendable {
    /// `signup`, `email_change`, `sms` or `phone_change`, as sent.
    public var type: String
    public var email: String?
    public var phone: String?
    public var pkce = PKCEChallenge()
    public init(type: String) { self.type = type }
}

/// What is told of a message that was asked for. Whether one was sent is not.
public struct MessageReceipt: Sendable, Equatable {
    /// The provider's id of a text message, where one is told.
    public var messageID: String?
    public init(messageID: String? = nil) { self.messageID = messageID }
}

/// `POST /invite`. Source: supabase-admin.md 6.
public struct Invitation: Sendable {
    public var email: String?
    public var userMetadata: JSONObject?
    public init() {}
}

/// `POST /admin/generate_link`: a link as a mail would carry it, for the administrator to send.
/// Source: supabase-admin.md 7.
public struct LinkRequest: Sendable {
    /// `signup`, `invite`, `magiclink`, `recovery`, `email_change_current` or `email_change_new`, as sent.
    public var type: String
    public var email: String?
    public var newEmail: String?
    public var password: Password?
    public var userMetadata: JSONObject?
    /// `redirect_to` of the body; comes before what the context names.
    public var redirectTo: String?
    public init(type: String) { self.type = type }
}

/// A link that was made, with what else uses it up. Source: supabase-admin.md 7.
public struct GeneratedLink: Sendable {
    public var user: User
    /// The whole address; a secret, since whoever opens it is signed in.
    public var actionLink: RawToken
    public var code: OneTimeCode
    public var tokenHash: RawToken
    /// The type to verify with: `signup` where a magic link made the account.
    public var verificationType: String
    /// The redirect target that passed the allow list.
    public var redirectTo: String
    public init(
        user: User, actionLink: RawToken, code: OneTimeCode, tokenHash: RawToken, verificationType: String,
        redirectTo: String
    ) {
        self.user = user
        self.actionLink = actionLink
        self.code = code
        self.tokenHash = tokenHash
        self.verificationType = verificationType
        self.redirectTo = redirectTo
    }
}
