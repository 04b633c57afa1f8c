import JSON

/// An answer as `expect` describes it: status, the headers that count, and the body as JSON or text.
enum AnswerShape {
    static let headers: Set<String> = [
        "content-type", "location", "x-supabase-api-version", "x-sb-error-code", "www-authenticate", "link",
        "x-total-count", "retry-after", "access-control-allow-origin", "access-control-allow-credentials",
        "access-control-allow-methods", "access-control-allow-headers", "access-control-max-age",
        "access-control-expose-headers", "cache-control", "allow",
    ]
    private static let textMax = 4000
    static let limits = JSONLimits(depth: 512, bytes: HTTPCaller.bodyBytesMax)

    static func of(
        _ answer: HTTPAnswer, also: [String] = [], _ normalizer: inout Normalizer
    ) throws(Normalizer.Unreadable) -> JSONValue {
        var kept = JSONObject()
        for (name, value) in answer.headers {
            switch name {
            case "location": kept[name] = try normalizer.location(value)
            case "allow": kept[name] = .string(methods(kept[name]?.string ?? "", value))
            default:
                if headers.contains(name) || also.contains(name) { kept[name] = .string(normalizer.text(value)) }
            }
        }
        var out: JSONObject = ["status": .int(answer.status)]
        if (300..<400).contains(answer.status), kept["location"] != nil {
            // The body of a redirect is a courtesy of the HTTP library.
            kept.remove("content-type")
            out["headers"] = .object(kept)
            return .object(out)
        }
        out["headers"] = .object(kept)
        let text = String(decoding: answer.body, as: UTF8.self)
        if let value = try? JSONValue.parse(text, limits: limits) {
            out["json"] = try normalizer.plain(sorted(value, normalizer.unordered))
        } else if answer.status == 200, ExactText.contains(kept["content-type"]?.string ?? "", "xml") {
            throw Normalizer.Unreadable(text: "an answer in XML, which is not read here")
        } else if !text.isEmpty {
            let length = text.unicodeScalars.count
            out["text"] = .string(length < textMax ? normalizer.text(text) : "<\(length) characters>")
        }
        return .object(out)
    }

    /// Methods in the order of the alphabet, whether they came in one line or several.
    private static func methods(_ before: String, _ more: String) -> String {
        let all = (ExactText.split(before, at: ",") + ExactText.split(more, at: ",")).map(ExactText.trimmed)
        return Set(all.filter { !$0.isEmpty }).sorted(by: ExactText.precedes).joined(separator: ", ")
    }

    /// Lists whose order does not count, sorted by what in them does not differ from run to run.
    private static func sorted(_ value: JSONValue, _ paths: [String]) -> JSONValue {
        var value = value
        for path in paths {
            value = JSONPath(ExactText.without(path, prefix: "json")).changing(value) { list in
                sorted(list) { text in
                    let bytes = Tokens.rewrite(Array(text.utf8), Tokens.uuid) { _ in [] }
                    return String(decoding: Tokens.rewrite(bytes, Tokens.time) { _ in [] }, as: UTF8.self)
                }
            }
        }
        return value
    }

    /// A list sorted by the texts of its items; anything else as it is.
    static func sorted(_ value: JSONValue, by key: (String) -> String = { $0 }) -> JSONValue {
        guard let items = value.array else { return value }
        let keyed = items.enumerated().map { ($0, key(ValueText.spacedJSON($1, sortedKeys: true)), $1) }
        let order = keyed.sorted { left, right in
            ExactText.isEqual(left.1, right.1) ? left.0 < right.0 : ExactText.precedes(left.1, right.1)
        }
        return .array(order.map(\.2))
    }

    // MARK: Picking values

    /// What stands at `json:a.b`, `header:name`, `query:name`, `fragment:name` or `status`; nil if nothing does.
    static func pick(_ how: String, from answer: HTTPAnswer) -> JSONValue? {
        let halves = ExactText.split(how, at: ":", cutsMax: 1)
        let path = halves.count > 1 ? halves[1] : ""
        switch halves[0] {
        case "status": return .int(answer.status)
        case "header": return answer.first(ExactText.lowercased(path)).map { .string($0) }
        case "query", "fragment":
            let url = URLText(answer.first("location") ?? "")
            return URLText.field(path, in: halves[0] == "query" ? url.query : url.fragment).map { .string($0) }
        case "json":
            let text = String(decoding: answer.body, as: UTF8.self)
            guard let value = try? JSONValue.parse(text, limits: limits) else { return nil }
            return JSONPath(path).find(in: value)
        default: return nil
        }
    }
}
