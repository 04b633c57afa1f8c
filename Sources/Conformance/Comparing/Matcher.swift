import JSON

/// Compares what was seen with what was expected, field by field. Source: conformance-format.md, `expect`.
enum Matcher {
    private static let routerHeaders = [
        "headers.content-type", "headers.x-sb-error-code", "headers.x-supabase-api-version",
    ]

    /// The differences of one step, those that the format or the case does not compare marked as tolerated.
    /// - Parameter isPartial: only what `want` names is compared.
    static func compare(_ step: CaseStep, want: JSONValue, seen: JSONValue, isPartial: Bool) -> [Difference] {
        let ignored = step.texts("ignore")
        return differences(want, seen, isPartial: isPartial).map { difference in
            var difference = difference
            if let prefix = ignored.first(where: { ExactText.hasPrefix(difference.path + ": ", $0) }) {
                difference.standing = .tolerated("the case ignores \(CaseStep.short(prefix))")
            } else if let why = tolerance(difference, want, seen) {
                difference.standing = .tolerated(why)
            }
            return difference
        }
    }

    /// Why the format does not compare a field of this answer.
    private static func tolerance(_ difference: Difference, _ want: JSONValue, _ seen: JSONValue) -> String? {
        guard want.object != nil, let status = want["status"] else { return nil }
        let path = difference.path
        if ValueText.plain(status).hasPrefix("3"), want["headers"]?["location"] != nil, difference.got == nil,
            path == "text" || path == "headers.content-type"
        {
            return "the body of a redirect is not compared"
        }
        if status == 404 || status == 405, want["json"] == nil, isEqual(seen["status"] ?? .null, status),
            path == "text" || difference.isWithin("json") || routerHeaders.contains(path)
        {
            return "a router's 404 and 405 are worded as each server likes"
        }
        if status == 429, path == "headers.retry-after", difference.expected == nil {
            return "a 429 may say when to come back"
        }
        return nil
    }

    /// Every difference between two values.
    static func differences(_ want: JSONValue, _ got: JSONValue, at path: String = "", isPartial: Bool = false)
        -> [Difference]
    {
        var out: [Difference] = []
        collect(want, got, path, isPartial, &out)
        return out
    }

    private static func collect(
        _ want: JSONValue, _ got: JSONValue, _ path: String, _ isPartial: Bool, _ out: inout [Difference]
    ) {
        var want = want
        if let text = want.string {
            if text == "<any>" || (text == "<absent>" && got.isNull) { return }
            // A URL that was recorded as a text.
            if let parts = got.object, Set(parts.keys) == ["to", "query", "fragment"] { want = urlParts(text) }
        }
        switch (want, got) {
        case (.object(let wanted), .object(let found)):
            for key in Set(wanted.keys + found.keys).sorted(by: ExactText.precedes) {
                let inner = path.isEmpty ? key : path + "." + key
                switch (wanted[key], found[key]) {
                case (let one?, let other?): collect(one, other, inner, isPartial, &out)
                case (let one?, nil):
                    if one != "<absent>" { out.append(Difference(path: inner, expected: one, got: nil)) }
                case (nil, let other?):
                    if !isPartial { out.append(Difference(path: inner, expected: nil, got: other)) }
                case (nil, nil): break
                }
            }
        case (.array(let wanted), .array(let found)) where wanted.count == found.count:
            for (index, pair) in zip(wanted, found).enumerated() {
                collect(pair.0, pair.1, "\(path)[\(index)]", isPartial, &out)
            }
        default:
            if isNextSecond(want, got, path) || isOneOf(want, got) || isEqual(want, got) { return }
            out.append(Difference(path: path, expected: want, got: got))
        }
    }

    private static func urlParts(_ text: String) -> JSONValue {
        let halves = ExactText.split(text, at: "?", cutsMax: 1)
        var query = JSONObject()
        for (name, value) in URLText.fields(halves.count > 1 ? halves[1] : "") { query[name] = .string(value) }
        return ["to": .string(halves[0]), "query": .object(query), "fragment": [:]]
    }

    /// Whether an `expires_in` only fell into the next second.
    private static func isNextSecond(_ want: JSONValue, _ got: JSONValue, _ path: String) -> Bool {
        guard ExactText.hasSuffix(path, ".expires_in"), want.typeName == got.typeName else { return false }
        let texts = (ValueText.plain(want), ValueText.plain(got))
        guard ExactText.isDigits(texts.0), ExactText.isDigits(texts.1), let first = Int64(texts.0),
            let second = Int64(texts.1)
        else { return false }
        let (distance, isTooFar) = first.subtractingReportingOverflow(second)
        return !isTooFar && (distance == 1 || distance == -1)
    }

    /// `<one of> [1, 2]`.
    private static func isOneOf(_ want: JSONValue, _ got: JSONValue) -> Bool {
        guard let text = want.string, ExactText.hasPrefix(text, "<one of> "),
            let choices = (try? JSONValue.parse(ExactText.without(text, prefix: "<one of> ")))?.array
        else { return false }
        return choices.contains { isEqual($0, got) }
    }

    /// Whether two values are the same: texts byte for byte, numbers by what they are worth, members in any order.
    static func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.bool(let one), .bool(let other)): return one == other
        case (.string(let one), .string(let other)): return ExactText.isEqual(one, other)
        case (.number(let one), .number(let other)):
            if ExactText.isEqual(one.literal, other.literal) { return true }
            if let whole = one.int64, let second = other.int64 { return whole == second }
            // Whole numbers beyond 64 bits are the same only if they are written the same.
            if isWhole(one), isWhole(other) { return false }
            return one.double != nil && one.double == other.double
        case (.array(let one), .array(let other)):
            return one.count == other.count && zip(one, other).allSatisfy { isEqual($0, $1) }
        case (.object(let one), .object(let other)):
            return one.count == other.count
                && one.members.allSatisfy { member in other[member.key].map { isEqual(member.value, $0) } ?? false }
        default: return false
        }
    }

    private static func isWhole(_ number: JSONNumber) -> Bool {
        number.literal.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
