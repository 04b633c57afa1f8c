import JSON

/// One field in which an answer is not what was expected.
struct Difference: Sendable {
    /// What a difference means for the verdict.
    enum Standing: Sendable, Equatable {
        case counts
        /// A deviation that somebody decided on, and why.
        case known(String)
        /// The case or the format does not compare this field, and why.
        case tolerated(String)
        /// The reference itself answers this field differently from run to run.
        case noise
    }

    /// `json.user.id`, `headers.link`; empty for the answer as a whole.
    let path: String
    /// Nil: the field should not be there.
    let expected: JSONValue?
    /// Nil: the field is not there.
    let got: JSONValue?
    var standing = Standing.counts

    /// A value in at most so many characters.
    static func short(_ value: JSONValue?, lengthMax: Int = 160) -> String {
        guard let value else { return "nothing" }
        let text = String(decoding: value.compact, as: UTF8.self)
        return text.count <= lengthMax ? text : String(text.prefix(lengthMax - 3)) + "..."
    }

    /// The difference in one line.
    var line: String {
        let place = path.isEmpty ? "answer" : path
        if got == nil { return "\(place): missing, want \(Self.short(expected))" }
        if expected == nil { return "\(place): not wanted, got \(Self.short(got))" }
        return "\(place): want \(Self.short(expected)), got \(Self.short(got))"
    }

    /// Whether this field is that one or stands inside it.
    func isWithin(_ other: String) -> Bool {
        ExactText.isEqual(path, other) || ExactText.hasPrefix(path, other + ".")
            || ExactText.hasPrefix(path, other + "[")
            || other.isEmpty
    }
}
