import JSON

/// Reads the words of an action into an expression.
struct TemplateExpressionReader {
    private let tokens: [TemplateLexer.Token]
    private let spaced: [Bool]
    private var index = 0

    init(_ tokens: [TemplateLexer.Token], _ spaced: [Bool]) {
        self.tokens = tokens
        self.spaced = spaced
    }

    mutating func skip(_ count: Int) { index += count }

    /// `$name :=` or `$name =` at the front.
    mutating func assignedName() -> String? {
        guard index + 1 < tokens.count, case .variable(let name) = tokens[index], !name.isEmpty,
            tokens[index + 1] == .declares || tokens[index + 1] == .assigns
        else { return nil }
        index += 2
        return name
    }

    /// `$element :=` or `$key, $element :=` at the front of a range.
    mutating func loopNames() throws(TemplateError) -> (key: String?, element: String?) {
        if let name = assignedName() { return (nil, name) }
        guard index + 3 < tokens.count, case .variable(let key) = tokens[index], tokens[index + 1] == .comma else {
            return (nil, nil)
        }
        index += 2
        guard let element = assignedName() else { throw TemplateError("a range is malformed") }
        return (key, element)
    }

    /// Everything that is left, as one pipeline.
    mutating func whole() throws(TemplateError) -> TemplateExpression {
        let expression = try pipeline(depth: 0)
        guard index == tokens.count else { throw TemplateError("an action has a word too many") }
        return expression
    }

    private mutating func pipeline(depth: Int) throws(TemplateError) -> TemplateExpression {
        guard depth <= TemplateLimits.depthMax else { throw TemplateError("parentheses are nested too deeply") }
        var expression = try command(piped: nil, depth: depth)
        while index < tokens.count, tokens[index] == .pipe {
            index += 1
            expression = try command(piped: expression, depth: depth)
        }
        return expression
    }

    private mutating func command(
        piped: TemplateExpression?, depth: Int
    ) throws(TemplateError) -> TemplateExpression {
        guard index < tokens.count else { throw TemplateError("an action ends too early") }
        if case .word(let word) = tokens[index] {
            guard let function = TemplateFunction(rawValue: word) else { throw TemplateError("an unknown function") }
            index += 1
            var arguments: [TemplateExpression] = []
            while let argument = try operand(depth: depth) { arguments.append(argument) }
            if let piped { arguments.append(piped) }
            return .call(function, arguments)
        }
        guard piped == nil, let value = try operand(depth: depth) else {
            throw TemplateError("a value where a function must be")
        }
        return value
    }

    private mutating func operand(depth: Int) throws(TemplateError) -> TemplateExpression? {
        guard index < tokens.count else { return nil }
        var expression: TemplateExpression
        switch tokens[index] {
        case .dot: expression = .dot
        case .field(let name): expression = .field(.dot, name)
        case .variable(let name): expression = .variable(name)
        case .literal(let value): expression = .literal(value)
        case .word(let word):
            guard let function = TemplateFunction(rawValue: word) else { throw TemplateError("an unknown function") }
            expression = .call(function, [])
        case .open:
            index += 1
            expression = try pipeline(depth: depth + 1)
            guard index < tokens.count, tokens[index] == .close else { throw TemplateError("a parenthesis is open") }
        case .close, .pipe: return nil
        case .comma, .declares, .assigns: throw TemplateError("an action is malformed")
        }
        index += 1
        while index < tokens.count, !spaced[index], case .field(let name) = tokens[index] {
            expression = .field(expression, name)
            index += 1
        }
        return expression
    }
}
