import Backend
import Bytes

/// What the settings came to, by name: the presets of the policies and the bounds of the reference taken in.
///
/// Holds the names whose value depends on more than what was written for them; for the others the written value or the
/// catalog's default is in force. A member that is not set has no entry.
enum ValuesInForce {
    static func of(_ settings: ServerSettings) -> [String: SettingValue] {
        own(settings).merging(accounts(settings.policy)) { first, _ in first }
            .merging(messages(settings.policy)) { first, _ in first }.compactMapValues { $0 }
    }

    private static func own(_ settings: ServerSettings) -> [String: SettingValue?] {
        let policy = settings.policy
        return [
            "DRAWBRIDGE_POLICY": .text(settings.isSupabasePolicy ? "supabase" : "sovaria"),
            "DRAWBRIDGE_LISTEN": .address(settings.listen),
            "DRAWBRIDGE_RATE_LIMIT_BY_PEER": .flag(settings.rateLimits.byPeer),
            "DRAWBRIDGE_ERROR_DETAIL": .flag(settings.errorsHaveDetail),
            "DRAWBRIDGE_PREVENT_ENUMERATION": .flag(policy.preventsEnumeration),
            "DRAWBRIDGE_USER_METADATA_MAX": policy.userMetadataBytesMax.map { .bytes($0) } ?? .text("none"),
            "DRAWBRIDGE_AUDIENCES": audiences(policy),
            "GOTRUE_API_API_EXTERNAL_URL": .text(policy.externalURL),
            "GOTRUE_API_MAX_REQUEST_DURATION": .duration(settings.requestDurationMax ?? .zero),
            "GOTRUE_SITE_URL": .text(policy.siteURL),
            "GOTRUE_SMTP_ADMIN_EMAIL": .text(settings.mail.fromAddress),
            "GOTRUE_MAILER_URLPATHS_CONFIRMATION": .text(policy.linkPaths.confirmation ?? "verify"),
            "GOTRUE_MAILER_URLPATHS_INVITE": .text(policy.linkPaths.invite ?? "verify"),
            "GOTRUE_MAILER_URLPATHS_RECOVERY": .text(policy.linkPaths.recovery ?? "verify"),
            "GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE": .text(policy.linkPaths.emailChange ?? "verify"),
        ]
    }

    /// nil where none is named beside the policy's own.
    private static func audiences(_ policy: Policy) -> SettingValue? {
        guard let audiences = policy.allowedAudiences else { return .text("any") }
        return audiences.isEmpty ? nil : .list(audiences.sorted())
    }

    private static func accounts(_ policy: Policy) -> [String: SettingValue?] {
        [
            "GOTRUE_PASSWORD_MIN_LENGTH": .whole(Int64(policy.passwordLengthMin)),
            "GOTRUE_JWT_EXP": seconds(policy.accessTokenLifetime),
            "GOTRUE_JWT_AUD": .text(policy.audience),
            "GOTRUE_JWT_ADMIN_GROUP_NAME": .text(policy.administratorGroup),
            "GOTRUE_JWT_DEFAULT_GROUP_NAME": .text(policy.defaultRole),
            "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED": .flag(policy.rotatesRefreshTokens),
            "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": seconds(policy.refreshReuseInterval),
        ]
    }

    private static func messages(_ policy: Policy) -> [String: SettingValue?] {
        [
            "GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION": .duration(policy.flowStateLifetime),
            "GOTRUE_SMTP_MAX_FREQUENCY": .duration(policy.emailSendInterval),
            "GOTRUE_MAILER_OTP_EXP": seconds(policy.emailCodeLifetime),
            "GOTRUE_MAILER_OTP_LENGTH": .whole(Int64(policy.emailCodeLength)),
            "GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED": .flag(policy.emailChangeNeedsBoth),
            "GOTRUE_SMS_MAX_FREQUENCY": .duration(policy.smsSendInterval),
            "GOTRUE_SMS_OTP_EXP": seconds(policy.smsCodeLifetime),
            "GOTRUE_SMS_OTP_LENGTH": .whole(Int64(policy.smsCodeLength)),
            "GOTRUE_RATE_LIMIT_EMAIL_SENT": .rate(policy.emailLimit),
            "GOTRUE_RATE_LIMIT_SMS_SENT": .rate(policy.smsLimit),
        ]
    }

    private static func seconds(_ duration: Duration) -> SettingValue { .whole(duration.components.seconds) }
}

extension SettingValue {
    /// As it could be written.
    var text: String {
        switch self {
        case .text(let text): text
        case .flag(let flag): flag ? "true" : "false"
        case .whole(let number): String(number)
        case .decimal(let number): number == number.rounded() ? "\(Int64(exactly: number) ?? 0)" : "\(number)"
        case .duration(let duration): GoDuration.format(duration)
        case .list(let items): items.joined(separator: ",")
        case .map(let pairs): pairs.map { "\($0.key):\($0.value)" }.joined(separator: ",")
        case .rate(.perHour(let count)): String(count)
        case .rate(.bucket(let count, let interval)): "\(count)/\(GoDuration.format(interval))"
        case .rate(.unlimited): "unlimited"
        case .bytes(let count): count > 0 && count % 1024 == 0 ? "\(count / 1024)KiB" : "\(count)B"
        case .address(let address): address.description
        case .networks(let networks): "\(networks.count) networks"
        }
    }
}
