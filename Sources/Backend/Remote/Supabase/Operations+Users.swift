public import Backend
internal import Bytes
internal import HTTP1
internal import HTTPClient
public import JSON

/// What a signed-in user asks for, and what everybody is told. Source: supabase-core.md 10.11–10.16.
extension RemoteBackend {
    /// `POST /logout`. Source: supabase-core.md 10.11.
    public func signOut(
        _ scope: SignOutScope, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) {
        _ = try await call(acting(.post, "/logout?scope=\(scope.rawValue)", context, principal))
    }

    /// `GET /user`. Source: supabase-core.md 10.12.
    public func user(_ principal: Principal, _ context: RequestContext) async throws(AuthError) -> User {
        try user(try json(try await call(reading("/user", context, principal))))
    }

    /// `PUT /user`. Source: supabase-core.md 10.13.
    public func update(
        _ update: UpdateUser, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        var body = JSONObject()
        body.set("email", update.email)
        body.set("phone", update.phone)
        body.set("channel", update.channel)
        body.set("password", update.password)
        body.set("current_password", update.currentPassword)
        body.set("nonce", update.nonce)
        body.set("data", update.userMetadata)
        body.set("app_metadata", update.appMetadata)
        body.set(update.pkce)
        let request = acting(.put, target("/user", redirectQuery(context)), context, principal, body: body)
        return try user(try json(try await call(request)))
    }

    // MARK: The short way

    /// Always: there is a server behind this one.
    public var relaysUsers: Bool { true }

    private static let userScanner = JSONScanner(["id"])

    /// The server's own bytes, checked to be an account's.
    public func relayedUser(_ bearer: RawToken) async throws(AuthError) -> [UInt8] {
        var request = ClientRequest(.get, "/user", shared: shared)
        request.wantsFields = false
        request.add("Authorization", "Bearer \(bearer.exposed)")
        let body = try await call(request).body
        guard let found = try? Self.userScanner.scan(body), JSONScanner.uuid(found[0], in: body.span) != nil else {
            throw unusable("user")
        }
        return body
    }

    // MARK: What everybody is told

    /// `GET /settings`, a few seconds old at most. Source: supabase-core.md 10.14.
    public func publicSettings(_ context: RequestContext) async throws(AuthError) -> PublicSettings {
        let value = try await shared("/settings", context, settingsCache, "settings") { $0["external"]?.object != nil }
        guard let object = value.object, let external = object["external"]?.object else { throw unusable("settings") }
        return SettingsReading.settings(object, external)
    }

    /// `GET /.well-known/jwks.json`, a few seconds old at most. Source: supabase-core.md 10.16.
    public func publicKeys(_ context: RequestContext) async throws(AuthError) -> JSONText {
        JSONText(
            try await shared("/.well-known/jwks.json", context, keysCache, "key set") { $0["keys"]?.array != nil })
    }

    /// Asks for what is the same for everybody; while the server is away, or something else answers in its place (a
    /// page of maintenance), its last good answer counts.
    private func shared(
        _ path: String, _ context: RequestContext, _ cache: AnswerCache, _ name: String,
        isUsable: @Sendable (JSONValue) -> Bool
    ) async throws(AuthError) -> JSONValue {
        let now = clock.now()
        if let value = cache.fresh(at: now) { return value }
        let fault: AuthError
        do throws(AuthError) {
            let value = try json(try await call(reading(path, context)))
            if isUsable(value) {
                cache.keep(value, at: now)
                return value
            }
            fault = unusable(name)
        } catch {
            fault = error
        }
        if let value = cache.stale(at: now) { return value }
        throw fault
    }
}

/// Reads what `GET /settings` tells. Source: supabase-core.md 10.14.
enum SettingsReading {
    /// The providers that the reference names; others are kept as unknown members.
    private static let providers: Set<String> = [
        "anonymous_users", "apple", "azure", "bitbucket", "discord", "facebook", "snapchat", "figma", "fly", "github",
        "gitlab", "google", "keycloak", "kakao", "linkedin", "linkedin_oidc", "notion", "spotify", "slack",
        "slack_oidc", "workos", "twitch", "twitter", "email", "phone", "zoom",
    ]
    private static let members: Set<String> = [
        "external", "disable_signup", "mailer_autoconfirm", "phone_autoconfirm", "sms_provider", "saml_enabled",
        "passkeys_enabled",
    ]

    static func settings(_ object: JSONObject, _ external: JSONObject) -> PublicSettings {
        let enabled = external.members.filter { $0.value.bool == true && providers.contains($0.key) }.map(\.key)
        var settings = PublicSettings(
            enabledProviders: Set(enabled), isSignUpDisabled: object["disable_signup"]?.bool ?? false,
            autoconfirmsEmail: object["mailer_autoconfirm"]?.bool ?? false,
            autoconfirmsPhone: object["phone_autoconfirm"]?.bool ?? false,
            smsProvider: object["sms_provider"]?.string ?? "", isSAMLEnabled: object["saml_enabled"]?.bool ?? false,
            arePasskeysEnabled: object["passkeys_enabled"]?.bool ?? false)
        settings.unknownProviders = UserReading.unknown(external, providers)
        settings.unknownMembers = UserReading.unknown(object, members)
        return settings
    }
}
