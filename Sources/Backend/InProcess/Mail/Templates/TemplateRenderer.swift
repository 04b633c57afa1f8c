import Bytes
import JSON

/// Renders a parsed template over named values. A name that is missing prints nothing. Source: FR-62.
struct TemplateRenderer {
    /// Where the text goes: into HTML, each value escaped for its place, or into plain text as it is.
    enum Form: Sendable { case html, plain }

    private let root: JSONValue
    private let form: Form
    private var variables: [[String: JSONValue]] = [[:]]
    private var context = HTMLContext()
    private var out: [UInt8] = []
    private var steps = 0

    /// - Throws: when a limit of ``TemplateLimits`` is passed.
    static func render(
        _ nodes: [TemplateNode], _ values: JSONObject, as form: Form
    ) throws(TemplateError) -> String {
        var renderer = TemplateRenderer(root: .object(values), form: form)
        try renderer.render(nodes, dot: .object(values))
        return String(decoding: renderer.out, as: UTF8.self)
    }

    private init(root: JSONValue, form: Form) {
        self.root = root
        self.form = form
    }

    private mutating func render(_ nodes: [TemplateNode], dot: JSONValue) throws(TemplateError) {
        for node in nodes {
            try step()
            switch node {
            case .text(let text): try emit(literal: text)
            case .value(let expression): try emit(value: Self.printed(try evaluate(expression, dot)))
            case .assignment(let name, let expression): assign(name, try evaluate(expression, dot))
            case .condition(let test, let then, let otherwise):
                try inner(Self.isTrue(try evaluate(test, dot)) ? then : otherwise, dot: dot)
            case .scope(let expression, let body, let otherwise):
                let value = try evaluate(expression, dot)
                if Self.isTrue(value) { try inner(body, dot: value) } else { try inner(otherwise, dot: dot) }
            case .loop(let key, let element, let over, let body, let otherwise):
                let entries = Self.entries(try evaluate(over, dot))
                if entries.isEmpty { try inner(otherwise, dot: dot) }
                for entry in entries {
                    variables.append([:])
                    if let key { variables[variables.count - 1][key] = entry.key }
                    if let element { variables[variables.count - 1][element] = entry.element }
                    try render(body, dot: entry.element)
                    variables.removeLast()
                }
            }
        }
    }

    private mutating func step() throws(TemplateError) {
        steps += 1
        guard steps <= TemplateLimits.stepsMax else { throw TemplateError("rendering takes too long") }
    }

    private mutating func inner(_ nodes: [TemplateNode], dot: JSONValue) throws(TemplateError) {
        variables.append([:])
        try render(nodes, dot: dot)
        variables.removeLast()
    }

    private mutating func assign(_ name: String, _ value: JSONValue) {
        for level in variables.indices.reversed() where variables[level][name] != nil {
            variables[level][name] = value
            return
        }
        variables[variables.count - 1][name] = value
    }

    private mutating func emit(literal: String) throws(TemplateError) {
        if form == .html { context.advance(literal.utf8) }
        try append(literal.utf8)
    }

    private mutating func emit(value: String) throws(TemplateError) {
        guard form == .html else { return try append(value.utf8) }
        try append(context.escaped(value).utf8)
    }

    private mutating func append(_ bytes: String.UTF8View) throws(TemplateError) {
        guard out.count + bytes.count <= TemplateLimits.outputBytesMax else {
            throw TemplateError("the rendered text is too long")
        }
        out.append(contentsOf: bytes)
    }

    private mutating func evaluate(
        _ expression: TemplateExpression, _ dot: JSONValue
    ) throws(TemplateError) -> JSONValue {
        try step()
        switch expression {
        case .dot: return dot
        case .literal(let value): return value
        case .variable(let name):
            if name.isEmpty { return root }
            return variables.last { $0[name] != nil }?[name] ?? .null
        case .field(let base, let name): return try evaluate(base, dot)[name] ?? .null
        case .call(let function, let arguments):
            var values: [JSONValue] = []
            for argument in arguments { values.append(try evaluate(argument, dot)) }
            return Self.call(function, values)
        }
    }

