public import Bytes

/// The rules' settings. Two presets, each member can then be set by its own name; a rule reads members and never asks
/// which preset they come from. Source: architecture.md decision 1, supabase-core.md 13, interface.md.
@dynamicMemberLookup
public struct Policy: Sendable {
    /// The settings; reached through the policy.
    public struct Values: Sendable {
        // Who may come in.
        public var isSignUpDisabled = false
        public var isEmailEnabled = true
        /// `/magiclink`, and `/otp` with an address.
        public var isMagicLinkEnabled = true
        public var isPhoneEnabled = false
        public var areAnonymousSignInsEnabled = false
        public var autoconfirmsEmail = false
        public var autoconfirmsPhone = false

        // Passwords (supabase-core.md 8.6).
        /// Bytes; never below 6.
        public var passwordLengthMin = 6
        /// Sets of characters, of each of which a password needs one.
        public var passwordCharacterSets: [String] = []
        /// Nobody can say whether a new password is known to the world: it is refused instead of taken.
        public var leakedPasswordCheckFailsClosed = false
        /// bcrypt's cost for new hashes, 4 to 31.
        public var bcryptCost = 10
        public var passwordChangeNeedsCurrent = false
        public var passwordChangeNeedsReauthentication = false

        // Tokens (6, 7).
        public var accessTokenLifetime: Duration = .seconds(3600)
        /// `iss` of access tokens; nil leaves it out.
        public var issuer: String?
        public var audience = "authenticated"
        /// Audiences that `X-JWT-AUD` may choose beside ``audience``; nil means any (the reference).
        public var allowedAudiences: Set<String>? = []
        /// The role of new users.
        public var defaultRole = "authenticated"
        public var administratorRoles: Set<String> = ["service_role", "supabase_admin"]
        /// The user role that may change `app_metadata` with its own token.
        public var administratorGroup = "admin"
        /// A user token without `exp` is refused (keys of administrators excepted).
        public var userTokensNeedExpiry = true
        public var rotatesRefreshTokens = true
        public var refreshReuseInterval: Duration = .seconds(10)
        /// New sessions get counter tokens (`GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION=2`), which need no rows.
        public var issuesCounterTokens = false
        /// How many of a hundred sessions with classic tokens get counter tokens at their next refresh.
        public var counterUpgradePercentage = 0
        /// Old counter tokens of a living session are good at any time.
        public var allowsRefreshReuse = false
        public var sessionTimebox: Duration?
        public var sessionInactivity: Duration?
        public var sessionsAllowLowAAL: Duration?
        public var allowsSingleSessionOnly = false
        public var sessionTags: [String] = []

        // Codes and links (8, 9).
        public var emailCodeLifetime: Duration = .seconds(86_400)
        /// Digits, 6 to 10.
        public var emailCodeLength = 6
        public var smsCodeLifetime: Duration = .seconds(60)
        public var smsCodeLength = 6
        public var emailSendInterval: Duration = .seconds(60)
        public var smsSendInterval: Duration = .seconds(60)
        /// Fixed codes by number (digits alone): nothing is sent to these, and their code is always good.
        /// Source: supabase-core.md 8.5.
        public var testCodes: [String: OneTimeCode] = [:]
        /// When the fixed codes stop to be good; nil means never.
        public var testCodesEndAt: Timestamp?
        /// Wrong tries after which a code is dead; nil means uncounted (the reference).
        public var wrongCodesMax: Int? = 5
        public var flowStateLifetime: Duration = .seconds(300)
        /// An e-mail change needs both addresses when there is an old one.
        public var emailChangeNeedsBoth = true
        /// With auto-confirm, the new address still has to prove itself (deviations.md).
        public var newAddressMustProveItself = true
        /// Only these addresses get mail; empty means all.
        public var authorizedAddresses: Set<String> = []
        /// How many mails may leave.
        public var emailLimit = SendLimit.perHour(30)
        /// How many text messages may leave.
        public var smsLimit = SendLimit.perHour(30)

