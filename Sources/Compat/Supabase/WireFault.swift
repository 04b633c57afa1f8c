/// A refusal that is the gateway's own: the request never reached an operation.
/// Source: gateway.md 9, supabase-core.md 1.
public enum WireFault: Sendable, Equatable {
    /// 401: the route wants an API key and there is none.
    case noAPIKey
    /// 401: a key that nobody knows.
    case unknownAPIKey
    /// 403: a key whose role may not come here.
    case roleNotAllowed
    case pathNotFound
    /// Empty for a method that no route knows: then no `Allow` is sent.
    case methodNotAllowed(allowed: [String])
    /// 400, with a sentence for the caller.
    case malformed(String)
    /// 408: the request did not arrive in time.
    case requestTooSlow
    /// 413, with the limit in bytes.
    case bodyTooLarge(limit: Int)
    case uriTooLong
    case headersTooLarge
    /// 429.
    case tooManyRequests(retryAfter: Duration?)
    case unexpected
    /// 502: an upstream answered nonsense or not at all.
    case upstreamFailed
    /// 503: busy, stopping, or an upstream that is not set, with a sentence for the caller.
    case unavailable(String, retryAfter: Duration?)
    /// 504 `request_timeout`.
    case timedOut
    /// Any other status without a code of its own, such as 411, 415, 417, 501 or 505.
    case other(status: Int, message: String)

    var answer: ErrorAnswer {
        switch self {
        case .noAPIKey, .unknownAPIKey, .roleNotAllowed: keyAnswer
        case .pathNotFound: ErrorAnswer(404, "not_found", "Path not found")
        case .methodNotAllowed(let allowed): Self.methodAnswer(allowed)
        case .malformed(let message): ErrorAnswer(400, "validation_failed", message)
        case .requestTooSlow: ErrorAnswer(408, "request_timeout", "The request did not arrive in time")
        case .bodyTooLarge(let limit):
            ErrorAnswer(
                413, "request_entity_too_large", "Request body too large (max \(limit) bytes)",
                detailCode: "WAF_BODY_TOO_LARGE")
        case .uriTooLong: ErrorAnswer(414, "uri_too_long", "The request's target is too long")
        case .headersTooLarge: ErrorAnswer(431, "headers_too_large", "The request's headers are too large")
        case .tooManyRequests(let delay):
            ErrorAnswer(429, "over_request_rate_limit", "Request rate limit reached", retryAfter: delay)
        case .unexpected: ErrorAnswer.unexpected
        case .upstreamFailed:
            ErrorAnswer(502, "unexpected_failure", "The upstream server answered nothing that could be understood")
        case .unavailable(let message, let delay):
            ErrorAnswer(503, "unexpected_failure", message, retryAfter: delay)
        case .timedOut:
            ErrorAnswer(
                504, "request_timeout", "Processing this request timed out, please retry after a moment.")
        case .other(let status, let message): ErrorAnswer(status, nil, message)
        }
    }

    private var keyAnswer: ErrorAnswer {
        var answer: ErrorAnswer
        switch self {
        case .unknownAPIKey:
            answer = ErrorAnswer(401, "invalid_api_key", "Invalid API key")
            answer.hint = "Double check the API key of this project."
        case .roleNotAllowed:
            answer = ErrorAnswer(403, "insufficient_role", "This API key may not be used here")
            answer.hint = "Use a key of the service role."
        default:
            answer = ErrorAnswer(401, "no_api_key", "No API key found in request")
            answer.hint = "No `apikey` request header or url param was found."
        }
        if answer.status == 401 { answer.headers.append(("WWW-Authenticate", "Key")) }
        answer.headers.append(("Cache-Control", "no-store"))
        return answer
    }

    private static func methodAnswer(_ allowed: [String]) -> ErrorAnswer {
        var answer = ErrorAnswer(405, "method_not_allowed", "Method not allowed")
        if !allowed.isEmpty { answer.headers.append(("Allow", allowed.joined(separator: ", "))) }
        return answer
    }
}
