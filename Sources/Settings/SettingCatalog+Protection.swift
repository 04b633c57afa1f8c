/// The names of the reference for sessions, factors, limits and logs.
/// Source: supabase-config.md 3.
extension SettingCatalog {
    static let securityAndSessions: [SettingName] = [
        .init("GOTRUE_SECURITY_CAPTCHA_ENABLED", .flag, default: "false", life: .later),
        .init(
            "GOTRUE_SECURITY_CAPTCHA_PROVIDER", .choice(["hcaptcha", "turnstile"]),
            default: "hcaptcha", life: .later),
        .init("GOTRUE_SECURITY_CAPTCHA_SECRET", .text, life: .later),
        .init("GOTRUE_SECURITY_CAPTCHA_TIMEOUT", .duration, default: "10s", life: .later),
        .init("GOTRUE_SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE", .whole(0...100), default: "0"),
        .init("GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", .whole(0...2), default: "0"),
        .init("GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", .flag, default: "true"),
        .init("GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", .whole(0...31_536_000), default: "0"),
        .init("GOTRUE_SECURITY_REFRESH_TOKEN_ALLOW_REUSE", .flag, default: "false"),
        .init("GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION", .flag, default: "false"),
        .init("GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD", .flag, default: "false"),
        .init("GOTRUE_SECURITY_MANUAL_LINKING_ENABLED", .flag, default: "false", life: .later),
        .init("GOTRUE_SECURITY_SB_FORWARDED_FOR_ENABLED", .flag, default: "false"),
        .init("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT", .flag, default: "false", life: .later),
        .init("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID", .text, life: .later),
        .init("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY", .text, life: .later),
        .init("GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS", .map, life: .later),
        .init("GOTRUE_SESSIONS_TIMEBOX", .positiveDuration),
        .init("GOTRUE_SESSIONS_INACTIVITY_TIMEOUT", .positiveDuration),
        .init("GOTRUE_SESSIONS_ALLOW_LOW_AAL", .positiveDuration),
        .init("GOTRUE_SESSIONS_SINGLE_PER_USER", .flag, default: "false"),
        .init("GOTRUE_SESSIONS_TAGS", .list),
    ]

    static let secondFactors: [SettingName] = [
        .init("GOTRUE_MFA_CHALLENGE_EXPIRY_DURATION", .decimal, default: "300", life: .later),
        .init("GOTRUE_MFA_FACTOR_EXPIRY_DURATION", .duration, default: "300s", life: .later),
        .init("GOTRUE_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY", .decimal, default: "15", life: .later),
        .init(
            "GOTRUE_MFA_MAX_ENROLLED_FACTORS", .decimal, default: "10", life: .later,
            also: ["MFA_MAX_ENROLLED_FACTORS"]),
        .init("GOTRUE_MFA_MAX_VERIFIED_FACTORS", .whole(0...2_147_483_647), default: "10", life: .later),
        .init(
            "GOTRUE_MFA_PHONE_ENROLL_ENABLED", .flag, default: "false", life: .later,
            also: ["MFA_PHONE_ENROLL_ENABLED"]),
        .init(
            "GOTRUE_MFA_PHONE_VERIFY_ENABLED", .flag, default: "false", life: .later,
            also: ["MFA_PHONE_VERIFY_ENABLED"]),
        .init("GOTRUE_MFA_PHONE_OTP_LENGTH", .whole(0...2_147_483_647), default: "6", life: .later),
        .init("GOTRUE_MFA_PHONE_MAX_FREQUENCY", .duration, default: "1m", life: .later),
        .init("GOTRUE_MFA_PHONE_TEMPLATE", .text, default: "Your code is {{ .Code }}", life: .later),
        .init(
            "GOTRUE_MFA_TOTP_ENROLL_ENABLED", .flag, default: "true", life: .later,
            also: ["MFA_TOTP_ENROLL_ENABLED"]),
        .init(
            "GOTRUE_MFA_TOTP_VERIFY_ENABLED", .flag, default: "true", life: .later,
            also: ["MFA_TOTP_VERIFY_ENABLED"]),
        .init("GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED", .flag, default: "false", life: .later),
        .init("GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED", .flag, default: "false", life: .later),
        .init("GOTRUE_WEBAUTHN_RP_ID", .text, life: .later, also: ["RP_ID"]),
        .init("GOTRUE_WEBAUTHN_RP_DISPLAY_NAME", .text, life: .later),
        .init("GOTRUE_WEBAUTHN_RP_ORIGINS", .list, life: .later),
        .init("GOTRUE_WEBAUTHN_CHALLENGE_EXPIRY_DURATION", .duration, default: "5m", life: .later),
        .init("GOTRUE_PASSKEY_ENABLED", .flag, default: "false", life: .later),
        .init("GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER", .whole(0...2_147_483_647), default: "10", life: .later),
    ]

