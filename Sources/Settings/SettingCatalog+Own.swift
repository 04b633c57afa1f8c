/// The names of our own and those of a self-hosted `.env`. Source: interface.md, gateway.md 7.
extension SettingCatalog {
    static let own: [SettingName] = [
        .init("DRAWBRIDGE_DATA", .text, default: "./drawbridge-data"),
        .init("DRAWBRIDGE_LISTEN", .address, default: "127.0.0.1:8000"),
        .init("DRAWBRIDGE_ADMIN_LISTEN", .address),
        .init("DRAWBRIDGE_POLICY", .choice(["sovaria", "supabase"]), default: "sovaria"),
        .init("DRAWBRIDGE_BACKEND", .choice(["inprocess", "remote"]), default: "inprocess"),
        .init("DRAWBRIDGE_BARE_PATHS", .flag, default: "true"),
        .init("DRAWBRIDGE_LOOPS", .whole(1...64)),
        .init("DRAWBRIDGE_RATE_LIMIT_BY_PEER", .flag),
        .init("DRAWBRIDGE_TRUSTED_PROXIES", .networks),
        .init("DRAWBRIDGE_TLS_CERT", .text),
        .init("DRAWBRIDGE_TLS_KEY", .text),
        .init("DRAWBRIDGE_LOG", .choice(["text", "json", "off"])),
        .init("DRAWBRIDGE_INBOX", .choice(["auto", "on", "off"]), default: "auto"),
        .init("DRAWBRIDGE_STOP_DELAY", .duration, default: "5s"),
        .init("SSL_CERT_FILE", .text),
        .init("DRAWBRIDGE_ERROR_DETAIL", .flag),
        .init("DRAWBRIDGE_PROJECT_ID", .text, default: "default", life: .later),
    ]

    static let ownRules: [SettingName] = [
        .init("DRAWBRIDGE_RECENT_SIGN_IN", .duration, default: "10m", life: .later),
        .init("DRAWBRIDGE_USER_METADATA_MAX", .size, default: "16KiB"),
        .init("DRAWBRIDGE_ANONYMOUS_RETENTION_DAYS", .whole(0...36_500), default: "30", life: .later),
        .init("DRAWBRIDGE_MAU_LIMIT", .whole(0...1_000_000_000_000), default: "0", life: .later),
        .init("DRAWBRIDGE_ANONYMOUS_SHARE_PERCENT", .whole(0...100), default: "50", life: .later),
        .init("DRAWBRIDGE_NATIVE_CLIENT_IDS_APPLE", .list, life: .later),
        .init("DRAWBRIDGE_NATIVE_CLIENT_IDS_GOOGLE", .list, life: .later),
        .init("DRAWBRIDGE_ISSUER_APPLE", .url, life: .later),
        .init("DRAWBRIDGE_ISSUER_GOOGLE", .url, life: .later),
        .init("DRAWBRIDGE_SMS_ALLOWED_CALLING_CODES", .callingCodes, life: .later),
        .init("DRAWBRIDGE_SMS_BLOCKED_CALLING_CODES", .callingCodes, life: .later),
        .init("DRAWBRIDGE_AUDIENCES", .list),
        .init("DRAWBRIDGE_PREVENT_ENUMERATION", .flag),
        .init("DRAWBRIDGE_LEAKED_PASSWORDS_URL", .url),
        .init("DRAWBRIDGE_SMS_PROVIDER_URL", .url, life: .later),
        .init("DRAWBRIDGE_CAPTCHA_URL", .url, life: .later),
    ]

    static let keys: [SettingName] = [
        .init("ANON_KEY", .text, also: ["SUPABASE_ANON_KEY"]),
        .init("SERVICE_ROLE_KEY", .text, also: ["SUPABASE_SERVICE_KEY"]),
        .init("SUPABASE_PUBLISHABLE_KEY", .text),
        .init("SUPABASE_SECRET_KEY", .text),
        .init("ANON_KEY_ASYMMETRIC", .text, life: .silent),
        .init("SERVICE_ROLE_KEY_ASYMMETRIC", .text, life: .silent),
    ]

    static let upstreams: [SettingName] = UpstreamName.allCases.map {
        SettingName("DRAWBRIDGE_UPSTREAM_\($0.rawValue)", .urls, life: .later)
    }

    static let remote: [SettingName] = [
        .init("DATABASE_URL", .text, also: ["GOTRUE_DB_DATABASE_URL"]),
        .init("DRAWBRIDGE_REMOTE_URL", .url),
        .init("DRAWBRIDGE_REMOTE_DIALECT", .choice(["supabase", "sovaria"])),
        .init("DRAWBRIDGE_REMOTE_ANON_KEY", .text),
        .init("DRAWBRIDGE_REMOTE_SERVICE_KEY", .text),
        .init("DRAWBRIDGE_REMOTE_PROJECT", .text),
    ]

    /// Names that look like settings and are not read, with the right one. Source: supabase-config.md 6.
    static let misleading: [String: String] = [
        "GOTRUE_MAX_VERIFIED_FACTORS": "GOTRUE_MFA_MAX_VERIFIED_FACTORS",
        "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_SECRET": "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_SECRETS",
        "GOTRUE_EXTERNAL_SKIP_NONCE_CHECK": "GOTRUE_EXTERNAL_<NAME>_SKIP_NONCE_CHECK",
        "GOTRUE_API_EXTERNAL_URL": "API_EXTERNAL_URL",
    ]
}

/// The services that may stand behind the gateway. Source: gateway.md 1.
public enum UpstreamName: String, CaseIterable, Sendable {
    case rest = "REST"
    case storage = "STORAGE"
    case realtime = "REALTIME"
    case functions = "FUNCTIONS"
    case graphql = "GRAPHQL"
    case meta = "META"
    case studio = "STUDIO"
}
