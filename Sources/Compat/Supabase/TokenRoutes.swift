internal import Backend
internal import Bytes
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | POST | `/token?grant_type=password` | none | 400 `bad_json`, 429, the operation's |
/// | POST | `/token?grant_type=refresh_token` | none | 400 `bad_json`, 429, the operation's |
/// | POST | `/token?grant_type=pkce` | none | 400 `bad_json`, 429, the operation's |
/// | POST | `/token?grant_type=id_token` | none | 400 (OAuth's shape), 404 `feature_disabled` |
/// | POST | `/token?grant_type=web3` | none | 422 `web3_provider_disabled` |
/// | POST | `/token`, any other | none | 400 `invalid_credentials` "unsupported_grant_type" |
///
/// The limit is taken after the grant is known and before the body is read. Source: supabase-core.md 10.3.
enum TokenRoutes {
    private static let password = BodySchema("PasswordGrantParams", texts: ["email", "phone", "password"])
    private static let refresh = BodySchema("RefreshTokenGrantParams", texts: ["refresh_token"])
    private static let exchange = BodySchema("PKCEGrantParams", texts: ["auth_code", "code_verifier"])
    private static let idToken = BodySchema(
        "IdTokenGrantParams", texts: ["id_token", "provider", "nonce", "access_token", "client_id", "issuer"],
        flags: ["link_identity"])
    private static let web3 = BodySchema("Web3GrantParams", texts: ["message", "signature", "chain"])

    static func token(_ call: Call) async throws -> WireResponse {
        switch grant(call) {
        case "password":
            try call.take(.token)
            return try await signIn(try call.body(password), call)
        case "refresh_token":
            try call.take(.token)
            let token = RawToken(try call.body(refresh).text("refresh_token") ?? "")
            return try await call.backend.refresh(token, call.context).wireResponse()
        case "pkce":
            try call.take(.token)
            let body = try call.body(exchange)
            let codes = PKCEExchange(
                authCode: RawToken(body.text("auth_code") ?? ""),
                codeVerifier: RawToken(body.text("code_verifier") ?? ""))
            return try await call.backend.exchange(codes, call.context).wireResponse()
        case "id_token":
            try call.take(.token)
            throw refusal(ofIDToken: try call.body(idToken))
        case "web3":
            try call.take(.web3)
            _ = try call.body(web3)
            throw ErrorAnswer(422, "web3_provider_disabled", "Web3 provider is disabled")
        default:
            throw AuthError(.grantTypeUnsupported)
        }
    }

    private static func signIn(_ body: BodyFields, _ call: Call) async throws -> WireResponse {
        let signIn = PasswordSignIn(
            email: body.filled("email"), phone: body.filled("phone"), password: Password(body.text("password") ?? ""))
        return try await call.backend.signIn(signIn, call.context).wireResponse()
    }

    /// A form's own `grant_type` wins over the query's; a JSON body is looked at last, and only when allowed.
    private static func grant(_ call: Call) -> String? {
        let request = call.request
        let body = request.body
        if BodyReader.isForm(request.contentType), let form = FormFields(parsing: body.span),
            let grant = form["grant_type"], !grant.isEmpty
        {
            return grant
        }
        if let grant = call.query["grant_type"], !grant.isEmpty { return grant }
        guard call.options.readsGrantTypeFromJSON, body.count <= call.options.requestBodyMax else { return nil }
        let limits = JSONLimits(bytes: call.options.requestBodyMax)
        let found = try? grantScanner.scan(body, limits: limits)
        return JSONScanner.string(found?[0], in: body)
    }

    private static let grantScanner = JSONScanner(["grant_type"])

    /// What is missing is told as the reference does; sign-in by ID token is not offered here yet.
    private static func refusal(ofIDToken body: BodyFields) -> any Error {
        guard body.filled("id_token") != nil else { return ErrorAnswer.oauth("invalid request", "id_token required") }
        guard body.filled("provider") != nil || (body.filled("client_id") != nil && body.filled("issuer") != nil) else {
            return ErrorAnswer.oauth("invalid request", "provider or client_id and issuer required")
        }
        return AuthError(.notSupported)
    }
}