    private static func entries(_ value: JSONValue) -> [(key: JSONValue, element: JSONValue)] {
        switch value {
        case .array(let elements): elements.enumerated().map { (JSONValue.int($0.offset), $0.element) }
        case .object(let object):
            object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { (JSONValue.string($0.key), $0.value) }
        case .null, .bool, .number, .string: []
        }
    }
}

// The functions.
extension TemplateRenderer {
    static func isTrue(_ value: JSONValue) -> Bool {
        switch value {
        case .null: false
        case .bool(let value): value
        case .number(let number): (number.double ?? 1) != 0
        case .string(let text): !text.isEmpty
        case .array(let elements): !elements.isEmpty
        case .object(let object): !object.isEmpty
        }
    }

    static func printed(_ value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .bool(let value): value ? "true" : "false"
        case .number(let number): number.literal
        case .string(let text): text
        case .array, .object: String(decoding: value.compact, as: UTF8.self)
        }
    }

    private static func call(_ function: TemplateFunction, _ values: [JSONValue]) -> JSONValue {
        switch function {
        case .and: values.first { !isTrue($0) } ?? values.last ?? .null
        case .or: values.first { isTrue($0) } ?? values.last ?? .null
        case .not: .bool(!(values.first.map(isTrue) ?? false))
        case .eq: .bool(values.dropFirst().contains { isEqual($0, values[0]) })
        case .ne: .bool(values.count > 1 && !isEqual(values[0], values[1]))
        case .lt: .bool(order(values).map { $0 < 0 } ?? false)
        case .le: .bool(order(values).map { $0 <= 0 } ?? false)
        case .gt: .bool(order(values).map { $0 > 0 } ?? false)
        case .ge: .bool(order(values).map { $0 >= 0 } ?? false)
        case .len: .int(length(values.first ?? .null))
        case .index: values.dropFirst().reduce(values.first ?? .null, element)
        case .print, .html: .string(values.map(printed).joined())
        case .println: .string(values.map(printed).joined(separator: " ") + "\n")
        case .printf: .string(formatted(values))
        case .urlquery: .string(PercentCoding.encode(values.map(printed).joined(), as: .queryValue))
        }
    }

    private static func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        if let left = left.double, let right = right.double { return left == right }
        return left == right
    }

    private static func order(_ values: [JSONValue]) -> Int? {
        guard values.count == 2 else { return nil }
        if let left = values[0].double, let right = values[1].double {
            return left < right ? -1 : (left > right ? 1 : 0)
        }
        guard let left = values[0].string, let right = values[1].string else { return nil }
        if left == right { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }

    private static func length(_ value: JSONValue) -> Int {
        switch value {
        case .string(let text): text.utf8.count
        case .array(let elements): elements.count
        case .object(let object): object.count
        case .null, .bool, .number: 0
        }
    }

    private static func element(_ value: JSONValue, _ key: JSONValue) -> JSONValue {
        if let object = value.object, let name = key.string { return object[name] ?? .null }
        guard let elements = value.array, let place = key.int64, place >= 0, place < elements.count else {
            return .null
        }
        return elements[Int(place)]
    }

    /// `%s`, `%v`, `%d` and `%%`; any other verb prints its value.
    private static func formatted(_ values: [JSONValue]) -> String {
        var rest = values.dropFirst()
        var out: [UInt8] = []
        var isVerb = false
        for byte in (values.first.map(printed) ?? "").utf8 {
            if isVerb {
                isVerb = false
                if byte == UInt8(ascii: "%") {
                    out.append(byte)
                } else {
                    out += (rest.popFirst().map(printed) ?? "").utf8
                }
            } else if byte == UInt8(ascii: "%") {
                isVerb = true
            } else {
                out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
