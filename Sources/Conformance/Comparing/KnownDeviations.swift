import JSON

/// Differences that somebody decided on: Drawbridge's own, and those of a list that the caller gives.
///
/// The built-in rules are the rows of docs/compatibility.md that an answer alone gives away.
struct KnownDeviations: Sendable {
    /// One line of the caller's list.
    struct Rule: Sendable {
        /// A case's id, with `*` at its end the beginning of one; nil for every case.
        var id: String?
        /// The endpoint as it is shown (`POST /signup`); nil for all.
        var endpoint: String?
        /// The beginning of the field's path; empty for all.
        var path: String
        var why: String
    }

    static let rulesMax = 1000

    var rules: [Rule] = []

    init() {}

    /// Reads a list `[{"case", "endpoint", "path", "why"}]`.
    init(_ bytes: [UInt8]) throws(CaseProblem) {
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes)
        } catch {
            throw CaseProblem(text: "not JSON: \(error)")
        }
        guard let list = value.array, list.count <= Self.rulesMax else {
            throw CaseProblem(text: "must be a list of at most \(Self.rulesMax) known deviations")
        }
        for (index, entry) in list.enumerated() {
            guard let object = entry.object, let why = object["why"]?.string, !why.isEmpty,
                object.members.allSatisfy({ $0.value.string != nil }),
                object.keys.allSatisfy({ ["case", "endpoint", "path", "why"].contains($0) })
            else {
                throw CaseProblem(
                    text: "entry \(index + 1): needs \"why\", and may have case, endpoint, path (strings)")
            }
            rules.append(
                Rule(
                    id: object["case"]?.string, endpoint: object["endpoint"]?.string,
                    path: object["path"]?.string ?? "", why: why))
        }
    }

    /// Why a difference is known; nil if it is not.
    func reason(_ difference: Difference, id: String, step: CaseStep, want: JSONValue, seen: JSONValue) -> String? {
        for rule in rules {
            let fitsCase = rule.id.map { $0.hasSuffix("*") ? id.hasPrefix($0.dropLast()) : $0 == id } ?? true
            let fitsEndpoint = rule.endpoint.map { $0 == step.endpoint } ?? true
            if fitsCase, fitsEndpoint, ExactText.hasPrefix(difference.path, rule.path) { return rule.why }
        }
        return Self.builtIn(difference, step: step, want: want, seen: seen)
    }

    private static func builtIn(
        _ difference: Difference, step: CaseStep, want: JSONValue, seen: JSONValue
    ) -> String? {
        let method = step.text("method") ?? "GET"
        let path = ExactText.split(step.text("path") ?? "", at: "?")[0]
        if let status = want["status"]?.int64, let found = seen["status"]?.int64 {
            if (500...599).contains(status), (400...499).contains(found) {
                return "a caller's mistake is never a 5xx: the reference answers \(status), Drawbridge \(found)"
            }
            if status == 405, found != 405, method == "PATCH" { return "PATCH is understood like PUT" }
            if status == 405, found != 405, method == "HEAD" { return "HEAD is answered like GET, without the body" }
            if status == 404, found != 404, path.hasSuffix("/") { return "a trailing slash is accepted" }
        }
        if method == "OPTIONS",
            difference.isWithin("headers.access-control-allow-headers")
                || difference.isWithin("headers.access-control-allow-methods")
        {
            return "preflight allows apikey, PATCH and the headers that are asked for"
        }
        if difference.isWithin("json.detail"), difference.expected == nil {
            return "errors carry a detail object (DRAWBRIDGE_ERROR_DETAIL)"
        }
        if difference.path == "headers.location.to", let old = difference.expected?.string,
            let new = difference.got?.string, old.hasSuffix(":"), new == old + "//"
        {
            return "an app's scheme is kept as it was written"
        }
        return nil
    }
}
