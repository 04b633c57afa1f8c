internal import Backend
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | POST | `/signup` | none | 400 `bad_json`, 413, 429 `over_request_rate_limit`, the operation's |
///
/// Without an address it is an anonymous sign-in. Source: supabase-core.md 10.1.
enum SignUpRoutes {
    private static let schema = BodySchema(
        "SignupParams",
        texts: ["email", "phone", "password", "channel", "code_challenge", "code_challenge_method"],
        objects: ["data"])

    static func signUp(_ call: Call) async throws -> WireResponse {
        let body = try call.body(schema)
        var signUp = SignUp()
        signUp.email = body.filled("email")
        signUp.phone = body.filled("phone")
        signUp.userMetadata = body.object("data")
        guard signUp.email != nil || signUp.phone != nil else {
            try call.take(.anonymousSignIn)
            return try await call.backend.signUpAnonymously(signUp.userMetadata, call.context).wireResponse()
        }
        try call.take(.signUp)
        signUp.password = body.text("password").map { Password($0) }
        signUp.channel = body.filled("channel")
        signUp.pkce = body.pkce
        switch try await call.backend.signUp(signUp, call.context) {
        case .signedIn(let session): return session.wireResponse()
        case .awaitsConfirmation(let user): return .json(user.wireJSON())
        }
    }
}

extension BodyFields {
    /// The members of a PKCE flow; empty ones count as absent (clients send null or nothing).
    var pkce: PKCEChallenge {
        PKCEChallenge(challenge: filled("code_challenge"), method: filled("code_challenge_method"))
    }
}
