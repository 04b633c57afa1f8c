internal import Backend
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | GET | `/settings` | none | – |
///
/// Source: supabase-core.md 10.14.
enum SettingsRoutes {
    /// The members of `external`, in the reference's order; all are always there.
    static let providers = [
        "anonymous_users", "apple", "azure", "bitbucket", "discord", "facebook", "snapchat", "figma", "fly", "github",
        "gitlab", "google", "keycloak", "kakao", "linkedin", "linkedin_oidc", "notion", "spotify", "slack",
        "slack_oidc", "workos", "twitch", "twitter", "email", "phone", "zoom",
    ]

    static func settings(_ call: Call) async throws -> WireResponse {
        .json(try await call.backend.publicSettings(call.context).wireJSON())
    }
}

extension PublicSettings {
    func wireJSON() -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.key("external")
        writer.beginObject()
        for provider in SettingsRoutes.providers {
            writer.key(dynamic: provider)
            writer.bool(enabledProviders.contains(provider))
        }
        writer.members(of: unknownProviders)
        writer.endObject()
        writer.field("disable_signup", isSignUpDisabled)
        writer.field("mailer_autoconfirm", autoconfirmsEmail)
        writer.field("phone_autoconfirm", autoconfirmsPhone)
        writer.field("sms_provider", smsProvider)
        writer.field("saml_enabled", isSAMLEnabled)
        if unknownMembers?["saml_private_key_next_configured"] == nil {
            writer.field("saml_private_key_next_configured", false)
        }
        writer.field("passkeys_enabled", arePasskeysEnabled)
        writer.members(of: unknownMembers)
        writer.endObject()
        return writer.bytes
    }
}
