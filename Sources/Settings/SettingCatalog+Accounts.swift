/// The names of the reference for its address, its tokens and who may come in.
/// Source: supabase-config.md 3.
extension SettingCatalog {
    static let address: [SettingName] = [
        .init("GOTRUE_API_HOST", .text),
        .init("GOTRUE_API_PORT", .whole(1...65_535), also: ["PORT", "API_GW_HTTP_PORT", "KONG_HTTP_PORT"]),
        .init("GOTRUE_API_ENDPOINT", .text, life: .silent),
        .init("GOTRUE_API_REQUEST_ID_HEADER", .headerName, also: ["REQUEST_ID_HEADER"]),
        .init("GOTRUE_API_API_EXTERNAL_URL", .url, also: ["API_EXTERNAL_URL"]),
        .init("GOTRUE_API_MAX_REQUEST_DURATION", .duration, default: "10s"),
    ]

    static let database: [SettingName] = [
        .init("GOTRUE_DB_DRIVER", .text, life: .silent),
        .init(
            "GOTRUE_DB_DB_NAMESPACE", .text, default: "auth", life: .silent,
            also: ["GOTRUE_DB_NAMESPACE", "DB_NAMESPACE"]),
        .init("GOTRUE_DB_CONN_PERCENTAGE", .whole(0...2_147_483_647), default: "0", life: .silent),
        .init("GOTRUE_DB_MAX_POOL_SIZE", .whole(0...2_147_483_647), default: "0", life: .silent),
        .init("GOTRUE_DB_MAX_IDLE_POOL_SIZE", .whole(0...2_147_483_647), default: "0", life: .silent),
        .init("GOTRUE_DB_CONN_MAX_LIFETIME", .duration, default: "0", life: .silent),
        .init("GOTRUE_DB_CONN_MAX_IDLE_TIME", .duration, default: "0", life: .silent),
        .init("GOTRUE_DB_HEALTH_CHECK_PERIOD", .duration, default: "0", life: .silent),
        .init("GOTRUE_DB_MIGRATIONS_PATH", .text, default: "./migrations", life: .silent),
        .init("GOTRUE_DB_CLEANUP_ENABLED", .flag, default: "false"),
        .init("GOTRUE_DB_ADVISOR_ENABLED", .flag, default: "true", life: .silent),
        .init("GOTRUE_DB_ADVISOR_SAMPLING_INTERVAL", .duration, default: "200ms", life: .silent),
        .init("GOTRUE_DB_ADVISOR_OBSERVATION_INTERVAL", .duration, default: "20s", life: .silent),
    ]

    static let siteAndSignup: [SettingName] = [
        .init("GOTRUE_OPERATOR_TOKEN", .text, life: .silent),
        .init("GOTRUE_SITE_URL", .url, also: ["SITE_URL"]),
        .init("GOTRUE_URI_ALLOW_LIST", .list, also: ["ADDITIONAL_REDIRECT_URLS"]),
        .init("GOTRUE_DISABLE_SIGNUP", .flag, default: "false", also: ["DISABLE_SIGNUP"]),
        .init("GOTRUE_CORS_ALLOWED_HEADERS", .list),
    ]

    static let tokens: [SettingName] = [
        .init("GOTRUE_JWT_SECRET", .text, also: ["JWT_SECRET"]),
        .init("GOTRUE_JWT_EXP", .whole(0...315_360_000), default: "3600", also: ["JWT_EXPIRY"]),
        .init("GOTRUE_JWT_AUD", .text),
        .init("GOTRUE_JWT_ADMIN_GROUP_NAME", .text, default: "admin"),
        .init("GOTRUE_JWT_ADMIN_ROLES", .list, default: "service_role,supabase_admin"),
        .init("GOTRUE_JWT_DEFAULT_GROUP_NAME", .text),
        .init("GOTRUE_JWT_ISSUER", .text),
        .init("GOTRUE_JWT_KEY_ID", .text),
        .init("GOTRUE_JWT_KEYS", .json(.array), also: ["JWT_KEYS"]),
        .init("GOTRUE_JWT_VALID_METHODS", .list),
    ]

    static let providers: [SettingName] = [
        .init("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", .flag, default: "false", also: ["ENABLE_ANONYMOUS_USERS"]),
        .init("GOTRUE_EXTERNAL_EMAIL_ENABLED", .flag, default: "true", also: ["ENABLE_EMAIL_SIGNUP"]),
        .init("GOTRUE_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES", .list),
        .init("GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED", .flag, default: "true"),
        .init("GOTRUE_EXTERNAL_PHONE_ENABLED", .flag, default: "false", also: ["ENABLE_PHONE_SIGNUP"]),
        .init("GOTRUE_EXTERNAL_IOS_BUNDLE_ID", .text, life: .later),
        .init("GOTRUE_EXTERNAL_REDIRECTURL", .text, life: .later),
        .init("GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS", .list, life: .later),
        .init("GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION", .duration, default: "300s"),
        .init("GOTRUE_EXTERNAL_OIDC_PROVIDER_CACHE_TTL", .duration, default: "1h", life: .later),
        .init("GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED", .flag, default: "false", life: .later),
        .init("GOTRUE_EXTERNAL_WEB3_SOLANA_MAXIMUM_VALIDITY_DURATION", .duration, default: "10m", life: .later),
        .init("GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED", .flag, default: "false", life: .later),
        .init("GOTRUE_EXTERNAL_WEB3_ETHEREUM_MAXIMUM_VALIDITY_DURATION", .duration, default: "10m", life: .later),
    ]

    static let oauth: [SettingName] = [
        .init("GOTRUE_CUSTOM_OAUTH_ENABLED", .flag, default: "true", life: .later),
        .init("GOTRUE_CUSTOM_OAUTH_MAX_PROVIDERS", .whole(0...2_147_483_647), default: "0", life: .later),
        .init("GOTRUE_CUSTOM_OAUTH_EXTERNAL_URL", .url, life: .later),
        .init("GOTRUE_OAUTH_SERVER_ENABLED", .flag, default: "false", life: .later),
        .init("GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION", .flag, default: "false", life: .later),
        .init("GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH", .text, life: .later),
        .init("GOTRUE_OAUTH_SERVER_AUTHORIZATION_TTL", .duration, default: "10m", life: .later),
        .init("GOTRUE_OAUTH_SERVER_DEFAULT_SCOPE", .text, default: "email", life: .later),
    ]

    static let passwords: [SettingName] = [
        .init("GOTRUE_PASSWORD_MIN_LENGTH", .whole(0...72), default: "6"),
        .init("GOTRUE_PASSWORD_REQUIRED_CHARACTERS", .text),
        .init("GOTRUE_PASSWORD_HIBP_ENABLED", .flag, default: "false"),
        .init("GOTRUE_PASSWORD_HIBP_FAIL_CLOSED", .flag, default: "false"),
        .init("GOTRUE_PASSWORD_HIBP_USER_AGENT", .text, default: "https://github.com/supabase/gotrue"),
        .init("GOTRUE_PASSWORD_HIBP_BLOOM_ENABLED", .flag, default: "false", life: .later),
        .init("GOTRUE_PASSWORD_HIBP_BLOOM_ITEMS", .whole(0...2_147_483_647), default: "100000", life: .later),
        .init("GOTRUE_PASSWORD_HIBP_BLOOM_FALSE_POSITIVES", .decimal, default: "0.0000099", life: .later),
    ]
}
