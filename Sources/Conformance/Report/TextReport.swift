import JSON

/// The report for a terminal.
enum TextReport {
    private static let valueMax = 300
    private static let cellMax = 48
    /// Rows of one endpoint in the ending; the report has them all.
    private static let rowsMax = 20

    /// What is said about a case as soon as it is over; empty if there is nothing to say.
    static func line(_ result: CaseResult, isBrief: Bool) -> String {
        let id = visible(result.id)
        switch result.verdict {
        case .passed:
            if isBrief { return "" }
            let known = result.knownCount
            return "ok       \(id)" + (known > 0 ? "  (\(plural(known, "known deviation")))" : "") + "\n"
        case .notRun:
            let place = result.stopLabel.map { visible($0) + ": " } ?? ""
            return "not run  \(id)" + (isBrief ? "\n" : "\n    \(place)\(visible(result.stop ?? ""))\n")
        case .differs:
            let head = "differs  \(id)"
            return isBrief ? head + "\n" : head + "  \(visible(result.title))\n" + details(result)
        }
    }

    private static func details(_ result: CaseResult) -> String {
        var out = ""
        for finding in result.findings {
            let shown = finding.differences.filter { difference in
                switch difference.standing {
                case .counts, .known: true
                case .tolerated, .noise: false
                }
            }
            if shown.isEmpty { continue }
            out += "    step \(finding.step)  \(visible(finding.endpoint))\n"
            for difference in shown {
                out += "        \(visible(difference.path.isEmpty ? "answer" : difference.path))"
                if case .known(let why) = difference.standing { out += "  [known deviation: \(visible(why))]" }
                let pair = Difference.shortPair(difference.expected, difference.got, lengthMax: valueMax)
                out += "\n            expected  \(visible(pair.expected))\n"
                out += "            got       \(visible(pair.got))\n"
            }
        }
        let noise = result.noiseCount
        if noise > 0 { out += "    \(plural(noise, "difference")) left out as noise\n" }
        if let stop = result.stop {
            out += "    ended at \(visible(result.stopLabel ?? "the start")): \(visible(stop))\n"
        }
        return out
    }

    /// Endpoints and fields with expected beside got, and how many cases passed.
    static func ending(_ report: Report) -> String {
        var out = ""
        let endpoints = report.endpoints.filter { $0.count(.differs) + $0.count(.known) + $0.count(.noise) > 0 }
        if !endpoints.isEmpty { out += "\nby endpoint and field\n" }
        for endpoint in endpoints {
            out += "\n  \(visible(endpoint.name))  (\(plural(endpoint.answers, "answer")) compared)\n"
            let rows = endpoint.fields.filter { $0.mark != .tolerated }.map { field -> [String] in
                let first = field.examples.first
                let mark = field.mark == .differs ? "" : "  [\(field.mark.rawValue)]"
                let pair = Difference.shortPair(first?.expected, first?.got, lengthMax: cellMax)
                return [
                    visible(field.path.isEmpty ? "answer" : field.path) + mark, "\(field.count)×",
                    visible(pair.expected), visible(pair.got),
                ]
            }
            out += table([["field", "", "expected", "got"]] + rows.prefix(rowsMax))
            if rows.count > rowsMax { out += "    and \(rows.count - rowsMax) more\n" }
        }
        out += "\n" + reasons(report)
        var counts = ["\(report.count(.passed)) passed", "\(report.count(.differs)) differ"]
        if report.count(.notRun) > 0 { counts.append("\(report.count(.notRun)) not run") }
        if !report.leftOut.isEmpty { counts.append("\(report.leftOut.count) left out") }
        return out + counts.joined(separator: ", ") + "\n"
    }

    /// Why cases were left out, each reason once.
    private static func reasons(_ report: Report) -> String {
        var counts: [String: Int] = [:]
        for (_, why) in report.leftOut { counts[why, default: 0] += 1 }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "left out: \($0.value) × \(visible($0.key))\n" }.joined()
    }

    private static func table(_ rows: [[String]]) -> String {
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = (0..<3).map { row[$0] + String(repeating: " ", count: widths[$0] - row[$0].count) }
            return "    " + cells.joined(separator: "  ") + "  " + row[3] + "\n"
        }.joined()
    }

    static func plural(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

    /// A text that cannot play tricks with a terminal: control characters are written as `\u{1B}`.
    static func visible(_ text: String) -> String {
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let category = scalar.properties.generalCategory
            if category == .control || category == .format || category == .lineSeparator {
                out.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
            } else {
                out.append(scalar)
            }
        }
        return String(out)
    }
}
