internal import Backend
internal import JSON

/// Puts an error into the shape that the client asked for. Source: supabase-core.md 2, clients.md 4.
struct ErrorWriter: Sendable {
    let addsDetail: Bool
    let saysWhenAfterTimeout: Bool

    /// The only version there is besides the initial one.
    static let version = "2024-01-01"

    /// How long a caller is asked to wait where nobody can say. Source: reliability-security.md C.
    static let retryAfterDefault: Duration = .seconds(1)

    /// - Parameter apiVersion: the header `X-Supabase-Api-Version` as sent.
    func response(_ answer: ErrorAnswer, apiVersion: String?, requestID: String) -> WireResponse {
        let isNew = Self.asksForNewShape(apiVersion)
        var headers: [WireResponse.Header] = [("Content-Type", "application/json")]
        if isNew { headers.append(("X-Supabase-Api-Version", Self.version)) }
        // Of a weak password the reference tells the code in the header in the initial version only.
        if answer.oauthError == nil, let code = answer.code, answer.weakPasswordReasons == nil || !isNew {
            headers.append(("x-sb-error-code", code))
        }
        let delay = answer.retryAfter ?? retryDelay(answer.status)
        if let delay { headers.append(("Retry-After", String(Self.wholeSeconds(delay)))) }
        headers.append(contentsOf: answer.headers)
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        if let error = answer.oauthError {
            writer.field("error", error)
            if !answer.message.isEmpty { writer.field("error_description", answer.message) }
        } else if let hint = answer.hint {
            writeKeyError(answer, hint: hint, isNew: isNew, requestID: requestID, into: &writer)
        } else {
            writeError(answer, isNew: isNew, requestID: requestID, into: &writer)
        }
        writer.endObject()
        return WireResponse(status: answer.status, headers: headers, body: writer.bytes)
    }

    /// The answer to whatever a route ended with; what is behind our own failures goes to the log.
    func response(
        to error: any Error, _ options: CompatOptions, apiVersion: String?, requestID: String
    ) -> WireResponse {
        let answer = ErrorTable.answer(for: error, options)
        var response = response(answer, apiVersion: apiVersion, requestID: requestID)
        guard answer.status >= 500 else { return response }
        if let error = error as? AuthError {
            response.fault = error.description
        } else if !(error is ErrorAnswer) {
            response.fault = "\(type(of: error))"
        }
        return response
    }

    /// What passes by itself is worth another try: no 502, 503 or 504 leaves without saying when. The reference's 504
    /// says nothing.
    private func retryDelay(_ status: Int) -> Duration? {
        switch status {
        case 502, 503: Self.retryAfterDefault
        case 504: saysWhenAfterTimeout ? Self.retryAfterDefault : nil
        default: nil
        }
    }

    private func writeError(_ answer: ErrorAnswer, isNew: Bool, requestID: String, into writer: inout JSONWriter) {
        if isNew {
            writer.field("code", answer.shownCode)
            writer.field("message", answer.message)
        } else {
            writer.field("code", answer.status)
            writer.field("error_code", answer.shownCode)
            writer.field("msg", answer.message)
            let isUnclassified = answer.status == 500 && answer.code == nil
            if answer.status >= 500, !isUnclassified, !requestID.isEmpty { writer.field("error_id", requestID) }
        }
        if let reasons = answer.weakPasswordReasons {
            writer.key("weak_password")
            writer.object { inner in
                inner.key("reasons")
                inner.array { list in
                    for reason in reasons { list.string(reason) }
                }
            }
        }
        guard addsDetail else { return }
        writer.key("detail")
        writer.object { inner in
            inner.field("code", answer.detailCode ?? answer.shownCode.uppercased())
            inner.field("message", answer.message)
        }
    }

    /// `code` is a text in both versions, as the hosted platform's gateway has it; the initial version's names stand
    /// beside it for clients that read those alone.
    private func writeKeyError(
        _ answer: ErrorAnswer, hint: String, isNew: Bool, requestID: String, into writer: inout JSONWriter
    ) {
        writer.field("message", answer.message)
        writer.field("hint", hint)
        writer.field("code", answer.shownCode)
        if !requestID.isEmpty { writer.field("request_id", requestID) }
        guard !isNew else { return }
        writer.field("error_code", answer.shownCode)
        writer.field("msg", answer.message)
    }

    /// Whether the header names a date from 2024-01-01 on, strictly written. Source: supabase-core.md 2.
    static func asksForNewShape(_ apiVersion: String?) -> Bool {
        guard let apiVersion else { return false }
        if apiVersion == version { return true }
        let bytes = Array(apiVersion.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10])
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...days[month - 1]).contains(day) else { return false }
        return year >= 2024
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        return value
    }

    /// Whole seconds, rounded up, at least one: a client that waits that long is never early (FR-61).
    static func wholeSeconds(_ delay: Duration) -> Int64 {
        let (seconds, attoseconds) = delay.components
        return max(1, attoseconds > 0 ? seconds.addingReportingOverflow(1).partialValue : seconds)
    }
}