    static let saml: [SettingName] = [
        .init("GOTRUE_SAML_ENABLED", .flag, default: "false", life: .later, also: ["SAML_ENABLED"]),
        .init("GOTRUE_SAML_PRIVATE_KEY", .text, life: .later, also: ["SAML_PRIVATE_KEY"]),
        .init("GOTRUE_SAML_PRIVATE_KEY_NEXT", .text, life: .later),
        .init(
            "GOTRUE_SAML_ALLOW_ENCRYPTED_ASSERTIONS", .flag, default: "false", life: .later,
            also: ["SAML_ALLOW_ENCRYPTED_ASSERTIONS"]),
        .init(
            "GOTRUE_SAML_RELAY_STATE_VALIDITY_PERIOD", .duration, default: "2m", life: .later,
            also: ["SAML_RELAY_STATE_VALIDITY_PERIOD"]),
        .init("GOTRUE_SAML_EXTERNAL_URL", .url, life: .later, also: ["SAML_EXTERNAL_URL"]),
        .init(
            "GOTRUE_SAML_RATE_LIMIT_ASSERTION", .decimal, default: "15", life: .later,
            also: ["SAML_RATE_LIMIT_ASSERTION"]),
    ]

    static let rateLimits: [SettingName] = [
        .init("GOTRUE_RATE_LIMIT_HEADER", .headerName),
        .init("GOTRUE_RATE_LIMIT_EMAIL_SENT", .rate, default: "30"),
        .init("GOTRUE_RATE_LIMIT_SMS_SENT", .rate, default: "30"),
        .init("GOTRUE_RATE_LIMIT_VERIFY", .decimal, default: "30"),
        .init("GOTRUE_RATE_LIMIT_TOKEN_REFRESH", .decimal, default: "150"),
        .init("GOTRUE_RATE_LIMIT_SSO", .decimal, default: "30", life: .later),
        .init("GOTRUE_RATE_LIMIT_ANONYMOUS_USERS", .decimal, default: "30"),
        .init("GOTRUE_RATE_LIMIT_OTP", .decimal, default: "30"),
        .init("GOTRUE_RATE_LIMIT_WEB3", .decimal, default: "30", life: .later),
        .init("GOTRUE_RATE_LIMIT_PASSKEY", .decimal, default: "30", life: .later),
        .init(
            "GOTRUE_RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER", .decimal, default: "10", life: .later,
            also: ["GOTRUE_RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER"]),
    ]

