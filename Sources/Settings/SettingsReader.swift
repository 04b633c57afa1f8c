import Backend

/// Turns judged values into typed settings. Source: interface.md, supabase-config.md 3, 8.
public struct SettingsReader: Sendable {
    let judged: JudgedSettings

    public init(_ judged: JudgedSettings) { self.judged = judged }

    /// The typed settings of one listener.
    /// - Parameter listen: what `--listen` says; nil lets the settings decide.
    /// - Throws: `SettingsError` for values that do not go together or ask for what this version cannot do.
    public func settings(listen: ListenAddress? = nil) throws(SettingsError) -> ServerSettings {
        let faults = conflicts()
        guard faults.isEmpty else { throw SettingsError(faults) }
        var settings = ServerSettings()
        settings.listen = listen ?? listenAddress()
        process(&settings)
        door(&settings)
        rateLimits(&settings.rateLimits, isSupabase: settings.isSupabasePolicy)
        settings.keys = keys()
        settings.remote = remote()
        settings.tokens = tokens()
        settings.mail = mail()
        if judged.flag("GOTRUE_PASSWORD_HIBP_ENABLED") ?? false {
            settings.leakedPasswords = LeakedPasswordSettings(
                url: judged.filled("DRAWBRIDGE_LEAKED_PASSWORDS_URL"),
                userAgent: judged.filled("GOTRUE_PASSWORD_HIBP_USER_AGENT") ?? "drawbridge")
        }
        settings.policy = PolicyReader(judged: judged).policy(listen: settings.listen, bare: settings.hasBarePaths)
        providers(&settings)
        return settings
    }

    private func listenAddress() -> ListenAddress {
        if let address = judged.address("DRAWBRIDGE_LISTEN") { return address }
        let port = judged.whole("GOTRUE_API_PORT").flatMap(UInt16.init(exactly:)) ?? 8000
        return ListenAddress(host: judged.filled("GOTRUE_API_HOST") ?? "127.0.0.1", port: port)
    }

    private func process(_ settings: inout ServerSettings) {
        settings.dataFolder = judged.filled("DRAWBRIDGE_DATA") ?? settings.dataFolder
        settings.adminListen = judged.address("DRAWBRIDGE_ADMIN_LISTEN")
        settings.loops = judged.whole("DRAWBRIDGE_LOOPS")
        settings.log = judged.text("DRAWBRIDGE_LOG").flatMap(ServerSettings.LogFormat.init(rawValue:))
        settings.stopDelay = judged.duration("DRAWBRIDGE_STOP_DELAY") ?? settings.stopDelay
        settings.trustedAuthoritiesFile = judged.filled("SSL_CERT_FILE")
        settings.inbox =
            judged.text("DRAWBRIDGE_INBOX").flatMap(ServerSettings.InboxMode.init(rawValue:)) ?? .automatic
    }

    private func door(_ settings: inout ServerSettings) {
        let isSupabase = judged.text("DRAWBRIDGE_POLICY") == "supabase"
        settings.isSupabasePolicy = isSupabase
        settings.hasBarePaths = judged.flag("DRAWBRIDGE_BARE_PATHS") ?? true
        settings.errorsHaveDetail = judged.flag("DRAWBRIDGE_ERROR_DETAIL") ?? !isSupabase
        settings.requestIDHeader = judged.filled("GOTRUE_API_REQUEST_ID_HEADER")
        if let duration = judged.duration("GOTRUE_API_MAX_REQUEST_DURATION") {
            settings.requestDurationMax = duration > .zero ? duration : nil
        }
        if case .networks(let networks)? = judged["DRAWBRIDGE_TRUSTED_PROXIES"]?.value {
            settings.trustedProxies = networks
        }
        settings.cors.furtherHeaders = judged.list("GOTRUE_CORS_ALLOWED_HEADERS") ?? []
        settings.cors.allowsEveryHeader = !isSupabase
        for name in UpstreamName.allCases {
            if let urls = judged.list("DRAWBRIDGE_UPSTREAM_\(name.rawValue)"), !urls.isEmpty {
                settings.upstreams[name] = urls
            }
        }
    }

