internal import Bytes
internal import HTTP1

/// What other origins may do. Source: supabase-core.md 1.4 (the reference), gateway.md 6, deviations.md.
public struct CORSPolicy: Sendable {
    /// Every header that a preflight asks for is allowed; else those of ``allowed``.
    public var allowsEveryHeader = true
    /// `Access-Control-Allow-Credentials: true` beside `*`, as the reference sends it.
    public var sendsCredentials = false
    /// How long a browser may keep a preflight's answer; nil sends nothing.
    public var maxAgeSeconds: Int? = 3600
    /// Response headers that scripts may read.
    public var exposed: [String] = CORSPolicy.exposedAlways + CORSPolicy.exposedFurther
    /// Lower-case names of allowed request headers.
    private(set) var allowed: Set<String>

    static let exposedAlways = ["X-Total-Count", "Link", "X-Supabase-Api-Version"]
    static let exposedFurther = [
        "X-Sb-Error-Code", "X-Request-Id", "Retry-After", "Content-Range", "Range", "Content-Length", "Location",
    ]

    /// The reference's list, `apikey` and the other headers that clients send (clients.md 2, 8).
    private static let known = [
        "accept", "authorization", "content-type", "x-client-ip", "x-client-info", "x-jwt-aud", "x-use-cookie",
        "x-supabase-api-version", "apikey", "x-supabase-client-platform", "x-supabase-client-platform-version",
        "x-supabase-client-runtime", "x-supabase-client-runtime-version", "traceparent", "tracestate", "baggage",
        "x-retry-count", "prefer", "range", "accept-profile", "content-profile", "x-upsert", "x-region",
        "cache-control", "if-none-match", "redirect_to",
    ]

    /// - Parameter further: `GOTRUE_CORS_ALLOWED_HEADERS`.
    public init(allowing further: [String] = []) {
        allowed = Set(Self.known + further.map { $0.lowercased() })
    }

    /// The reference's own answers, but for `apikey` and `PATCH` (deviations.md, "Friendlier").
    public static func reference(allowing further: [String] = []) -> CORSPolicy {
        var policy = CORSPolicy(allowing: further)
        policy.allowsEveryHeader = false
        policy.sendsCredentials = true
        policy.maxAgeSeconds = nil
        policy.exposed = exposedAlways
        return policy
    }

    static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// What every answer carries: with an `Origin` in the request, and without one.
    func answerFields(hasOrigin: Bool) -> [HTTPField] {
        guard hasOrigin else { return [HTTPField("Vary", "Origin")] }
        var fields = [HTTPField("Vary", "Origin"), HTTPField("Access-Control-Allow-Origin", "*")]
        if sendsCredentials { fields.append(HTTPField("Access-Control-Allow-Credentials", "true")) }
        fields.append(HTTPField("Access-Control-Expose-Headers", exposed.joined(separator: ", ")))
        return fields
    }

    /// What a preflight is answered with, beside its 204.
    func preflightFields(origin: String?, method: String, headers: String?) -> [HTTPField] {
        var fields = [
            HTTPField("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
        ]
        guard let origin, !origin.isEmpty, Self.methods.contains(method) else { return fields }
        let names = Self.names(headers ?? "")
        guard let names, allowsEveryHeader || names.allSatisfy(allowed.contains) else { return fields }
        fields.append(HTTPField("Access-Control-Allow-Origin", "*"))
        fields.append(HTTPField("Access-Control-Allow-Methods", method))
        if let headers, !names.isEmpty { fields.append(HTTPField("Access-Control-Allow-Headers", headers)) }
        if sendsCredentials { fields.append(HTTPField("Access-Control-Allow-Credentials", "true")) }
        if let maxAgeSeconds { fields.append(HTTPField("Access-Control-Max-Age", "\(maxAgeSeconds)")) }
        return fields
    }

    /// The most headers of one preflight.
    static let headersMax = 200

    /// The header names of a list in lower case; nil when one of them is no name.
    private static func names(_ list: String) -> [String]? {
        let items = list.split(separator: ",", omittingEmptySubsequences: true)
        guard items.count <= headersMax else { return nil }
        var names: [String] = []
        for item in items {
            let name = item.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
            guard !name.isEmpty else { continue }
            let text = String(name).lowercased()
            guard text.utf8.allSatisfy({ Scan.isToken($0) }) else { return nil }
            names.append(text)
        }
        return names
    }
}
