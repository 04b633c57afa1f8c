import JSON

/// Why a case file, or a part of it, cannot be used; in words for a person.
struct CaseProblem: Error, Equatable {
    let text: String
}

/// One case: a short story told over HTTP, and what the reference server answered at each step.
///
/// Source: conformance-format.md. What is read is checked here, so that a run meets no surprise in a file.
struct ConformanceCase: Sendable {
    static let stepsMax = 1000
    static let idBytesMax = 200

    let id: String
    let title: String
    let file: String
    /// Settings over the base configuration.
    let env: [String: String]
    /// The kind of store that the case needs.
    let store: String?
    let isFresh: Bool
    let isPartial: Bool
    let steps: [CaseStep]

    init(_ value: JSONValue, file: String) throws(CaseProblem) {
        guard let object = value.object else { throw CaseProblem(text: "a case is a JSON object") }
        self.file = file
        let known = ["id", "title", "covers", "env", "store", "fresh", "partial", "steps", "recorded_from"]
        if let name = object.keys.first(where: { !known.contains($0) }) {
            throw CaseProblem(text: "\"\(CaseStep.short(name))\" is no field of a case")
        }
        guard let id = object["id"]?.string, !id.isEmpty, id.utf8.count <= Self.idBytesMax,
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw CaseProblem(text: "id: must be a name of at most 200 printable ASCII characters") }
        self.id = id
        title = try Self.text("title", in: object) ?? id
        store = try Self.text("store", in: object)
        isFresh = try Self.flag("fresh", in: object)
        isPartial = try Self.flag("partial", in: object)
        env = try Self.env(object["env"])
        guard let list = object["steps"]?.array, !list.isEmpty, list.count <= Self.stepsMax else {
            throw CaseProblem(text: "steps: must be a list of 1 to \(Self.stepsMax) steps")
        }
        var steps: [CaseStep] = []
        for (index, step) in list.enumerated() { steps.append(try CaseStep(step, number: index + 1)) }
        self.steps = steps
    }

    /// Why this program cannot run the case at all: a step of a kind that it does not know.
    var unknownKind: String? {
        for step in steps {
            if let reason = step.unknownKind { return "step \(step.number): \(reason)" }
        }
        return nil
    }

    func has(_ kind: CaseStep.Kind) -> Bool { steps.contains { $0.kind == kind } }

    private static func text(_ name: String, in object: JSONObject) throws(CaseProblem) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.string else { throw CaseProblem(text: "\(name): must be a string") }
        return text
    }

    private static func flag(_ name: String, in object: JSONObject) throws(CaseProblem) -> Bool {
        guard let value = object[name] else { return false }
        guard let flag = value.bool else { throw CaseProblem(text: "\(name): must be true or false") }
        return flag
    }

    private static func env(_ value: JSONValue?) throws(CaseProblem) -> [String: String] {
        guard let value else { return [:] }
        guard let object = value.object else { throw CaseProblem(text: "env: must be an object of strings") }
        var out: [String: String] = [:]
        for member in object.members {
            let name = member.key
            guard name.hasPrefix("GOTRUE_") || name.hasPrefix("DRAWBRIDGE_") || CaseStep.plainSettings.contains(name)
            else {
                throw CaseProblem(text: "env: \"\(CaseStep.short(name))\" is no setting of an auth server")
            }
            guard let text = member.value.string, !text.utf8.contains(0) else {
                throw CaseProblem(text: "env: \(CaseStep.short(name)) must be a string")
            }
            out[name] = text
        }
        return out
    }
}
