public import Bytes
public import JSON

/// A PKCE challenge as the client sent it (RFC 7636); nil members were absent, null or empty.
public struct PKCEChallenge: Sendable {
    public var challenge: String?
    public var method: String?
    public init(challenge: String? = nil, method: String? = nil) {
        self.challenge = challenge
        self.method = method
    }
}

/// `POST /signup` with an address. Source: supabase-core.md 10.1. Texts are as sent; the backend judges them.
public struct SignUp: Sendable {
    public var email: String?
    public var phone: String?
    public var password: Password?
    public var userMetadata: JSONObject?
    public var channel: String?
    public var pkce = PKCEChallenge()
    public init() {}
}

/// What a sign-up led to.
public enum SignUpOutcome: Sendable {
    /// Confirmed at once: the caller is signed in.
    case signedIn(Session)
    /// The account, or a look-alike of one that exists already (supabase-core.md 10.1, "obfuscated").
    case awaitsConfirmation(User)
}

/// `POST /token?grant_type=password`. Source: supabase-core.md 10.3.1.
public struct PasswordSignIn: Sendable {
    public var email: String?
    public var phone: String?
    public var password: Password
    public init(email: String?, phone: String?, password: Password) {
        self.email = email
        self.phone = phone
        self.password = password
    }
}

/// `POST /token?grant_type=pkce`. Source: supabase-core.md 10.3.3.
public struct PKCEExchange: Sendable {
    public var authCode: RawToken
    public var codeVerifier: RawToken
    public init(authCode: RawToken, codeVerifier: RawToken) {
        self.authCode = authCode
        self.codeVerifier = codeVerifier
    }
}

/// `POST /verify`. Source: supabase-core.md 10.8. Absent members are nil or empty.
public struct Verification: Sendable {
    public var type: String
    public var code: OneTimeCode?
    public var tokenHash: RawToken?
    public var email: String?
    public var phone: String?
    /// `redirect_to` of the body (a fault beside a token hash).
    public var redirectTo: String?
    public init(type: String) { self.type = type }
}

/// What a code or token hash led to.
public enum VerificationOutcome: Sendable {
    case signedIn(Session)
    /// The first of the two confirmations of a secure e-mail change.
    case otherHalfAwaited
}

/// `GET /verify`: a link of a mail was opened. Source: supabase-core.md 10.7.
public struct LinkVerification: Sendable {
    public var type: String
    public var token: RawToken
    public init(type: String, token: RawToken) {
        self.type = type
        self.token = token
    }
}

/// Where the browser goes after a link was opened, and with what.
public struct LinkOutcome: Sendable {
    /// What the browser takes along to the target.
    public enum Result: Sendable {
        case signedIn(Session, type: String)
        /// PKCE: the code to exchange, no session yet.
        case code(RawToken)
        case otherHalfAwaited(isPKCE: Bool)
        case failed(AuthError, isPKCE: Bool)
        /// A remote server's own `Location`, handed on as it is.
        case location(String)
    }
    /// The redirect target that passed the allow list.
    public var target: String
    public var result: Result
    public init(target: String, result: Result) {
        self.target = target
        self.result = result
    }
}

/// `POST /logout?scope=…`. Source: supabase-core.md 10.11.
public enum SignOutScope: String, Sendable {
    case global, local, others
}

/// `PUT` or `PATCH /user`. Source: supabase-core.md 10.13. A nil member was absent or null: no change.
@dynamicMemberLookup
public struct UpdateUser: Sendable {
    /// The members; reached through the operation.
    public struct Values: Sendable {
        public var email: String?
        public var phone: String?
        public var channel: String?
        public var password: Password?
        public var currentPassword: Password?
        public var nonce: OneTimeCode?
        public var userMetadata: JSONObject?
        public var appMetadata: JSONObject?
        public var pkce = PKCEChallenge()
    }

    @usableFromInline var shared: CopyOnWrite<Values>

    /// All members, for who needs many of them.
    @inlinable
    public var values: Values {
        _read { yield shared.value }
        _modify { yield &shared.value }
    }

    public init() {
        shared = CopyOnWrite(Values())
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

/// `POST` or `PUT /admin/users`. Source: supabase-admin.md 4.2, 4.4. A nil member was absent or null.
public struct AdminUserAttributes: Sendable {
    public var id: String?
    public var audience: String?
    public var role: String?
    public var email: String?
    public var phone: String?
    public var password: Password?
    public var passwordHash: String?
    public var confirmsEmail = false
    public var confirmsPhone = false
    public var userMetadata: JSONObject?
    public var appMetadata: JSONObject?
    /// A Go duration, `none`, or a whole number of nanoseconds (clients.md 3).
    public var banDuration: String?
    public init() {}
}

/// `GET /admin/users`. Source: supabase-admin.md 4.1. Texts are as sent.
public struct UserListQuery: Sendable {
    public var page: String?
    public var perPage: String?
    public var sort: [String] = []
    public var filter: String?
    /// Of cursor paging.
    public var limit: String?
    public var cursor: String?
    public init() {}
}

/// `PUT /admin/users/{id}/factors/{id}`. Source: supabase-admin.md 5. A nil member was absent, null or empty.
public struct AdminFactorAttributes: Sendable {
    public var friendlyName: String?
    public var phone: String?
    public init(friendlyName: String?, phone: String?) {
        self.friendlyName = friendlyName
        self.phone = phone
    }
}

/// A page of users, with what the paging headers need.
public struct UserPage: Sendable {
    public var users: [User]
    public var audience: String
    public var total: Int
    /// 1-based, as asked: 0 shows the first page too but is told as 0 (paging links count from it).
    public var page: Int
    public var perPage: Int
    /// Where the list was walked by cursors: nothing is counted and pages have no numbers.
    public var cursor: Cursor?

    /// What follows a page.
    public struct Cursor: Sendable, Equatable {
        /// The cursor of the next page; nil at the end.
        public var next: String?
        public init(next: String?) { self.next = next }
    }

    public init(users: [User], audience: String, total: Int, page: Int, perPage: Int, cursor: Cursor? = nil) {
        self.users = users
        self.audience = audience
        self.total = total
        self.page = page
        self.perPage = perPage
        self.cursor = cursor
    }
}

/// What `GET /settings` tells. Source: supabase-core.md 10.14.
public struct PublicSettings: Sendable {
    /// The member names of `external` whose provider is on.
    public var enabledProviders: Set<String>
    public var isSignUpDisabled: Bool
    public var autoconfirmsEmail: Bool
    public var autoconfirmsPhone: Bool
    public var smsProvider: String
    public var isSAMLEnabled: Bool
    public var arePasskeysEnabled: Bool
    /// Providers of a remote server that we do not know, on or off.
    public var unknownProviders: JSONObject?
    /// Members that a remote server sent and that we do not know: shown as they came.
    public var unknownMembers: JSONObject?
    public init(
        enabledProviders: Set<String>, isSignUpDisabled: Bool, autoconfirmsEmail: Bool, autoconfirmsPhone: Bool,
        smsProvider: String = "", isSAMLEnabled: Bool = false, arePasskeysEnabled: Bool = false
    ) {
        self.enabledProviders = enabledProviders
        self.isSignUpDisabled = isSignUpDisabled
        self.autoconfirmsEmail = autoconfirmsEmail
        self.autoconfirmsPhone = autoconfirmsPhone
        self.smsProvider = smsProvider
        self.isSAMLEnabled = isSAMLEnabled
        self.arePasskeysEnabled = arePasskeysEnabled
    }
}
