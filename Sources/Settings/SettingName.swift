/// One name that may be set, with what its value may be.
public struct SettingName: Sendable {
    /// What setting the name does in this version.
    public enum Life: Sendable {
        /// It counts.
        case inForce
        /// It is read and judged, has no effect yet, and setting it is told at start.
        case later
        /// It has no effect and nobody misses it (a log level of the reference, its pool sizes).
        case silent
    }

    /// The full name.
    public let name: String
    /// What a value may be.
    public let kind: SettingKind
    /// The default as it would be written; empty when there is none.
    public let defaultText: String
    public let life: Life
    /// Further names of the same setting, looked up after ``name`` within one source.
    public let aliases: [String]

    init(
        _ name: String, _ kind: SettingKind, default defaultText: String = "", life: Life = .inForce,
        also aliases: [String] = []
    ) {
        self.name = name
        self.kind = kind
        self.defaultText = defaultText
        self.life = life
        self.aliases = aliases
    }

    private static let secretEndings = ["_SECRET", "_SECRETS", "_KEY", "_KEYS", "_PASS", "_TOKEN", "_KEY_NEXT"]
    private static let secretNames: Set<String> = [
        "DATABASE_URL", "GOTRUE_SMS_TEST_OTP", "GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS", "ANON_KEY_ASYMMETRIC",
        "SERVICE_ROLE_KEY_ASYMMETRIC", "GOTRUE_SMTP_HEADERS", "GOTRUE_MAILER_EMAIL_VALIDATION_SERVICE_HEADERS",
    ]
    /// End like secrets but are paths or public names.
    private static let openNames: Set<String> = ["DRAWBRIDGE_TLS_KEY"]

    /// The value is never printed. Source: supabase-config.md 8.
    public var isSecret: Bool {
        if Self.openNames.contains(name) { return false }
        return Self.secretNames.contains(name) || Self.secretEndings.contains { name.hasSuffix($0) }
    }
}

/// What the value of a setting may be. Source: supabase-config.md 1.
public enum SettingKind: Sendable, Equatable {
    /// Which JSON a setting that holds JSON must be.
    public enum JSONShape: Sendable { case array, object }

    case text
    case flag
    case whole(ClosedRange<Int64>)
    /// A number of 0 or more.
    case decimal
    case duration
    /// A duration above 0.
    case positiveDuration
    /// Items separated by commas, blanks around them taken away.
    case list
    /// `key:value` pairs separated by commas.
    case map
    /// `N` an hour, or `N/duration`.
    case rate
    /// An instant in the form of RFC 3339.
    case time
    case json(JSONShape)
    /// An absolute http or https URL.
    case url
    /// Several of them, separated by commas.
    case urls
    case choice([String])
    /// Bytes, such as `16KiB`.
    case size
    /// `HOST:PORT`, `[::1]:PORT` or `PORT`.
    case address
    /// Networks such as `10.0.0.0/8`.
    case networks
    /// A host's name or address without a port.
    case host
    case headerName
    /// Calling codes such as `+91`.
    case callingCodes
    /// Where a hook is called: https, http to this machine, or pg-functions.
    case hookURI
}

/// Where a value comes from, the weakest first.
public enum SettingSource: Sendable, Equatable, CustomStringConvertible {
    case preset
    case envFile(String)
    case environment
    case flag(String)
    case listenerFile(String)

    public var description: String {
        switch self {
        case .preset: "default"
        case .envFile(let path): path
        case .environment: "environment"
        case .flag(let name): name
        case .listenerFile(let path): path
        }
    }
}

/// What is wrong with the settings: one line for each fault.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    public let faults: [String]
    public init(_ faults: [String]) { self.faults = faults }
    public var description: String { faults.joined(separator: "\n") }
}
