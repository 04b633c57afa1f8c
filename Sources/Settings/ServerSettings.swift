public import Backend
public import Bytes

/// Everything that is set for one listener, typed.
///
/// Made by ``SettingsReader``. What only the process as a whole can have (data folder, loops, log) is the same in all.
public struct ServerSettings: Sendable {
    // The process.
    public var dataFolder = "./drawbridge-data"
    public var listen = ListenAddress(host: "127.0.0.1", port: 8000)
    public var adminListen: ListenAddress?
    /// nil lets the number of cores decide.
    public var loops: Int?
    /// nil lets the terminal decide.
    public var log: LogFormat?
    public var inbox = InboxMode.automatic
    /// How long connections are still taken after SIGTERM while `/readyz` answers 503.
    public var stopDelay: Duration = .seconds(5)
    /// A PEM file with the authorities that outgoing calls trust; nil: the system's.
    public var trustedAuthoritiesFile: String?

    // The door.
    public var hasBarePaths = true
    public var trustedProxies: [IPNetwork] = []
    /// The request header whose value names requests in the log and in 5xx answers.
    public var requestIDHeader: String?
    public var requestDurationMax: Duration? = .seconds(10)
    public var cors = CORSSettings()
    public var rateLimits = RateLimitSettings()
    public var keys = KeySettings()
    public var upstreams: [UpstreamName: [String]] = [:]
    public var errorsHaveDetail = true
    public var isSupabasePolicy = false
    /// nil: the rules and rows are this process's own.
    public var remote: RemoteSettings?

    // The rules.
    public var policy = Policy.sovaria
    public var tokens = TokenSettings()
    public var mail = MailSettings()
    /// nil: passwords are not looked up among leaked ones.
    public var leakedPasswords: LeakedPasswordSettings?
    /// The member names of `external` in GET /settings whose provider is on.
    public var enabledProviders: Set<String> = []
    public var smsProvider = ""
    /// A hook is set that text messages are to go to.
    public var hasSMSHook = false
    public var isSAMLEnabled = false
    public var arePasskeysEnabled = false

    public init() {}

    /// How the access log is written (`DRAWBRIDGE_LOG`).
    public enum LogFormat: String, Sendable { case text, json, off }
    /// When the built-in inbox is open (`DRAWBRIDGE_INBOX`).
    public enum InboxMode: String, Sendable {
        case automatic = "auto"
        case on
        case off
    }
}

/// Who is asked about leaked passwords (`GOTRUE_PASSWORD_HIBP_*`, `DRAWBRIDGE_LEAKED_PASSWORDS_URL`).
public struct LeakedPasswordSettings: Sendable, Equatable {
    /// The digits asked for are put behind it; nil is the public service.
    public var url: String?
    public var userAgent: String
}

/// What the gateway allows to other origins. Source: gateway.md 6, deviations.md.
public struct CORSSettings: Sendable, Equatable {
    /// `GOTRUE_CORS_ALLOWED_HEADERS`.
    public var furtherHeaders: [String] = []
    /// Every header that a preflight asks for is allowed.
    public var allowsEveryHeader = true
}

/// Limits for each client. Source: supabase-admin.md 16.
public struct RateLimitSettings: Sendable, Equatable {
    /// The header that names the client; nil with ``byPeer`` off limits nobody.
    public var header: String?
    public var byPeer = true
    /// `Sb-Forwarded-For` is believed.
    public var trustsForwardedFor = false
    public var verify = 30.0
    public var tokenRefresh = 150.0
    public var otp = 30.0
    public var anonymousUsers = 30.0
    public var sso = 30.0
    public var web3 = 30.0
    public var passkey = 30.0
    public var factorChallengeAndVerify = 15.0
    public var samlAssertion = 15.0
    public var clientRegister = 10.0
}

/// The auth server behind this one (`DRAWBRIDGE_BACKEND=remote`).
public struct RemoteSettings: Sendable {
    /// Where its paths begin: `http://host:9999`, or with `/auth/v1` for one behind a gateway.
    public var url: String
    /// What its gateway wants as `apikey`.
    public var anonymousKey: RawToken?
    /// Stands in for callers of the service role that bring no token of their own.
    public var serviceKey: RawToken?

    public init(url: String, anonymousKey: RawToken? = nil, serviceKey: RawToken? = nil) {
        self.url = url
        self.anonymousKey = anonymousKey
        self.serviceKey = serviceKey
    }
}

/// The configured API keys; printed nowhere.
public struct KeySettings: Sendable {
    public var anonymous: [RawToken] = []
    public var service: [RawToken] = []
}

/// What access tokens are signed and verified with.
public struct TokenSettings: Sendable {
    /// `GOTRUE_JWT_SECRET`; nil lets the data folder's own secret count.
    public var secret: RawToken?
    /// `kid` of the key made from the secret.
    public var keyID: String?
    /// `GOTRUE_JWT_KEYS`: a JSON array of private JWKs.
    public var keys: RawToken?
    /// Algorithms that a user's token may have; nil means those of the keys.
    public var validMethods: [String]?

    public init(keys: RawToken? = nil) { self.keys = keys }
}

/// How mail leaves. Source: supabase-config.md 3.8, 3.9.
public struct MailSettings: Sendable {
    /// nil: no server is set, the built-in inbox keeps the mail.
    public var server: SMTPServer?
    /// From address; never empty.
    public var fromAddress = "noreply@localhost"
    public var senderName = ""
    /// Subject templates by kind (`confirmation`, `email_change` …), as far as they are set.
    public var subjects: [String: String] = [:]
    /// URLs of body templates by kind.
    public var templateURLs: [String: String] = [:]
    public var templateBytesMax = 1_000_000
    public var templateAgeMax: Duration = .seconds(600)
    public var templateRetryInterval: Duration = .seconds(10)
    /// A send-email hook takes the mail.
    public var hasHook = false

    /// Where mail is handed over, as the settings say it.
    public struct SMTPServer: Sendable {
        public var host: String
        public var port: UInt16
        /// Empty: no authentication.
        public var user: String
        public var password: RawToken
    }
}
