internal import Backend

/// An error as the wire tells it, before it is known in which of the two shapes.
struct ErrorAnswer: Error, Sendable {
    var status: Int
    /// `error_code`; nil when none was assigned.
    var code: String?
    var message: String
    /// OAuth's shape instead: `{error, error_description}`.
    var oauthError: String?
    /// Broken password rules; not nil for `weak_password` alone.
    var weakPasswordReasons: [String]?
    /// Told beside the message in errors about API keys, which then have a shape of their own (gateway.md 9).
    var hint: String?
    var retryAfter: Duration?
    /// The code for Sovaria's clients, when it is not the same word in capitals (sovaria.md D9).
    var detailCode: String?
    /// Headers beside those that every error has.
    var headers: [WireResponse.Header] = []

    init(_ status: Int, _ code: String?, _ message: String, retryAfter: Duration? = nil, detailCode: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.detailCode = detailCode
    }

    /// A failure whose cause is for the log alone. Source: supabase-core.md 2, "Unclassified error".
    static let unexpected = ErrorAnswer(
        500, nil, "Unexpected failure, please check server logs for more information")

    static func badJSON(_ detail: String) -> ErrorAnswer {
        ErrorAnswer(400, "bad_json", "Could not parse request body as JSON: \(detail)")
    }

    static func validation(_ message: String, status: Int = 400) -> ErrorAnswer {
        ErrorAnswer(status, "validation_failed", message)
    }

    static func oauth(_ error: String, _ description: String) -> ErrorAnswer {
        var answer = ErrorAnswer(400, nil, description)
        answer.oauthError = error
        return answer
    }

    /// The code that a body shows: some word is always there. Source: supabase-core.md 2, "No code assigned".
    var shownCode: String { code ?? (status == 500 ? "unexpected_failure" : "unknown") }

    /// OAuth's word for the status in a redirect; nil for those that have none. Source: supabase-core.md 2.
    var redirectWord: String? {
        switch status {
        case 400: "invalid_request"
        case 401: "unauthorized_client"
        case 403: "access_denied"
        case 500: "server_error"
        case 503: "temporarily_unavailable"
        default: nil
        }
    }
}
