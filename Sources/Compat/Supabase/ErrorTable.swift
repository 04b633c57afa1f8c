internal import Backend

/// The one place where a backend's error becomes HTTP: a row for every reason. Source: supabase-core.md 3,
/// error-codes.csv, deviations.md ("5xx that become 4xx").
enum ErrorTable {
    struct Row: Sendable {
        let reason: AuthError.Reason
        let status: Int
        /// `error_code`; nil for an error without one.
        let code: String?
        /// The sentence; `{0}`, `{1}` stand for the error's arguments.
        let message: String
        /// The code for Sovaria's clients, when it is not the same word in capitals.
        let detailCode: String?

        init(
            _ reason: AuthError.Reason, _ status: Int, _ code: String?, _ message: String, detailCode: String? = nil
        ) {
            self.reason = reason
            self.status = status
            self.code = code
            self.message = message
            self.detailCode = detailCode
        }
    }

    static let rows: [AuthError.Reason: Row] = {
        let all = [
            callers, addresses, signUps, sending, requestedMessages, grants, refreshes, exchanges, verifications,
            changes, administration, failures,
        ]
        var rows: [AuthError.Reason: Row] = [:]
        for row in all.joined() { rows[row.reason] = row }
        return rows
    }()

    /// The wire's form of any error that a route can end with.
    static func answer(for error: any Error, _ options: CompatOptions) -> ErrorAnswer {
        if let answer = error as? ErrorAnswer { return answer }
        guard let error = error as? AuthError else { return .unexpected }
        return answer(for: error, options)
    }

    static func answer(for error: AuthError, _ options: CompatOptions) -> ErrorAnswer {
        if let remote = error.remote { return self.remote(remote, error, options) }
        guard let row = rows[error.reason] else { return .unexpected }
        var answer = ErrorAnswer(
            row.status, row.code, sentence(row.message, error.arguments), retryAfter: error.retryAfter,
            detailCode: row.detailCode)
        if error.reason == .passwordWeak { answer.weakPasswordReasons = error.weakPasswordReasons }
        if error.reason == .reauthenticationNeeded { answer.status = options.reauthenticationStatus }
        return answer
    }

    /// What a remote server answered, handed on; a status that is no error's is not.
    private static func remote(
        _ remote: AuthError.RemoteAnswer, _ error: AuthError, _ options: CompatOptions
    ) -> ErrorAnswer {
        guard (400...599).contains(remote.status) else { return .unexpected }
        var answer = ErrorAnswer(
            remote.status, remote.code, remote.message, retryAfter: error.retryAfter,
            detailCode: error.reason == .remote ? nil : rows[error.reason]?.detailCode)
        answer.oauthError = remote.oauthError
        if remote.code == "weak_password" { answer.weakPasswordReasons = error.weakPasswordReasons }
        if error.reason == .reauthenticationNeeded { answer.status = options.reauthenticationStatus }
        return answer
    }

    /// The sentence with its blanks filled; a blank for which there is nothing goes, with the space after it.
    private static func sentence(_ template: String, _ arguments: [String]) -> String {
        guard template.utf8.contains(UInt8(ascii: "{")) else { return template }
        var text = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += rest[..<open]
            let blank = Int(rest[rest.index(after: open)..<close]) ?? arguments.count
            rest = rest[rest.index(after: close)...]
            if arguments.indices.contains(blank) {
                text += arguments[blank]
            } else if rest.first == " " {
                rest = rest.dropFirst()
            }
        }
        return text + rest
    }
}