    private func rateLimits(_ limits: inout RateLimitSettings, isSupabase: Bool) {
        limits.header = judged.filled("GOTRUE_RATE_LIMIT_HEADER")
        limits.byPeer = judged.flag("DRAWBRIDGE_RATE_LIMIT_BY_PEER") ?? !isSupabase
        limits.trustsForwardedFor = judged.flag("GOTRUE_SECURITY_SB_FORWARDED_FOR_ENABLED") ?? false
        limits.verify = judged.decimal("GOTRUE_RATE_LIMIT_VERIFY") ?? limits.verify
        limits.tokenRefresh = judged.decimal("GOTRUE_RATE_LIMIT_TOKEN_REFRESH") ?? limits.tokenRefresh
        limits.otp = judged.decimal("GOTRUE_RATE_LIMIT_OTP") ?? limits.otp
        limits.anonymousUsers = judged.decimal("GOTRUE_RATE_LIMIT_ANONYMOUS_USERS") ?? limits.anonymousUsers
        limits.sso = judged.decimal("GOTRUE_RATE_LIMIT_SSO") ?? limits.sso
        limits.web3 = judged.decimal("GOTRUE_RATE_LIMIT_WEB3") ?? limits.web3
        limits.passkey = judged.decimal("GOTRUE_RATE_LIMIT_PASSKEY") ?? limits.passkey
        limits.factorChallengeAndVerify =
            judged.decimal("GOTRUE_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY") ?? limits.factorChallengeAndVerify
        limits.samlAssertion = judged.decimal("GOTRUE_SAML_RATE_LIMIT_ASSERTION") ?? limits.samlAssertion
        limits.clientRegister =
            judged.decimal("GOTRUE_RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER") ?? limits.clientRegister
    }

    private func keys() -> KeySettings {
        var keys = KeySettings()
        keys.anonymous = ["ANON_KEY", "SUPABASE_PUBLISHABLE_KEY"].compactMap { judged.filled($0).map { RawToken($0) } }
        keys.service = ["SERVICE_ROLE_KEY", "SUPABASE_SECRET_KEY"].compactMap { judged.filled($0).map { RawToken($0) } }
        return keys
    }

    private func remote() -> RemoteSettings? {
        guard judged.text("DRAWBRIDGE_BACKEND") == "remote", let url = judged.filled("DRAWBRIDGE_REMOTE_URL") else {
            return nil
        }
        return RemoteSettings(
            url: url, anonymousKey: judged.filled("DRAWBRIDGE_REMOTE_ANON_KEY").map { RawToken($0) },
            serviceKey: judged.filled("DRAWBRIDGE_REMOTE_SERVICE_KEY").map { RawToken($0) })
    }

    private func tokens() -> TokenSettings {
        var tokens = TokenSettings()
        tokens.secret = judged.filled("GOTRUE_JWT_SECRET").map { RawToken($0) }
        tokens.keyID = judged.filled("GOTRUE_JWT_KEY_ID")
        tokens.keys = judged.filled("GOTRUE_JWT_KEYS").map { RawToken($0) }
        if let methods = judged.list("GOTRUE_JWT_VALID_METHODS"), !methods.isEmpty { tokens.validMethods = methods }
        return tokens
    }

    /// The kinds of mail with a subject and a template of their own.
    public static let mailKinds = [
        "INVITE", "CONFIRMATION", "RECOVERY", "MAGIC_LINK", "EMAIL_CHANGE", "REAUTHENTICATION",
        "PASSWORD_CHANGED_NOTIFICATION", "EMAIL_CHANGED_NOTIFICATION",
    ]

    private func mail() -> MailSettings {
        var mail = MailSettings()
        if let host = judged.filled("GOTRUE_SMTP_HOST") {
            mail.server = .init(
                host: host, port: judged.whole("GOTRUE_SMTP_PORT").flatMap(UInt16.init(exactly:)) ?? 587,
                user: judged.text("GOTRUE_SMTP_USER") ?? "", password: RawToken(judged.text("GOTRUE_SMTP_PASS") ?? ""))
        }
        mail.fromAddress = judged.filled("GOTRUE_SMTP_ADMIN_EMAIL") ?? mail.fromAddress
        mail.senderName = judged.text("GOTRUE_SMTP_SENDER_NAME") ?? ""
        let site = judged.filled("GOTRUE_SITE_URL") ?? PolicyReader.siteURL
        for kind in Self.mailKinds {
            mail.subjects[kind.lowercased()] = judged.filled("GOTRUE_MAILER_SUBJECTS_\(kind)")
            if let url = judged.filled("GOTRUE_MAILER_TEMPLATES_\(kind)") {
                mail.templateURLs[kind.lowercased()] = url.hasPrefix("http") ? url : site + url
            }
        }
        mail.templateBytesMax = judged.whole("GOTRUE_MAILER_TEMPLATE_MAX_SIZE") ?? mail.templateBytesMax
        mail.templateAgeMax = judged.duration("GOTRUE_MAILER_TEMPLATE_MAX_AGE") ?? mail.templateAgeMax
        mail.templateRetryInterval =
            judged.duration("GOTRUE_MAILER_TEMPLATE_RETRY_INTERVAL") ?? mail.templateRetryInterval
        mail.hasHook = judged.flag("GOTRUE_HOOK_SEND_EMAIL_ENABLED") ?? false
        return mail
    }

