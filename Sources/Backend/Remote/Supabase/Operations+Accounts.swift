public import Backend
internal import Bytes
internal import HTTP1
internal import HTTPClient
public import JSON

/// Sign-up, grants, verification and messages as calls. Source: supabase-core.md 10.
extension RemoteBackend {
    /// `POST /signup`. Source: supabase-core.md 10.1.
    public func signUp(_ signUp: SignUp, _ context: RequestContext) async throws(AuthError) -> SignUpOutcome {
        var body = JSONObject()
        body.set("email", signUp.email)
        body.set("phone", signUp.phone)
        body.set("password", signUp.password)
        body.set("data", signUp.userMetadata)
        body.set("channel", signUp.channel)
        body.set(signUp.pkce)
        let answer = try await call(acting(.post, target("/signup", redirectQuery(context)), context, body: body))
        let value = try json(answer)
        if value["access_token"] != nil { return .signedIn(try session(value, answer)) }
        return .awaitsConfirmation(try user(value))
    }

    /// `POST /signup` without an address. Source: supabase-core.md 10.1.
    public func signUpAnonymously(
        _ userMetadata: JSONObject?, _ context: RequestContext
    ) async throws(AuthError) -> Session {
        var body = JSONObject()
        body.set("data", userMetadata)
        return try await session(acting(.post, target("/signup", redirectQuery(context)), context, body: body))
    }

    /// `POST /token?grant_type=password`. Source: supabase-core.md 10.3.1.
    public func signIn(_ signIn: PasswordSignIn, _ context: RequestContext) async throws(AuthError) -> Session {
        var body = JSONObject()
        body.set("email", signIn.email)
        body.set("phone", signIn.phone)
        body.set("password", signIn.password)
        return try await session(acting(.post, "/token?grant_type=password", context, body: body))
    }

    /// `POST /token?grant_type=refresh_token`. Source: supabase-core.md 10.3.2.
    public func refresh(_ refreshToken: RawToken, _ context: RequestContext) async throws(AuthError) -> Session {
        let body: JSONObject = ["refresh_token": .string(refreshToken.exposed)]
        return try await session(acting(.post, "/token?grant_type=refresh_token", context, body: body))
    }

    /// `POST /token?grant_type=pkce`. Source: supabase-core.md 10.3.3.
    public func exchange(_ exchange: PKCEExchange, _ context: RequestContext) async throws(AuthError) -> Session {
        let body: JSONObject = [
            "auth_code": .string(exchange.authCode.exposed), "code_verifier": .string(exchange.codeVerifier.exposed),
        ]
        return try await session(acting(.post, "/token?grant_type=pkce", context, body: body))
    }

    /// `POST /verify`. Source: supabase-core.md 10.8.
    public func verify(
        _ verification: Verification, _ context: RequestContext
    ) async throws(AuthError) -> VerificationOutcome {
        var body: JSONObject = ["type": .string(verification.type)]
        body.set("token", verification.code)
        body.set("token_hash", verification.tokenHash)
        body.set("email", verification.email)
        body.set("phone", verification.phone)
        body.set("redirect_to", verification.redirectTo)
        let answer = try await call(acting(.post, target("/verify", redirectQuery(context)), context, body: body))
        let value = try json(answer)
        guard value["access_token"] != nil else {
            guard value["msg"]?.string != nil || value["message"]?.string != nil else { throw unusable("session") }
            return .otherHalfAwaited
        }
        return .signedIn(try session(value, answer))
    }

    /// The server's own `Location` is handed on: it judged the target and put into it what the browser takes along.
    public func openLink(_ link: LinkVerification, _ context: RequestContext) async throws(AuthError) -> LinkOutcome {
        var query = FormFields()
        query.append("token", link.token.exposed)
        query.append("type", link.type)
        for field in redirectQuery(context).fields { query.append(field.name, field.value) }
        let answer = try await send(acting(.get, target("/verify", query), context))
        guard (300..<400).contains(answer.status.code) else {
            if answer.status.code >= 400 { throw errors.error(of: answer) }
            throw unusable("redirect")
        }
        guard let location = answer["location"], !location.isEmpty else { throw unusable("redirect") }
        return LinkOutcome(target: location, result: .location(location))
    }

