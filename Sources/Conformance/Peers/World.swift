import Bytes
import Crypto
import JSON

/// The peers of a run, and the settings that every server in it is started with.
final class World: Sendable {
    /// The secret that a server under test signs with, unless the caller names another.
    static let secret = "a-test-secret-of-at-least-thirty-two-characters"
    private static let hookSecret = "v1,whsec_dGVzdC1ob29rLXNlY3JldC10aGF0LWlzLWxvbmctZW5vdWdo"
    private static let mails = ["INVITE", "CONFIRMATION", "RECOVERY", "MAGIC_LINK", "EMAIL_CHANGE", "REAUTHENTICATION"]

    let mail: MailPeer
    let hooks: HookPeer
    let openID: OpenIDPeer
    let caller: HTTPCaller
    let secret: String
    let random: any RandomSource
    let clock: any WallClock

    /// Starts the peers on 127.0.0.1; port 0 takes a free one.
    init(
        mailPort: Int = 0, hookPort: Int = 0, openIDPort: Int = 0, secret: String = World.secret,
        random: any RandomSource, clock: any WallClock, secure: SecureCaller? = nil
    ) throws(SocketFailure) {
        mail = try MailPeer(port: mailPort)
        caller = HTTPCaller(secure: secure)
        hooks = try HookPeer(port: hookPort, caller: caller)
        openID = try OpenIDPeer(port: openIDPort, random: random, clock: clock)
        (self.secret, self.random, self.clock) = (secret, random, clock)
    }

    /// A new case begins: the peers behave as they usually do.
    func reset() {
        hooks.reset()
        mail.behave(.keep)
        openID.reset()
    }

    /// The settings of a server at a URL: the base configuration and what the case lays over it, which may name
    /// `{hooks}`, `{issuer}` and `{url}`. An empty value takes a setting away. Source: conformance-format.md, `env`.
    func settings(url: String, port: Int, over: [String: String] = [:]) -> [String: String] {
        var out = base(url: url, port: port)
        for (name, value) in over {
            var text = Array(value.utf8)
            for (mark, filling) in [("{hooks}", hooks.url), ("{issuer}", openID.issuer), ("{url}", url)] {
                text = ExactText.replacing(Array(mark.utf8), with: Array(filling.utf8), in: text)
            }
            out[name] = String(decoding: text, as: UTF8.self)
        }
        return out.filter { !$0.value.isEmpty }
    }

    private func base(url: String, port: Int) -> [String: String] {
        var out = [
            "DRAWBRIDGE_POLICY": "supabase", "PORT": "\(port)", "GOTRUE_API_PORT": "\(port)",
            "GOTRUE_API_HOST": "127.0.0.1", "API_EXTERNAL_URL": url, "GOTRUE_SITE_URL": "https://app.example.com",
            "GOTRUE_URI_ALLOW_LIST": "https://app.example.com/**,https://*.preview.example.com/**,exampleapp://**",
            "GOTRUE_JWT_SECRET": secret, "GOTRUE_JWT_EXP": "3600", "GOTRUE_JWT_AUD": "authenticated",
            "GOTRUE_JWT_DEFAULT_GROUP_NAME": "authenticated", "GOTRUE_JWT_ADMIN_ROLES": "supabase_admin,service_role",
            "GOTRUE_DB_DRIVER": "postgres", "GOTRUE_DB_NAMESPACE": "auth", "GOTRUE_LOG_LEVEL": "error",
            "GOTRUE_DISABLE_SIGNUP": "false", "GOTRUE_EXTERNAL_EMAIL_ENABLED": "true",
            "GOTRUE_EXTERNAL_PHONE_ENABLED": "true", "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "true",
            "GOTRUE_MAILER_AUTOCONFIRM": "false", "GOTRUE_SMS_AUTOCONFIRM": "false", "GOTRUE_SMTP_HOST": "127.0.0.1",
            "GOTRUE_SMTP_PORT": "\(mail.port)", "GOTRUE_SMTP_ADMIN_EMAIL": "auth@example.com",
            "GOTRUE_SMTP_SENDER_NAME": "Example", "GOTRUE_SMTP_MAX_FREQUENCY": "1ms", "GOTRUE_SMS_MAX_FREQUENCY": "1ms",
            "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true",
            "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED": "true",
            "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL": "10", "GOTRUE_HOOK_SEND_SMS_ENABLED": "true",
            "GOTRUE_HOOK_SEND_SMS_URI": hooks.url + "/send-sms", "GOTRUE_HOOK_SEND_SMS_SECRETS": Self.hookSecret,
            "GOTRUE_EXTERNAL_KEYCLOAK_ENABLED": "true", "GOTRUE_EXTERNAL_KEYCLOAK_URL": openID.issuer,
            "GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID": "test-client", "GOTRUE_EXTERNAL_KEYCLOAK_SECRET": "test-secret",
            "GOTRUE_EXTERNAL_KEYCLOAK_REDIRECT_URI": url + "/callback",
        ]
        for path in ["CONFIRMATION", "INVITE", "RECOVERY", "EMAIL_CHANGE"] {
            out["GOTRUE_MAILER_URLPATHS_" + path] = "/verify"
        }
        for kind in Self.mails {
            out["GOTRUE_MAILER_TEMPLATES_" + kind] = "\(hooks.url)/templates/\(kind.lowercased()).html"
            out["GOTRUE_MAILER_SUBJECTS_" + kind] = kind.lowercased()
        }
        let limits = ["EMAIL_SENT", "SMS_SENT", "VERIFY", "TOKEN_REFRESH", "ANONYMOUS_USERS", "OTP"]
        for limit in limits { out["GOTRUE_RATE_LIMIT_" + limit] = "100000" }
        return out
    }
}
