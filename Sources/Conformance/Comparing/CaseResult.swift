import JSON

/// What became of a case.
struct CaseResult: Sendable {
    enum Verdict: String, Sendable {
        case passed
        case differs
        /// Nothing is said about the server: this program could not run the case.
        case notRun = "not run"
    }

    /// The differences of one step.
    struct Finding: Sendable {
        let step: Int
        let label: String
        let endpoint: String
        var differences: [Difference]
    }

    let id: String
    let title: String
    let file: String
    var verdict = Verdict.passed
    var findings: [Finding] = []
    /// Why the case ended early.
    var stop: String?
    /// The step at which it ended, as results name it.
    var stopLabel: String?
    /// Steps whose answers were compared, by endpoint.
    var compared: [String: Int] = [:]

    /// A case that was not run at all.
    static func notRun(id: String, title: String, file: String, why: String) -> CaseResult {
        CaseResult(id: id, title: title, file: file, verdict: .notRun, stop: why)
    }

    func count(where isCounted: (Difference.Standing) -> Bool) -> Int {
        findings.reduce(0) { $0 + $1.differences.count { isCounted($0.standing) } }
    }

    var knownCount: Int {
        count { if case .known = $0 { true } else { false } }
    }
    var noiseCount: Int { count { $0 == .noise } }
    var toleratedCount: Int {
        count { if case .tolerated = $0 { true } else { false } }
    }

    /// Decides the verdict from what was found.
    mutating func judge(acceptsKnown: Bool, stopKind: StepStop.Kind?) {
        let counted = count { $0 == .counts } + (acceptsKnown ? 0 : knownCount)
        if counted > 0 || stopKind == .failed {
            verdict = .differs
        } else {
            verdict = stopKind == .notRun ? .notRun : .passed
        }
    }

    /// One line for each thing that speaks against the server, and for why the case ended early.
    var lines: [String] {
        var out: [String] = []
        for finding in findings {
            for difference in finding.differences {
                switch difference.standing {
                case .counts, .known: out.append("\(finding.label): \(difference.line)")
                case .tolerated, .noise: break
                }
            }
        }
        if let stop { out.append((stopLabel.map { $0 + ": " } ?? "") + (verdict == .notRun ? "not run, " : "") + stop) }
        return out
    }
}