    private func providers(_ settings: inout ServerSettings) {
        var enabled = Set(
            SettingCatalog.providerNames.filter { judged.flag("GOTRUE_EXTERNAL_\($0)_ENABLED") ?? false }
                .map { $0.lowercased() })
        if settings.policy.areAnonymousSignInsEnabled { enabled.insert("anonymous_users") }
        if settings.policy.isEmailEnabled { enabled.insert("email") }
        if settings.policy.isPhoneEnabled { enabled.insert("phone") }
        settings.enabledProviders = enabled
        settings.smsProvider = judged.text("GOTRUE_SMS_PROVIDER") ?? ""
        settings.hasSMSHook = judged.flag("GOTRUE_HOOK_SEND_SMS_ENABLED") ?? false
        settings.isSAMLEnabled = judged.flag("GOTRUE_SAML_ENABLED") ?? false
        settings.arePasskeysEnabled = judged.flag("GOTRUE_PASSKEY_ENABLED") ?? false
    }

    /// What cannot be: values that exclude each other, and names whose work is not part of this version.
    private func conflicts() -> [String] {
        var faults: [String] = []
        let notBuilt = "is not part of this version"
        if judged.filled("DATABASE_URL") != nil {
            faults.append("DATABASE_URL: a PostgreSQL store \(notBuilt); leave it out to use the embedded store")
        }
        if judged.text("DRAWBRIDGE_BACKEND") == "remote" { faults += remoteConflicts(notBuilt) }
        for name in ["DRAWBRIDGE_TLS_CERT", "DRAWBRIDGE_TLS_KEY"] where judged.filled(name) != nil {
            faults.append(
                "\(name): TLS \(notBuilt); put a TLS proxy in front and name it in DRAWBRIDGE_TRUSTED_PROXIES")
        }
        if judged.flag("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT") ?? false {
            faults.append("GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT: encryption of columns \(notBuilt)")
        }
        if judged.flag("GOTRUE_MAILER_AUTOCONFIRM") ?? false,
            judged.flag("GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS") ?? false
        {
            faults.append(
                "GOTRUE_MAILER_AUTOCONFIRM: cannot be on together with GOTRUE_MAILER_ALLOW_UNVERIFIED_EMAIL_SIGN_INS")
        }
        if judged.flag("GOTRUE_SECURITY_CAPTCHA_ENABLED") ?? false,
            ValueSyntax.trimmed(judged.text("GOTRUE_SECURITY_CAPTCHA_SECRET") ?? "").isEmpty
        {
            faults.append("GOTRUE_SECURITY_CAPTCHA_SECRET: is needed while GOTRUE_SECURITY_CAPTCHA_ENABLED is on")
        }
        for service in ["SERVICE_ROLE_KEY", "SUPABASE_SECRET_KEY"] {
            for anonymous in ["ANON_KEY", "SUPABASE_PUBLISHABLE_KEY"] {
                guard let key = judged.filled(service), key == judged.filled(anonymous) else { continue }
                faults.append("\(service): is the same as \(anonymous)")
            }
        }
        return faults
    }

    private func remoteConflicts(_ notBuilt: String) -> [String] {
        var faults: [String] = []
        if judged.filled("DRAWBRIDGE_REMOTE_URL") == nil {
            faults.append("DRAWBRIDGE_REMOTE_URL: is needed while DRAWBRIDGE_BACKEND is \"remote\"")
        }
        if judged.text("DRAWBRIDGE_REMOTE_DIALECT") == "sovaria" {
            faults.append("DRAWBRIDGE_REMOTE_DIALECT: the dialect \"sovaria\" \(notBuilt); \"supabase\" is")
        }
        return faults
    }
}
