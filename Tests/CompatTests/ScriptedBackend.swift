import Backend
import Bytes
import Compat
import JSON
import Synchronization

/// A backend that notes what it is asked and answers what the test told it to.
final class ScriptedBackend: AuthBackend {
    struct Notes {
        /// Operations in the order in which they came.
        var calls: [String] = []
        var context: RequestContext?
        var signUp: SignUp?
        var anonymousData: JSONObject?
        var signIn: PasswordSignIn?
        var refreshToken: String?
        var exchange: PKCEExchange?
        var verification: Verification?
        var link: LinkVerification?
        var scope: SignOutScope?
        var update: UpdateUser?
        var attributes: AdminUserAttributes?
        var userID: UserID?
        var isSoft: Bool?
        var listQuery: UserListQuery?
        var oneTimeSignIn: OneTimeSignIn?
        var magicLink: MagicLink?
        var recovery: Recovery?
        var resend: Resend?
        var invitation: Invitation?
        var linkRequest: LinkRequest?
        var auditQuery: AuditQuery?
    }

    struct Script {
        /// What an operation fails with, by its name.
        var errors: [String: AuthError] = [:]
        var user = Fixtures.user()
        var session = Fixtures.session()
        var confirmsAtOnce = true
        var isHalfway = false
        var link = LinkOutcome(
            target: "https://app.example.com", result: .failed(AuthError(.linkExpired), isPKCE: false))
        var receipt = MessageReceipt()
        var page = UserPage(users: [Fixtures.user()], audience: "authenticated", total: 5, page: 1, perPage: 2)
    }

    let script: Script
    private let notes = Mutex(Notes())

    init(_ script: Script = Script()) { self.script = script }

    convenience init(failing operation: String, with error: AuthError) {
        var script = Script()
        script.errors[operation] = error
        self.init(script)
    }

    var noted: Notes { notes.withLock { $0 } }

    private func note(
        _ operation: String, _ context: RequestContext, _ change: (inout Notes) -> Void = { _ in }
    ) throws(AuthError) {
        notes.withLock { notes in
            notes.calls.append(operation)
            notes.context = context
            change(&notes)
        }
        if let error = script.errors[operation] { throw error }
    }

    func authenticate(_ context: RequestContext, as level: AccessLevel) async throws(AuthError) -> Principal {
        try note("authenticate \(level)", context)
        guard context.bearer != nil || context.keyRole == .service else { throw AuthError(.bearerMissing) }
        return Principal(
            userID: script.user.id, sessionID: nil, tokenAudience: "authenticated", role: "authenticated")
    }

    func confirm(_ principal: Principal, _ context: RequestContext) async throws(AuthError) {
        try note("confirm", context)
    }

    func signUp(_ signUp: SignUp, _ context: RequestContext) async throws(AuthError) -> SignUpOutcome {
        try note("signUp", context) { $0.signUp = signUp }
        return script.confirmsAtOnce ? .signedIn(script.session) : .awaitsConfirmation(script.user)
    }

    func signUpAnonymously(_ data: JSONObject?, _ context: RequestContext) async throws(AuthError) -> Session {
        try note("signUpAnonymously", context) { $0.anonymousData = data }
        return script.session
    }

    func signIn(_ signIn: PasswordSignIn, _ context: RequestContext) async throws(AuthError) -> Session {
        try note("signIn", context) { $0.signIn = signIn }
        return script.session
    }

    func refresh(_ refreshToken: RawToken, _ context: RequestContext) async throws(AuthError) -> Session {
        try note("refresh", context) { $0.refreshToken = refreshToken.exposed }
        return script.session
    }

    func exchange(_ exchange: PKCEExchange, _ context: RequestContext) async throws(AuthError) -> Session {
        try note("exchange", context) { $0.exchange = exchange }
        return script.session
    }

    func verify(_ verification: Verification, _ context: RequestContext) async throws(AuthError) -> VerificationOutcome
    {
        try note("verify", context) { $0.verification = verification }
        return script.isHalfway ? .otherHalfAwaited : .signedIn(script.session)
    }

    func openLink(_ link: LinkVerification, _ context: RequestContext) async throws(AuthError) -> LinkOutcome {
        try note("openLink", context) { $0.link = link }
        return script.link
    }