        // Where mails lead (9.3, 9.4).
        public var siteURL = "http://localhost:3000"
        public var redirectPatterns: [String] = []
        public var externalURL = "http://127.0.0.1:8000/auth/v1"
        public var externalHosts: [String] = []
        /// Path or URL per kind of link, resolved against ``externalURL``; nil stands for `verify` below it.
        public var linkPaths = LinkPaths()

        /// Lists of users can be walked by cursors (`GOTRUE_EXPERIMENTAL_CURSOR_PAGINATION_ENABLED`).
        public var pagesByCursor = false

        // How an account is protected beyond the reference (deviations.md).
        /// The password is looked at before a ban is told.
        public var tellsBanOnlyAfterPassword = true
        /// Mails are made and delivered before the rows are written, and a failure is answered with nothing kept (the
        /// reference's promise); otherwise they wait in the outbox of the same transaction.
        public var deliversBeforeCommit = false
        /// The same answer for known and unknown addresses (sovaria.md Q12).
        public var preventsEnumeration = true
        /// While sign-ups are off, an unknown address gets the answer of one that may not be created, and an
        /// unconfirmed account counts as known (sovaria.md "Passwordless"); the reference tells that sign-ups are off.
        public var hidesClosedSignUps = true
        /// Bytes of the merged user metadata as compact JSON; nil means only the body's limit.
        public var userMetadataBytesMax: Int? = 16 * 1024

        // Notices to the account's address; all off by default.
        public var notifiesPasswordChanged = false
        public var notifiesEmailChanged = false

        /// Clean-up of old rows while the server runs (supabase-core.md 7.6).
        public var cleansUp = false
        /// Days an anonymous account is kept; 0 means for ever.
        public var anonymousRetentionDays = 30
        /// Audit entries are written to their table.
        public var keepsAuditLog = true
    }

    @usableFromInline var shared = CopyOnWrite(Values())

    public init() {}

    @inlinable
    public subscript<Member>(dynamicMember member: KeyPath<Values, Member>) -> Member {
        shared.value[keyPath: member]
    }

    @inlinable
    public subscript<Member>(dynamicMember member: WritableKeyPath<Values, Member>) -> Member {
        _read { yield shared.value[keyPath: member] }
        _modify { yield &shared.value[keyPath: member] }
    }

    /// Sovaria's rules, the default. Source: sovaria.md part 3.
    public static var sovaria: Policy { Policy() }

    /// The reference's rules, as recorded in the cases. Source: supabase-core.md 13, deviations.md.
    public static var supabase: Policy {
        var policy = Policy()
        policy.allowedAudiences = nil
        policy.userTokensNeedExpiry = false
        policy.refreshReuseInterval = .zero
        policy.wrongCodesMax = nil
        policy.newAddressMustProveItself = false
        policy.tellsBanOnlyAfterPassword = false
        policy.deliversBeforeCommit = true
        policy.preventsEnumeration = false
        policy.hidesClosedSignUps = false
        policy.userMetadataBytesMax = nil
        return policy
    }
}

extension Policy {
    /// The fixed code of a number, while there is one.
    public func testCode(for phone: String, at now: Timestamp) -> OneTimeCode? {
        guard let code = self.testCodes[phone], !code.isEmpty else { return nil }
        if let testCodesEndAt = self.testCodesEndAt, now >= testCodesEndAt { return nil }
        return code
    }
}

/// The paths of mail links (`GOTRUE_MAILER_URLPATHS_*`). Source: supabase-core.md 9.4.
public struct LinkPaths: Sendable {
    public var confirmation: String?
    public var invite: String?
    public var recovery: String?
    public var emailChange: String?
    public init() {}
}

/// How many messages may leave the whole server. Source: supabase-admin.md 16.
public enum SendLimit: Sendable, Equatable {
    /// At most so many in fixed windows of an hour.
    case perHour(Int)
    /// A bucket of so many that gains one per duration.
    case bucket(Int, gainsOneEvery: Duration)
    case unlimited
}
