import Backend
import Bytes

/// The rules: one of the two presets, each member then set by its own name.
struct PolicyReader {
    static let siteURL = "http://localhost:3000"
    let judged: JudgedSettings

    /// - Parameters:
    ///   - listen: where the gateway stands, for the URL when none is set.
    ///   - bare: whether the paths without `/auth/v1` are served.
    func policy(listen: ListenAddress, bare: Bool) -> Policy {
        let isSupabase = judged.text("DRAWBRIDGE_POLICY") == "supabase"
        var policy = isSupabase ? Policy.supabase : Policy.sovaria
        signUp(&policy)
        passwords(&policy)
        tokens(&policy)
        sessions(&policy)
        messages(&policy)
        links(&policy, listen: listen, bare: bare)
        own(&policy)
        return policy
    }

    private func set<Value>(_ value: Value?, _ member: inout Value) {
        if let value { member = value }
    }

    private func signUp(_ policy: inout Policy) {
        set(judged.flag("GOTRUE_DISABLE_SIGNUP"), &policy.isSignUpDisabled)
        set(judged.flag("GOTRUE_EXTERNAL_EMAIL_ENABLED"), &policy.isEmailEnabled)
        set(judged.flag("GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED"), &policy.isMagicLinkEnabled)
        set(judged.flag("GOTRUE_EXTERNAL_PHONE_ENABLED"), &policy.isPhoneEnabled)
        set(judged.flag("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED"), &policy.areAnonymousSignInsEnabled)
        set(judged.flag("GOTRUE_MAILER_AUTOCONFIRM"), &policy.autoconfirmsEmail)
        set(judged.flag("GOTRUE_SMS_AUTOCONFIRM"), &policy.autoconfirmsPhone)
    }

    private func passwords(_ policy: inout Policy) {
        set(judged.whole("GOTRUE_PASSWORD_MIN_LENGTH").map { max(6, $0) }, &policy.passwordLengthMin)
        set(
            judged.text("GOTRUE_PASSWORD_REQUIRED_CHARACTERS").map(Self.characterSets), &policy.passwordCharacterSets)
        set(judged.flag("GOTRUE_PASSWORD_HIBP_FAIL_CLOSED"), &policy.leakedPasswordCheckFailsClosed)
        set(
            judged.flag("GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD"), &policy.passwordChangeNeedsCurrent)
        set(
            judged.flag("GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION"),
            &policy.passwordChangeNeedsReauthentication)
    }

    private func tokens(_ policy: inout Policy) {
        if let seconds = judged.whole("GOTRUE_JWT_EXP"), seconds > 0 { policy.accessTokenLifetime = .seconds(seconds) }
        policy.issuer = judged.filled("GOTRUE_JWT_ISSUER")
        set(judged.filled("GOTRUE_JWT_AUD"), &policy.audience)
        set(judged.filled("GOTRUE_JWT_DEFAULT_GROUP_NAME"), &policy.defaultRole)
        set(judged.filled("GOTRUE_JWT_ADMIN_GROUP_NAME"), &policy.administratorGroup)
        if let roles = judged.list("GOTRUE_JWT_ADMIN_ROLES"), !roles.isEmpty { policy.administratorRoles = Set(roles) }
        if let audiences = judged.list("DRAWBRIDGE_AUDIENCES"), policy.allowedAudiences != nil {
            policy.allowedAudiences = Set(audiences)
        }
    }

    private func sessions(_ policy: inout Policy) {
        set(judged.flag("GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED"), &policy.rotatesRefreshTokens)
        set(
            judged.whole("GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL").map { .seconds($0) },
            &policy.refreshReuseInterval)
        set(
            judged.whole("GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION").map { $0 == 2 },
            &policy.issuesCounterTokens)
        set(judged.whole("GOTRUE_SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE"), &policy.counterUpgradePercentage)
        set(judged.flag("GOTRUE_SECURITY_REFRESH_TOKEN_ALLOW_REUSE"), &policy.allowsRefreshReuse)
        policy.sessionTimebox = judged.duration("GOTRUE_SESSIONS_TIMEBOX")
        policy.sessionInactivity = judged.duration("GOTRUE_SESSIONS_INACTIVITY_TIMEOUT")
        policy.sessionsAllowLowAAL = judged.duration("GOTRUE_SESSIONS_ALLOW_LOW_AAL")
        set(judged.flag("GOTRUE_SESSIONS_SINGLE_PER_USER"), &policy.allowsSingleSessionOnly)
        set(judged.list("GOTRUE_SESSIONS_TAGS"), &policy.sessionTags)
        set(judged.flag("GOTRUE_DB_CLEANUP_ENABLED"), &policy.cleansUp)
        set(judged.flag("GOTRUE_AUDIT_LOG_DISABLE_POSTGRES").map { !$0 }, &policy.keepsAuditLog)
    }

