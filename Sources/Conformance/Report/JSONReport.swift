import JSON

/// The report for programs.
enum JSONReport {
    /// Source: docs/conformance.md, the JSON report.
    static func bytes(_ report: Report) -> [UInt8] {
        let object: JSONObject = [
            "format": 1, "drawbridge": .string(report.version), "made_at": .string(report.madeAt),
            "target": .string(report.target), "reference": report.reference.map { .string($0) } ?? .null,
            "prefix": .string(report.prefix),
            "summary": [
                "passed": .int(report.count(.passed)), "differs": .int(report.count(.differs)),
                "not_run": .int(report.count(.notRun)), "left_out": .int(report.leftOut.count),
            ],
            "endpoints": .array(report.endpoints.map(endpoint)), "cases": .array(report.results.map(result)),
            "left_out": .array(report.leftOut.map { ["id": .string($0.id), "why": .string($0.why)] }),
        ]
        return JSONValue.object(object).compact + [10]
    }

    /// `{id: [lines]}`, an empty list for what passed; as the judge writes it.
    static func summary(_ report: Report) -> [UInt8] {
        var object = JSONObject()
        for result in report.results {
            let lines = result.verdict == .passed ? [] : result.lines
            object[result.id] = .array(lines.map { .string($0) })
        }
        return JSONValue.object(object).compact + [10]
    }

    private static func endpoint(_ endpoint: Report.Endpoint) -> JSONValue {
        let fields = endpoint.fields.map { field -> JSONValue in
            let examples = field.examples.map { example -> JSONValue in
                var object: JSONObject = ["case": .string(example.id), "step": .int(example.step)]
                object["expected"] = example.expected
                object["got"] = example.got
                return .object(object)
            }
            return [
                "path": .string(field.path), "mark": .string(field.mark.rawValue), "why": .string(field.why),
                "count": .int(field.count), "examples": .array(examples),
            ]
        }
        return ["endpoint": .string(endpoint.name), "answers": .int(endpoint.answers), "fields": .array(fields)]
    }

    private static func result(_ result: CaseResult) -> JSONValue {
        let steps = result.findings.map { finding -> JSONValue in
            let differences = finding.differences.map { difference -> JSONValue in
                var object: JSONObject = ["path": .string(difference.path)]
                object["expected"] = difference.expected
                object["got"] = difference.got
                switch difference.standing {
                case .counts: object["mark"] = "differs"
                case .known(let why):
                    object["mark"] = "known deviation"
                    object["why"] = .string(why)
                case .tolerated(let why):
                    object["mark"] = "not compared"
                    object["why"] = .string(why)
                case .noise: object["mark"] = "noise"
                }
                return .object(object)
            }
            return [
                "step": .int(finding.step), "endpoint": .string(finding.endpoint), "label": .string(finding.label),
                "differences": .array(differences),
            ]
        }
        var object: JSONObject = [
            "id": .string(result.id), "title": .string(result.title), "file": .string(result.file),
            "verdict": .string(result.verdict.rawValue), "steps": .array(steps),
        ]
        if let stop = result.stop {
            object["stopped"] = .string((result.stopLabel.map { $0 + ": " } ?? "") + stop)
        }
        return .object(object)
    }
}