    static let logs: [SettingName] = [
        .init("GOTRUE_LOG_LEVEL", .text, default: "info", life: .silent),
        .init("GOTRUE_LOG_FILE", .text, life: .silent),
        .init("GOTRUE_LOG_DISABLE_COLORS", .flag, life: .silent),
        .init("GOTRUE_LOG_QUOTE_EMPTY_FIELDS", .flag, life: .silent),
        .init("GOTRUE_LOG_TSFORMAT", .text, life: .silent),
        .init("GOTRUE_LOG_FIELDS", .map, life: .silent),
        .init("GOTRUE_LOG_SQL", .text, life: .silent),
        .init("GOTRUE_PROFILER_ENABLED", .flag, default: "false", life: .silent),
        .init("GOTRUE_PROFILER_HOST", .text, default: "localhost", life: .silent),
        .init("GOTRUE_PROFILER_PORT", .text, default: "9998", life: .silent),
        .init("GOTRUE_TRACING_ENABLED", .flag, default: "false", life: .silent),
        .init("GOTRUE_TRACING_EXPORTER", .text, default: "opentelemetry", life: .silent),
        .init(
            "GOTRUE_TRACING_OTEL_EXPORTER_OTLP_PROTOCOL", .text, default: "http/protobuf", life: .silent,
            also: ["OTEL_EXPORTER_OTLP_PROTOCOL"]),
        .init("GOTRUE_TRACING_HOST", .text, life: .silent),
        .init("GOTRUE_TRACING_PORT", .text, life: .silent),
        .init("GOTRUE_TRACING_SERVICE_NAME", .text, default: "gotrue", life: .silent),
        .init("GOTRUE_TRACING_TAGS", .map, life: .silent),
        .init("GOTRUE_METRICS_ENABLED", .flag, default: "false", life: .silent),
        .init("GOTRUE_METRICS_EXPORTER", .text, default: "opentelemetry", life: .silent),
        .init(
            "GOTRUE_METRICS_OTEL_EXPORTER_OTLP_PROTOCOL", .text, default: "http/protobuf", life: .silent,
            also: ["OTEL_EXPORTER_OTLP_PROTOCOL"]),
        .init(
            "GOTRUE_METRICS_OTEL_EXPORTER_PROMETHEUS_HOST", .text, default: "0.0.0.0", life: .silent,
            also: ["OTEL_EXPORTER_PROMETHEUS_HOST"]),
        .init(
            "GOTRUE_METRICS_OTEL_EXPORTER_PROMETHEUS_PORT", .text, default: "9100", life: .silent,
            also: ["OTEL_EXPORTER_PROMETHEUS_PORT"]),
        .init("GOTRUE_AUDIT_LOG_DISABLE_POSTGRES", .flag, default: "false"),
    ]

    static let workers: [SettingName] = [
        .init("GOTRUE_INDEX_WORKER_ENSURE_USER_SEARCH_INDEXES_EXIST", .flag, default: "false", life: .silent),
        .init("GOTRUE_INDEX_WORKER_MAX_USERS_THRESHOLD", .whole(0...2_147_483_647), default: "0", life: .silent),
        .init("GOTRUE_EXPERIMENTAL_PROVIDERS_WITH_OWN_LINKING_DOMAIN", .list, life: .silent),
        .init("GOTRUE_EXPERIMENTAL_PROVIDER_LINKING_DOMAINS", .text, life: .silent),
        .init("GOTRUE_EXPERIMENTAL_CURSOR_PAGINATION_ENABLED", .flag, default: "false"),
        .init("GOTRUE_EXPERIMENTAL_SCIM_ENABLED", .flag, default: "false", life: .silent),
        .init(
            "GOTRUE_EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED", .flag,
            default: "false", life: .silent),
        .init("GOTRUE_RELOADING_NOTIFY_ENABLED", .flag, default: "true", life: .silent),
        .init(
            "GOTRUE_RELOADING_POLLERENABLED", .flag, default: "false", life: .silent,
            also: ["GOTRUE_RELOADING_POLLER_ENABLED"]),
        .init("GOTRUE_RELOADING_POLLER_INTERVAL", .duration, default: "10s", life: .silent),
        .init("GOTRUE_RELOADING_SIGNAL_ENABLED", .flag, default: "false", life: .silent),
        .init("GOTRUE_RELOADING_SIGNAL_NUMBER", .whole(0...2_147_483_647), default: "10", life: .silent),
        .init("GOTRUE_RELOADING_GRACE_PERIOD_INTERVAL", .duration, default: "5s", life: .silent),
    ]
}