    private func messages(_ policy: inout Policy) {
        if let seconds = judged.whole("GOTRUE_MAILER_OTP_EXP"), seconds > 0 {
            policy.emailCodeLifetime = .seconds(seconds)
        }
        if let seconds = judged.whole("GOTRUE_SMS_OTP_EXP"), seconds > 0 { policy.smsCodeLifetime = .seconds(seconds) }
        if let length = judged.whole("GOTRUE_MAILER_OTP_LENGTH") {
            policy.emailCodeLength = (6...10).contains(length) ? length : 6
        }
        if let length = judged.whole("GOTRUE_SMS_OTP_LENGTH") {
            policy.smsCodeLength = (6...10).contains(length) ? length : 6
        }
        if let interval = judged.duration("GOTRUE_SMTP_MAX_FREQUENCY"), interval > .zero {
            policy.emailSendInterval = interval
        }
        if let interval = judged.duration("GOTRUE_SMS_MAX_FREQUENCY"), interval > .zero {
            policy.smsSendInterval = interval
        }
        for pair in judged.map("GOTRUE_SMS_TEST_OTP") ?? [] {
            policy.testCodes[PhoneNumber.stripped(pair.key)] = OneTimeCode(pair.value)
        }
        policy.testCodesEndAt = judged.filled("GOTRUE_SMS_TEST_OTP_VALID_UNTIL").flatMap { Timestamp(rfc3339: $0) }
        if let lifetime = judged.duration("GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION") {
            policy.flowStateLifetime = max(lifetime, .seconds(300))
        }
        set(judged.flag("GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED"), &policy.emailChangeNeedsBoth)
        set(
            judged.list("GOTRUE_EXTERNAL_EMAIL_AUTHORIZED_ADDRESSES").map { Set($0.map { $0.lowercased() }) },
            &policy.authorizedAddresses)
        if case .rate(let limit)? = judged["GOTRUE_RATE_LIMIT_EMAIL_SENT"]?.value { policy.emailLimit = limit }
        if case .rate(let limit)? = judged["GOTRUE_RATE_LIMIT_SMS_SENT"]?.value { policy.smsLimit = limit }
        // Auto-confirm switches the limiter off, but for a limit of none at all (supabase-admin.md 16).
        if policy.autoconfirmsEmail, policy.emailLimit != .perHour(0) { policy.emailLimit = .unlimited }
        set(
            judged.flag("GOTRUE_MAILER_NOTIFICATIONS_PASSWORD_CHANGED_ENABLED"), &policy.notifiesPasswordChanged)
        set(judged.flag("GOTRUE_MAILER_NOTIFICATIONS_EMAIL_CHANGED_ENABLED"), &policy.notifiesEmailChanged)
    }

    private func links(_ policy: inout Policy, listen: ListenAddress, bare: Bool) {
        policy.siteURL = judged.filled("GOTRUE_SITE_URL") ?? Self.siteURL
        set(judged.list("GOTRUE_URI_ALLOW_LIST"), &policy.redirectPatterns)
        set(judged.list("GOTRUE_MAILER_EXTERNAL_HOSTS"), &policy.externalHosts)
        if let url = judged.filled("GOTRUE_API_API_EXTERNAL_URL") {
            policy.externalURL = url
            // Without the bare paths a link must lead below the prefix to lead anywhere.
            if !bare { policy.externalURL = Self.withPrefix(url) }
        } else {
            policy.externalURL = listen.url + "/auth/v1"
        }
        policy.linkPaths.confirmation = judged.filled("GOTRUE_MAILER_URLPATHS_CONFIRMATION")
        policy.linkPaths.invite = judged.filled("GOTRUE_MAILER_URLPATHS_INVITE")
        policy.linkPaths.recovery = judged.filled("GOTRUE_MAILER_URLPATHS_RECOVERY")
        policy.linkPaths.emailChange = judged.filled("GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE")
    }

    private func own(_ policy: inout Policy) {
        set(judged.flag("GOTRUE_EXPERIMENTAL_CURSOR_PAGINATION_ENABLED"), &policy.pagesByCursor)
        set(judged.flag("DRAWBRIDGE_PREVENT_ENUMERATION"), &policy.preventsEnumeration)
        if let bytes = judged.bytes("DRAWBRIDGE_USER_METADATA_MAX") { policy.userMetadataBytesMax = bytes }
        set(judged.whole("DRAWBRIDGE_ANONYMOUS_RETENTION_DAYS"), &policy.anonymousRetentionDays)
    }

    /// An external URL with exactly one `/auth/v1` at its end.
    static func withPrefix(_ url: String) -> String {
        var base = url
        while base.hasSuffix("/") { base.removeLast() }
        return base.hasSuffix("/auth/v1") ? base : base + "/auth/v1"
    }

    /// Sets of characters separated by `:`; `\:` is a colon. Source: supabase-config.md 3.7.
    static func characterSets(_ text: String) -> [String] {
        var sets: [String] = []
        var current = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                current += character == ":" ? ":" : "\\" + String(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == ":" {
                sets.append(current)
                current = ""
            } else {
                current.append(character)
            }
        }
        if isEscaped { current += "\\" }
        sets.append(current)
        return sets.filter { !$0.isEmpty }
    }
}
