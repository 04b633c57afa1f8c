public import Backend
public import Bytes
public import HTTPClient
internal import HTTP1
internal import JSON

/// A backend whose rules and rows are another Supabase Auth server's: every operation is a call to it.
///
/// What the server says of a caller or an operation is handed on word by word. What is not its word (no connection, no
/// answer in time, an answer that is none of Supabase Auth's) is our failure and always a 5xx, so that no client takes
/// an outage for the end of its session. Source: reliability-security.md C, field-reports.md ("general rules").
public final class RemoteBackend: AuthBackend {
    /// Where the server is and how it is spoken to.
    public struct Configuration: Sendable {
        /// The API key of a Supabase project; nil for an auth server without a gateway before it.
        public var anonymousKey: RawToken?
        /// Stands in for a caller whose key is of the service role but no token.
        public var serviceKey: RawToken?
        /// The wire's form of an error as one of our reasons: status, `error_code`, sentence.
        public var reasonOf: @Sendable (Int, String?, String) -> AuthError.Reason? = { _, _, _ in nil }
        /// Told when the server is lost and when it is found again; never a secret.
        public var logger: @Sendable (String) -> Void = { _ in }
        public init() {}
    }

    let client: HTTPClient
    let configuration: Configuration
    let random: any RandomSource
    let shared: ClientFields
    let health = ServerHealth()
    let settingsCache = AnswerCache()
    let keysCache = AnswerCache()
    let clock: any WallClock

    /// - Parameter client: speaks to the server; its origin's prefix is where the server's paths begin.
    public init(
        client: HTTPClient, configuration: Configuration, clock: any WallClock, random: any RandomSource
    ) {
        self.client = client
        self.configuration = configuration
        self.clock = clock
        self.random = random
        var fields = [HTTPField("Accept", "application/json"), HTTPField("X-Supabase-Api-Version", "2024-01-01")]
        if let key = configuration.anonymousKey ?? configuration.serviceKey {
            fields.append(HTTPField("apikey", key.exposed))
        }
        shared = ClientFields(fields)
    }

    // MARK: Callers

    /// Reads the token only: the server judges it with the operation.
    public func authenticate(
        _ context: RequestContext, as level: AccessLevel
    ) async throws(AuthError) -> Principal {
        if let bearer = context.bearer { return Self.principal(bearer, level) }
        guard level == .administrator, context.keyRole == .service, let key = configuration.serviceKey else {
            throw AuthError(.bearerMissing)
        }
        return Self.principal(key, level)
    }

    private static func principal(_ token: RawToken, _ level: AccessLevel) -> Principal {
        Principal(
            userID: nil, sessionID: nil, tokenAudience: nil, role: "", backendState: Caller(token: token, level: level))
    }

    /// What of a caller is known: what it says of itself.
    struct Caller: Sendable {
        let token: RawToken
        let level: AccessLevel
    }

    /// Asks something that changes nothing and that only such a caller is told.
    public func confirm(_ principal: Principal, _ context: RequestContext) async throws(AuthError) {
        let isAdministrator = (principal.backendState as? Caller)?.level == .administrator
        let path = isAdministrator ? "/admin/users?page=1&per_page=1" : "/user"
        _ = try await call(reading(path, context, principal))
    }

    // MARK: Calls

    /// A request that may be sent twice.
    func reading(_ target: String, _ context: RequestContext, _ principal: Principal? = nil) -> ClientRequest {
        request(.get, target, context, principal)
    }

    /// A request that must not reach the server twice, whatever its method says: it grants, sends or writes.
    func acting(
        _ method: HTTPMethod, _ target: String, _ context: RequestContext, _ principal: Principal? = nil,
        body: JSONObject? = nil
    ) -> ClientRequest {
        var request = request(method, target, context, principal)
        request.isRepeatable = false
        if let body {
            request.add("Content-Type", "application/json")
            request.body = JSONValue.object(body).compact
        }
        return request
    }

    private func request(
        _ method: HTTPMethod, _ target: String, _ context: RequestContext, _ principal: Principal?
    ) -> ClientRequest {
        var request = ClientRequest(method, target, shared: shared)
        if let token = (principal?.backendState as? Caller)?.token ?? context.bearer {
            request.add("Authorization", "Bearer \(token.exposed)")
        }
        if let audience = context.requestedAudience { request.add("X-JWT-AUD", audience) }
        if let address = context.clientAddress {
            // The reference reads the first; the second where a setting says so (supabase-core.md 1.5).
            request.add("X-Forwarded-For", address)
            request.add("Sb-Forwarded-For", address)
        }
        if let agent = context.userAgent { request.add("User-Agent", agent) }
        if let host = context.forwardedHost { request.add("X-Forwarded-Host", host) }
        if let proto = context.forwardedProto { request.add("X-Forwarded-Proto", proto) }
        if let referrer = context.redirect.referrer { request.add("Referer", referrer) }
        if !context.requestID.isEmpty { request.add("X-Request-Id", context.requestID) }
        return request
    }

    /// Where a mail's link leads back to, as the query of a call.
    func redirectQuery(_ context: RequestContext) -> FormFields {
        var fields = FormFields()
        if let target = context.redirect.explicit { fields.append("redirect_to", target) }
        return fields
    }

    func target(_ path: String, _ query: FormFields) -> String {
        query.fields.isEmpty ? path : "\(path)?\(query.encoded)"
    }

    /// Sends a request; whatever is no success is thrown.
    func call(_ request: ClientRequest) async throws(AuthError) -> ClientResponse {
        let response = try await send(request)
        guard (200..<300).contains(response.status.code) else { throw errors.error(of: response) }
        return response
    }

    /// Sends a request and takes every answer that is one.
    func send(_ request: ClientRequest) async throws(AuthError) -> ClientResponse {
        do throws(HTTPClientError) {
            let response = try await client.send(request)
            if let news = health.answered() { configuration.logger(news) }
            return response
        } catch {
            throw failure(error)
        }
    }

    /// Our own failure to ask the server.
    private func failure(_ error: HTTPClientError) -> AuthError {
        let detail = "the auth server behind this gateway: \(error)"
        switch error.kind {
        case .unreachable, .connectionLost:
            if let news = health.failed(error.description) { configuration.logger(news) }
            return AuthError(.unavailable, retryAfter: errors.pause, detail: detail)
        case .overloaded, .cancelled: return AuthError(.unavailable, retryAfter: errors.pause, detail: detail)
        case .timedOut:
            if let news = health.failed(error.description) { configuration.logger(news) }
            return AuthError(.timedOut, retryAfter: errors.pause, detail: detail)
        case .malformed:
            configuration.logger(detail)
            return AuthError(.remote, detail: detail)
        }
    }

    var errors: ErrorReading { ErrorReading(reasonOf: configuration.reasonOf, random: random) }

    /// An answer of success that is none of Supabase Auth's.
    func unusable(_ what: String) -> AuthError {
        configuration.logger("the auth server behind this gateway answered no usable \(what)")
        return AuthError(.remote, detail: "no usable \(what)")
    }

    /// Whether the server answers at all: for `/readyz`.
    public func isReachable() async -> Bool {
        var request = ClientRequest(.get, "/health", shared: shared)
        request.wantsFields = false
        guard let response = try? await send(request) else { return false }
        return response.status.code < 500
    }
}
