internal import Backend
internal import Bytes
internal import HTTP1
internal import HTTPClient
internal import JSON

/// Reads the error answers of a Supabase Auth server, in both versions and in OAuth's shape.
/// Source: supabase-core.md 2, clients.md 4.
struct ErrorReading: Sendable {
    let reasonOf: @Sendable (Int, String?, String) -> AuthError.Reason?
    let random: any RandomSource

    /// When trying again makes sense, different for every caller: so that not all come back at once.
    var pause: Duration { .seconds(1 + Int(random.below(3))) }

    func error(of response: ClientResponse) -> AuthError {
        let status = Int(response.status.code)
        let delay = response["retry-after"].flatMap { Self.delay($0) }
        let known = AuthError.self
        guard status >= 400, let body = try? JSONValue.parse(response.body).object else {
            return foreign(status, delay)
        }
        if body["hint"] != nil || body["request_id"] != nil, body["error_id"] == nil {
            // A gateway before the server refuses our own API key: no fault of the caller's.
            return known.init(.remote, detail: "the server's gateway refused the API key (\(status))")
        }
        if let error = body["error"]?.string, body["error_description"] != nil || body["msg"] == nil {
            guard body["code"] == nil, body["error_description"] != nil || status == 400 else {
                return foreign(status, delay)
            }
            let description = body["error_description"]?.string ?? ""
            return known.init(
                .remote, retryAfter: delay,
                remote: .init(status: status, code: nil, message: description, oauthError: error))
        }
        guard let (code, message) = Self.codeAndMessage(body, headerCode: response["x-sb-error-code"], status) else {
            return foreign(status, delay)
        }
        return classified(status, code, message, body, delay)
    }

    private func classified(
        _ status: Int, _ code: String?, _ message: String, _ body: JSONObject, _ delay: Duration?
    ) -> AuthError {
        let reasons = (body["weak_password"]?["reasons"]?.array ?? []).compactMap(\.string)
        return AuthError(
            reasonOf(status, code, message) ?? .remote, weakPasswordReasons: reasons, retryAfter: delay,
            remote: .init(status: status, code: code, message: message))
    }

    /// The new version has `{code, message}`, the initial one `{code: status, error_code, msg}`.
    ///
    /// A word that only fills the place of a code that was not assigned is none; the header tells.
    private static func codeAndMessage(
        _ body: JSONObject, headerCode: String?, _ status: Int
    ) -> (code: String?, message: String)? {
        let message: String
        var code = headerCode
        if let text = body["code"]?.string, let words = body["message"]?.string {
            code = code ?? text
            message = words
        } else if let words = body["msg"]?.string, body["code"]?.number != nil || body["error_code"] != nil {
            code = code ?? body["error_code"]?.string
            message = words
        } else {
            return nil
        }
        if headerCode == nil, code == "unknown" || code == "unexpected_failure" { code = nil }
        return (code, message)
    }

    /// An answer that is not the auth server's: a proxy's page, another program, nothing readable.
    ///
    /// A limit is a limit whoever sets it. Everything else is told as what it is, a failure between us and the server:
    /// a 4xx from here would end sessions.
    private func foreign(_ status: Int, _ delay: Duration?) -> AuthError {
        switch status {
        case 429:
            AuthError(
                .remote, retryAfter: delay ?? pause,
                remote: .init(status: 429, code: "over_request_rate_limit", message: "Request rate limit reached"))
        case 502, 503: AuthError(.unavailable, retryAfter: delay ?? pause, detail: "a proxy answered \(status)")
        case 504: AuthError(.timedOut, retryAfter: delay ?? pause, detail: "a proxy answered 504")
        default: AuthError(.remote, detail: "an answer of status \(status) that is not the auth server's")
        }
    }

    /// `Retry-After` in seconds, at most an hour; dates are not read (RFC 9110 section 10.2.3).
    static func delay(_ text: String) -> Duration? {
        guard let seconds = Int(text), seconds >= 0 else { return nil }
        return .seconds(min(max(seconds, 1), 3600))
    }
}
