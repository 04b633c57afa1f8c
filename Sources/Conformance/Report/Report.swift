import JSON

/// All results of a run, and what they have in common.
struct Report: Sendable {
    /// One field of one endpoint that differs in one way, over all cases.
    struct Field: Sendable {
        enum Mark: String, Sendable {
            case differs
            case known = "known deviation"
            case tolerated = "not compared"
            case noise
        }

        struct Example: Sendable {
            let id: String
            let step: Int
            let expected: JSONValue?
            let got: JSONValue?
        }

        let path: String
        let mark: Mark
        /// Why it is known or not compared.
        let why: String
        var count = 0
        var examples: [Example] = []

        static let examplesMax = 20

        /// The cases in which it was seen, each once.
        var ids: [String] {
            examples.reduce(into: []) { if !$0.contains($1.id) { $0.append($1.id) } }
        }
    }

    struct Endpoint: Sendable {
        let name: String
        /// Answers that were compared.
        var answers = 0
        var fields: [Field] = []

        func count(_ mark: Field.Mark) -> Int { fields.reduce(0) { $0 + ($1.mark == mark ? $1.count : 0) } }
    }

    let version: String
    let target: String
    let reference: String?
    let prefix: String
    /// RFC 3339.
    let madeAt: String
    let results: [CaseResult]
    let leftOut: [(id: String, why: String)]
    let endpoints: [Endpoint]

    init(
        version: String, options: ConformanceOptions, madeAt: String, results: [CaseResult],
        leftOut: [(id: String, why: String)]
    ) {
        func name(_ place: ConformanceOptions.Place) -> String {
            switch place {
            case .running(let url): url
            case .launched(let command): command
            }
        }
        self.version = version
        target = name(options.target)
        reference = options.reference.map(name)
        (prefix, self.madeAt, self.results, self.leftOut) = (options.prefix, madeAt, results, leftOut)
        endpoints = Self.endpoints(results)
    }

    func count(_ verdict: CaseResult.Verdict) -> Int { results.count { $0.verdict == verdict } }

    var outcome: ConformanceOutcome {
        if count(.differs) > 0 { return .differs }
        return count(.notRun) > 0 || results.isEmpty ? .unable : .passed
    }

    /// Endpoints in the order of their names, the fields that count first.
    private static func endpoints(_ results: [CaseResult]) -> [Endpoint] {
        var found: [String: Endpoint] = [:]
        var places: [String: [String: Int]] = [:]
        for result in results {
            for (name, count) in result.compared { found[name, default: Endpoint(name: name)].answers += count }
            for finding in result.findings {
                for difference in finding.differences {
                    let (mark, why) = mark(difference.standing)
                    let path = general(difference.path)
                    let values = Difference.short(difference.expected) + "\u{0}" + Difference.short(difference.got)
                    let key = [path, mark.rawValue, why, values].joined(separator: "\u{0}")
                    var endpoint = found[finding.endpoint] ?? Endpoint(name: finding.endpoint)
                    let place = places[finding.endpoint]?[key] ?? endpoint.fields.count
                    if place == endpoint.fields.count {
                        endpoint.fields.append(Field(path: path, mark: mark, why: why))
                        places[finding.endpoint, default: [:]][key] = place
                    }
                    endpoint.fields[place].count += 1
                    if endpoint.fields[place].examples.count < Field.examplesMax {
                        endpoint.fields[place].examples.append(
                            .init(
                                id: result.id, step: finding.step, expected: difference.expected, got: difference.got))
                    }
                    found[finding.endpoint] = endpoint
                }
            }
        }
        let order: [Field.Mark] = [.differs, .known, .noise, .tolerated]
        return found.values.sorted { ExactText.precedes($0.name, $1.name) }.map { endpoint in
            var endpoint = endpoint
            endpoint.fields = order.flatMap { mark in
                endpoint.fields.filter { $0.mark == mark }.sorted { ($1.count, $0.path) < ($0.count, $1.path) }
            }
            return endpoint
        }
    }

    private static func mark(_ standing: Difference.Standing) -> (Field.Mark, String) {
        switch standing {
        case .counts: (.differs, "")
        case .known(let why): (.known, why)
        case .tolerated(let why): (.tolerated, why)
        case .noise: (.noise, "the reference itself answers this field differently from run to run")
        }
    }

    /// A path for every item of a list: `json.users[3].id` is `json.users[].id`.
    static func general(_ path: String) -> String {
        var out = ""
        var isInside = false
        for character in path {
            if character == "[" { isInside = true }
            if character == "]" { isInside = false }
            if !isInside || character == "[" { out.append(character) }
        }
        return out
    }

    /// The report's path without its ending: of a folder, the name `conformance` in it.
    static func base(of path: String) -> String {
        if path.hasSuffix("/") || Files.isFolder(path) {
            return path + (path.hasSuffix("/") ? "" : "/") + "conformance"
        }
        for ending in [".json", ".html"] where path.hasSuffix(ending) { return String(path.dropLast(ending.count)) }
        return path
    }
}
