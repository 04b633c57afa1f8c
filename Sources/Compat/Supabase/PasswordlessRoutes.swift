internal import Backend
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | POST | `/otp` | none | 429, 400 `bad_json`, the operation's |
/// | POST | `/magiclink` | none | 429, 422 `email_provider_disabled`, 400 `bad_json`, the operation's |
/// | POST | `/recover` | none | 429, 400 `email_provider_disabled`, 400 `bad_json`, the operation's |
/// | POST | `/resend` | none | 429, 400 `bad_json`, the operation's |
/// | GET | `/reauthenticate` | user | the operation's |
///
/// The limit is taken first, a bucket for each path. Source: supabase-core.md 10.4–10.6, 10.9, 10.10.
enum PasswordlessRoutes {
    private static let challenge = ["code_challenge", "code_challenge_method"]
    private static let otp = BodySchema(
        "OtpParams", texts: ["email", "phone", "channel"] + challenge, flags: ["create_user", "createUser"],
        objects: ["data"])
    private static let magicLink = BodySchema("MagicLinkParams", texts: ["email"] + challenge, objects: ["data"])
    private static let recovery = BodySchema("RecoverParams", texts: ["email"] + challenge)
    private static let resend = BodySchema("ResendConfirmationParams", texts: ["type", "email", "phone"] + challenge)

    static func sendCode(_ call: Call) async throws -> WireResponse {
        try call.take(.otp)
        let body = try call.body(otp)
        var signIn = OneTimeSignIn()
        signIn.email = body.filled("email")
        signIn.phone = body.filled("phone")
        // Created unless the client says no (F5 of sovaria.md: true is this wire's default).
        signIn.createsUser = try body.flag("create_user", alias: "createUser") ?? true
        signIn.userMetadata = body.object("data")
        signIn.channel = body.filled("channel")
        signIn.pkce = body.pkce
        return try await call.backend.sendCode(signIn, call.context).wireResponse()
    }

    static func sendMagicLink(_ call: Call) async throws -> WireResponse {
        try call.take(.magicLink)
        let body: BodyFields
        do {
            body = try call.body(magicLink)
        } catch {
            try await earlierRefusal { try await call.backend.sendMagicLink(MagicLink(), call.context) }
            throw error
        }
        var link = MagicLink()
        link.email = body.filled("email")
        link.userMetadata = body.object("data")
        link.pkce = body.pkce
        try await call.backend.sendMagicLink(link, call.context)
        return MessageReceipt().wireResponse()
    }

    static func recover(_ call: Call) async throws -> WireResponse {
        try call.take(.recover)
        let body: BodyFields
        do {
            body = try call.body(recovery)
        } catch {
            try await earlierRefusal { try await call.backend.recover(Recovery(), call.context) }
            throw error
        }
        var recovery = Recovery()
        recovery.email = body.filled("email")
        recovery.pkce = body.pkce
        try await call.backend.recover(recovery, call.context)
        return MessageReceipt().wireResponse()
    }

    static func resend(_ call: Call) async throws -> WireResponse {
        try call.take(.resend)
        let body = try call.body(resend)
        var resend = Resend(type: body.text("type") ?? "")
        resend.email = body.filled("email")
        resend.phone = body.filled("phone")
        resend.pkce = body.pkce
        return try await call.backend.resend(resend, call.context).wireResponse()
    }

    static func reauthenticate(_ call: Call) async throws -> WireResponse {
        let principal = try await call.principal(.user)
        return try await call.backend.reauthenticate(principal, call.context).wireResponse()
    }

    /// Tells a provider that is switched off before a fault of the body: an empty operation is refused with the first
    /// reason that applies, and any other than that comes after the body's.
    private static func earlierRefusal(_ empty: () async throws -> Void) async throws {
        do {
            try await empty()
        } catch let error as AuthError {
            switch error.reason {
            case .emailLoginsDisabled, .magicLinkDisabled, .sendingEmailDisabled: throw error
            default:
                if error.remote?.code == "email_provider_disabled" { throw error }
            }
        }
    }
}

extension MessageReceipt {
    /// `{}`, or the message's id where one is told.
    func wireResponse() -> WireResponse {
        var writer = JSONWriter()
        writer.beginObject()
        if let messageID, !messageID.isEmpty { writer.field("message_id", messageID) }
        writer.endObject()
        return .json(writer.bytes)
    }
}
