internal import Backend
internal import Bytes

/// One request on its way through a route: what was sent, what the rules need of it, and whom to ask. A class, since
/// every step of the way hands it on.
final class Call: Sendable {
    let api: SupabaseAPI
    let request: WireRequest
    let context: RequestContext
    let query: FormFields

    init(api: SupabaseAPI, request: WireRequest) {
        self.api = api
        self.request = request
        query = Self.fields(request.query)
        context = RequestContext(request, query: query)
    }

    var backend: any AuthBackend { api.backend }
    var options: CompatOptions { api.options }

    /// Checks the bearer as far as the backend does so at once. Source: supabase-core.md 5.
    func principal(_ level: AccessLevel) async throws(AuthError) -> Principal {
        try await backend.authenticate(context, as: level)
    }

    /// Checks the bearer for good, before a fault of the caller's own request is told.
    func confirmedPrincipal(_ level: AccessLevel) async throws(AuthError) -> Principal {
        let principal = try await principal(level)
        try await backend.confirm(principal, context)
        return principal
    }

    /// Counts the call against a limit.
    /// - Throws: 429 `over_request_rate_limit`.
    func take(_ bucket: RateLimitBucket) throws(ErrorAnswer) {
        guard let key = request.rateLimitKey, let delay = api.limiter.take(bucket, key: key) else { return }
        throw WireFault.tooManyRequests(retryAfter: delay).answer
    }

    /// Reads the body as the members of one of the reference's parameter types.
    func body(_ schema: BodySchema) throws(ErrorAnswer) -> BodyFields {
        try BodyReader.read(request, schema, limit: options.requestBodyMax)
    }

    /// The fields of a query; of a broken one those pieces that can be read, as Go's `URL.Query` does.
    static func fields(_ query: String) -> FormFields {
        if query.isEmpty { return FormFields() }
        if let fields = FormFields(parsing: query) { return fields }
        var fields = FormFields()
        for piece in query.split(separator: "&").prefix(FormFields.countMax) {
            guard let field = FormFields(parsing: String(piece))?.fields.first else { continue }
            fields.append(field.name, field.value)
        }
        return fields
    }
}