    func sendCode(
        _ signIn: OneTimeSignIn, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt {
        try note("sendCode", context) { $0.oneTimeSignIn = signIn }
        return script.receipt
    }

    func sendMagicLink(_ link: MagicLink, _ context: RequestContext) async throws(AuthError) {
        try note("sendMagicLink", context) { $0.magicLink = link }
    }

    func recover(_ recovery: Recovery, _ context: RequestContext) async throws(AuthError) {
        try note("recover", context) { $0.recovery = recovery }
    }

    func resend(_ resend: Resend, _ context: RequestContext) async throws(AuthError) -> MessageReceipt {
        try note("resend", context) { $0.resend = resend }
        return script.receipt
    }

    func reauthenticate(
        _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt {
        try note("reauthenticate", context)
        return script.receipt
    }

    func invite(
        _ invitation: Invitation, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        try note("invite", context) { $0.invitation = invitation }
        return script.user
    }

    func generateLink(
        _ request: LinkRequest, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> GeneratedLink {
        try note("generateLink", context) { $0.linkRequest = request }
        return GeneratedLink(
            user: script.user, actionLink: RawToken("https://auth.example.com/verify?token=hash"),
            code: OneTimeCode("123456"), tokenHash: RawToken("hash"), verificationType: "signup",
            redirectTo: "https://app.example.com")
    }

    func auditLog(
        _ query: AuditQuery, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> AuditPage {
        try note("auditLog", context) { $0.auditQuery = query }
        let entry = AuditEntry(id: Fixtures.id, payload: .emptyObject, createdAt: Fixtures.now, ipAddress: "")
        return AuditPage(entries: [entry], total: 5, page: 1, perPage: 2)
    }

    func signOut(_ scope: SignOutScope, _ principal: Principal, _ context: RequestContext) async throws(AuthError) {
        try note("signOut", context) { $0.scope = scope }
    }

    func user(_ principal: Principal, _ context: RequestContext) async throws(AuthError) -> User {
        try note("user", context)
        return script.user
    }

    func update(
        _ update: UpdateUser, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        try note("update", context) { $0.update = update }
        return script.user
    }

    func adminCreateUser(
        _ attributes: AdminUserAttributes, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        try note("adminCreateUser", context) { $0.attributes = attributes }
        return script.user
    }

    func adminUser(
        _ id: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        try note("adminUser", context) { $0.userID = id }
        return script.user
    }

    func adminUsers(
        _ query: UserListQuery, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> UserPage {
        try note("adminUsers", context) { $0.listQuery = query }
        return script.page
    }

    func adminUpdateUser(
        _ id: UserID, _ attributes: AdminUserAttributes, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        try note("adminUpdateUser", context) {
            $0.userID = id
            $0.attributes = attributes
        }
        return script.user
    }

    func adminDeleteUser(
        _ id: UserID, softly: Bool, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) {
        try note("adminDeleteUser", context) {
            $0.userID = id
            $0.isSoft = softly
        }
    }

    func adminFactors(
        _ user: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> [Factor] {
        try note("adminFactors", context) { $0.userID = user }
        return script.user.factors
    }

    func adminUpdateFactor(
        _ factor: FactorID, of user: UserID, _ attributes: AdminFactorAttributes, _ principal: Principal,
        _ context: RequestContext
    ) async throws(AuthError) -> Factor {
        try note("adminUpdateFactor", context) { $0.userID = user }
        return try first(factor)
    }

    func adminDeleteFactor(
        _ factor: FactorID, of user: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> Factor {
        try note("adminDeleteFactor", context) { $0.userID = user }
        return try first(factor)
    }

    private func first(_ id: FactorID) throws(AuthError) -> Factor {
        guard let factor = script.user.factors.first(where: { $0.id == id }) else { throw AuthError(.factorNotFound) }
        return factor
    }

    func publicSettings(_ context: RequestContext) async throws(AuthError) -> PublicSettings {
        try note("publicSettings", context)
        return PublicSettings(
            enabledProviders: ["email", "keycloak"], isSignUpDisabled: false, autoconfirmsEmail: true,
            autoconfirmsPhone: false)
    }

    func publicKeys(_ context: RequestContext) async throws(AuthError) -> JSONText {
        try note("publicKeys", context)
        return JSONText(JSONObject(dictionaryLiteral: ("keys", .array([]))))
    }
}

/// Values that the tests share.
enum Fixtures {
    static let id = UUID("9c0e6f2a-1111-4222-8333-444455556666") ?? .zero
    static let now = Timestamp(unixSeconds: 1_795_000_000, microseconds: 120_000)

    static func user() -> User {
        var user = User(
            id: UserID(id), audience: "authenticated", role: "authenticated",
            appMetadata: JSONText(JSONObject(dictionaryLiteral: ("provider", "email"))), createdAt: now, updatedAt: now)
        user.email = "a@example.com"
        return user
    }

    static func session() -> Session {
        Session(
            accessToken: RawToken("header.claims.signature"), refreshToken: RawToken("abcdefghijkl"), expiresIn: 3600,
            expiresAt: now + .seconds(3600), user: user(), sessionID: SessionID(id))
    }
}

/// Refuses the buckets it is told to, and notes what is taken.
final class ScriptedLimits: RateLimiting {
    private let empty: Set<RateLimitBucket>
    private let log = Mutex<[String]>([])

    init(empty: Set<RateLimitBucket> = []) { self.empty = empty }

    var taken: [String] { log.withLock { $0 } }

    func take(_ bucket: RateLimitBucket, key: String) -> Duration? {
        log.withLock { $0.append("\(bucket.rawValue) \(key)") }
        return empty.contains(bucket) ? .milliseconds(1200) : nil
    }
}

/// A wire with a scripted backend behind it.
struct Rig {
    let backend: ScriptedBackend
    let limits: ScriptedLimits
    let api: SupabaseAPI

    init(
        _ backend: ScriptedBackend = ScriptedBackend(), options: CompatOptions = .supabase,
        limits: ScriptedLimits = ScriptedLimits()
    ) {
        self.backend = backend
        self.limits = limits
        api = SupabaseAPI(backend: backend, options: options, limiter: limits)
    }

    /// Sends a request. `target` is a path with a query; `bearer` a token.
    func send(
        _ method: String, _ target: String, _ body: String = "", bearer: String? = "token", version: String? = nil,
        change: (inout WireRequest) -> Void = { _ in }
    ) async -> WireResponse {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var request = WireRequest(
            method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : "",
            body: Array(body.utf8), requestID: "request-1")
        request.authorization = bearer.map { "Bearer \($0)" }
        request.apiVersion = version
        request.rateLimitKey = "client"
        change(&request)
        return await api.answer(request)
    }
}

extension WireResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { (try? JSONValue.parse(body)) ?? .null }
    /// The message of an error in either shape.
    var message: String? { (json["msg"] ?? json["message"])?.string }
}