    /// `POST /otp`. Source: supabase-core.md 10.4.
    public func sendCode(
        _ signIn: OneTimeSignIn, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt {
        var body: JSONObject = ["create_user": .bool(signIn.createsUser)]
        body.set("email", signIn.email)
        body.set("phone", signIn.phone)
        body.set("data", signIn.userMetadata)
        body.set("channel", signIn.channel)
        body.set(signIn.pkce)
        return try await receipt(acting(.post, target("/otp", redirectQuery(context)), context, body: body))
    }

    /// `POST /magiclink`. Source: supabase-core.md 10.5.
    public func sendMagicLink(_ link: MagicLink, _ context: RequestContext) async throws(AuthError) {
        var body = JSONObject()
        body.set("email", link.email)
        body.set("data", link.userMetadata)
        body.set(link.pkce)
        _ = try await call(acting(.post, target("/magiclink", redirectQuery(context)), context, body: body))
    }

    /// `POST /recover`. Source: supabase-core.md 10.6.
    public func recover(_ recovery: Recovery, _ context: RequestContext) async throws(AuthError) {
        var body = JSONObject()
        body.set("email", recovery.email)
        body.set(recovery.pkce)
        _ = try await call(acting(.post, target("/recover", redirectQuery(context)), context, body: body))
    }

    /// `POST /resend`. Source: supabase-core.md 10.9.
    public func resend(_ resend: Resend, _ context: RequestContext) async throws(AuthError) -> MessageReceipt {
        var body: JSONObject = ["type": .string(resend.type)]
        body.set("email", resend.email)
        body.set("phone", resend.phone)
        body.set(resend.pkce)
        return try await receipt(acting(.post, target("/resend", redirectQuery(context)), context, body: body))
    }

    /// `GET /reauthenticate`. Source: supabase-core.md 10.10.
    public func reauthenticate(
        _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt {
        try await receipt(acting(.get, "/reauthenticate", context, principal))
    }

    // MARK: Answers

    func json(_ answer: ClientResponse) throws(AuthError) -> JSONValue {
        let limits = JSONLimits(bytes: Self.answerBytesMax)
        guard let value = try? JSONValue.parse(answer.body, limits: limits) else { throw unusable("JSON") }
        return value
    }

    /// The longest answer that is read: a page of users with their metadata.
    static let answerBytesMax = 16 << 20

    func user(_ value: JSONValue) throws(AuthError) -> User {
        guard let user = UserReading.user(value) else { throw unusable("user") }
        return user
    }

    func session(_ request: ClientRequest) async throws(AuthError) -> Session {
        let answer = try await call(request)
        return try session(try json(answer), answer)
    }

    private func session(_ value: JSONValue, _ answer: ClientResponse) throws(AuthError) -> Session {
        let sessionID = answer["sb-auth-session-id"]
        guard let session = SessionReading.session(value, sessionID: sessionID, now: clock.now()) else {
            throw unusable("session")
        }
        return session
    }

    private func receipt(_ request: ClientRequest) async throws(AuthError) -> MessageReceipt {
        let value = try json(try await call(request))
        return MessageReceipt(messageID: UserReading.filled(value["message_id"]))
    }
}

extension JSONObject {
    /// Absent stays absent.
    mutating func set(_ key: String, _ text: String?) {
        if let text { self[key] = .string(text) }
    }

    mutating func set(_ key: String, _ secret: (any SecretText)?) {
        if let secret { self[key] = .string(secret.exposed) }
    }

    mutating func set(_ key: String, _ object: JSONObject?) {
        if let object { self[key] = .object(object) }
    }

    mutating func set(_ pkce: PKCEChallenge) {
        set("code_challenge", pkce.challenge)
        set("code_challenge_method", pkce.method)
    }
}
