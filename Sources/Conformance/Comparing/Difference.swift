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
        return cut(String(decoding: value.compact, as: UTF8.self), lengthMax)
    }

    private static func cut(_ text: String, _ lengthMax: Int) -> String {
        text.count <= lengthMax ? text : String(text.prefix(lengthMax - 3)) + "..."
    }

    /// Two values in at most so many characters each. Long ones that begin alike are shown from shortly before the
    /// place where they part, so that what differs is seen.
    static func shortPair(
        _ expected: JSONValue?, _ got: JSONValue?, lengthMax: Int
    ) -> (expected: String, got: String) {
        guard let expected, let got else {
            return (short(expected, lengthMax: lengthMax), short(got, lengthMax: lengthMax))
        }
        let texts = [expected, got].map { String(decoding: $0.compact, as: UTF8.self) }
        let same = zip(texts[0], texts[1]).prefix { $0 == $1 }.count
        let before = lengthMax / 3
        guard same > lengthMax - before, texts.contains(where: { $0.count > lengthMax }) else {
            return (cut(texts[0], lengthMax), cut(texts[1], lengthMax))
        }
        let shown = texts.map { "..." + cut(String($0.dropFirst(same - before)), lengthMax - 3) }
        return (shown[0], shown[1])
    }

    /// The difference in one line.
    var line: String {
        let place = path.isEmpty ? "answer" : path
        if got == nil { return "\(place): missing, want \(Self.short(expected))" }
        if expected == nil { return "\(place): not wanted, got \(Self.short(got))" }
        let pair = Self.shortPair(expected, got, lengthMax: 160)
        return "\(place): want \(pair.expected), got \(pair.got)"
    }

    /// Whether this field is that one or stands inside it.
    func isWithin(_ other: String) -> Bool {
        ExactText.isEqual(path, other) || ExactText.hasPrefix(path, other + ".")
            || ExactText.hasPrefix(path, other + "[")
            || other.isEmpty
    }
}
