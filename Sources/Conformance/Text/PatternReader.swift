/// The parts of a regular expression.
indirect enum PatternNode {
    case set(ScalarSet)
    case sequence([PatternNode])
    case either([PatternNode])
    case many(PatternNode, least: Int, most: Int?, isLazy: Bool)
    case look(PatternNode, isWanted: Bool)
    case start
    case end
    case wordBoundary(Bool)
}

/// Reads the text of a regular expression.
struct PatternReader {
    private let text: [Unicode.Scalar]
    private var index = 0
    private var ignoresCase = false
    private var dotTakesNewline = false

    init(_ text: [Unicode.Scalar]) { self.text = text }

    mutating func pattern() throws(Pattern.Failure) -> PatternNode {
        try flags()
        let node = try either(depth: 0)
        guard index == text.count else { throw refusal("a closing bracket without an opening one") }
        return node
    }

    private func refusal(_ what: String) -> Pattern.Failure { .init(text: "a pattern with \(what)") }

    private mutating func take(_ literal: String) -> Bool {
        let wanted = Array(literal.unicodeScalars)
        guard index + wanted.count <= text.count, text[index..<(index + wanted.count)].elementsEqual(wanted) else {
            return false
        }
        index += wanted.count
        return true
    }

    /// `(?is)` at the very beginning.
    private mutating func flags() throws(Pattern.Failure) {
        guard text.starts(with: "(?".unicodeScalars), text.count > 2, "is".unicodeScalars.contains(text[2]) else {
            return
        }
        index = 2
        while index < text.count, text[index] != ")" {
            switch text[index] {
            case "i": ignoresCase = true
            case "s": dotTakesNewline = true
            default: throw refusal("an unknown flag")
            }
            index += 1
        }
        guard take(")") else { throw refusal("flags that do not end") }
    }

    private mutating func either(depth: Int) throws(Pattern.Failure) -> PatternNode {
        guard depth < Pattern.depthMax else { throw refusal("too many brackets inside each other") }
        var choices = [try sequence(depth)]
        while take("|") { choices.append(try sequence(depth)) }
        return choices.count == 1 ? choices[0] : .either(choices)
    }

    private mutating func sequence(_ depth: Int) throws(Pattern.Failure) -> PatternNode {
        var parts: [PatternNode] = []
        while index < text.count, text[index] != "|", text[index] != ")" {
            parts.append(try repeated(try atom(depth)))
        }
        return .sequence(parts)
    }

    private mutating func repeated(_ node: PatternNode) throws(Pattern.Failure) -> PatternNode {
        var least = 1
        var most: Int? = 1
        if take("*") {
            (least, most) = (0, nil)
        } else if take("+") {
            (least, most) = (1, nil)
        } else if take("?") {
            (least, most) = (0, 1)
        } else if index < text.count, text[index] == "{", let (low, high, end) = count() {
            (least, most, index) = (low, high, end)
        } else {
            return node
        }
        if let most, most < least { throw refusal("a repetition from many to few") }
        let isLazy = take("?")
        if index < text.count, "*+?".unicodeScalars.contains(text[index]) { throw refusal("a repeated repetition") }
        return .many(node, least: least, most: most, isLazy: isLazy)
    }

    /// `{n}`, `{n,}`, `{,m}` or `{n,m}`; nil if the brace is a plain character.
    private func count() -> (Int, Int?, Int)? {
        guard let close = text[index...].firstIndex(of: "}"), close - index <= 14 else { return nil }
        let parts = text[(index + 1)..<close].split(separator: ",", omittingEmptySubsequences: false)
            .map { String(String.UnicodeScalarView($0)) }
        guard parts.count <= 2, parts.allSatisfy({ $0.isEmpty || ExactText.isDigits($0) }),
            parts.contains(where: { !$0.isEmpty })
        else { return nil }
        guard parts.count == 2 else { return Int(parts[0]).map { ($0, $0, close + 1) } }
        return (Int(parts[0]) ?? 0, Int(parts[1]), close + 1)
    }

    private mutating func atom(_ depth: Int) throws(Pattern.Failure) -> PatternNode {
        let scalar = text[index]
        switch scalar {
        case "(": return try group(depth)
        case "[": return .set(try characterClass())
        case "*", "+", "?": throw refusal("a repetition of nothing")
        case "\\": return try escape()
        default: break
        }
        index += 1
        switch scalar {
        case ".": return .set(.any(newlineToo: dotTakesNewline))
        case "^": return .start
        case "$": return .end
        default: return .set(.single(scalar, ignoringCase: ignoresCase))
        }
    }

    private mutating func group(_ depth: Int) throws(Pattern.Failure) -> PatternNode {
        var look: Bool?
        if take("(?=") {
            look = true
        } else if take("(?!") {
            look = false
        } else if !take("(?:") {
            index += 1
            if index < text.count, text[index] == "?" { throw refusal("an unknown kind of group") }
        }
        let inner = try either(depth: depth + 1)
        guard take(")") else { throw refusal("a group that does not end") }
        return look.map { .look(inner, isWanted: $0) } ?? inner
    }

    private mutating func escape() throws(Pattern.Failure) -> PatternNode {
        index += 1
        guard index < text.count else { throw refusal("a lone backslash at its end") }
        if take("b") { return .wordBoundary(true) }
        if take("B") { return .wordBoundary(false) }
        return .set(ScalarSet(parts: [try escapedPart()], ignoresCase: ignoresCase))
    }

    /// What stands after a backslash, in a class or outside.
    private mutating func escapedPart() throws(Pattern.Failure) -> ScalarSet.Part {
        let scalar = text[index]
        index += 1
        switch scalar {
        case "d": return .digit(true)
        case "D": return .digit(false)
        case "w": return .word(true)
        case "W": return .word(false)
        case "s": return .space(true)
        case "S": return .space(false)
        case "n": return .range(10, 10)
        case "r": return .range(13, 13)
        case "t": return .range(9, 9)
        default:
            let isLetter = (0x61...0x7A).contains(scalar.value | 0x20) || (0x30...0x39).contains(scalar.value)
            guard !scalar.isASCII || !isLetter else { throw refusal("an escape that is not understood") }
            return .range(scalar.value, scalar.value)
        }
    }

    private mutating func characterClass() throws(Pattern.Failure) -> ScalarSet {
        index += 1
        var set = ScalarSet(ignoresCase: ignoresCase)
        set.isNegated = take("^")
        var isFirst = true
        while index < text.count, isFirst || text[index] != "]" {
            isFirst = false
            guard case .range(let low, _) = try classPart(&set) else { continue }
            if index + 1 < text.count, text[index] == "-", text[index + 1] != "]" {
                index += 1
                var end = ScalarSet()
                guard case .range(let high, _) = try classPart(&end), low <= high else {
                    throw refusal("a range of characters that is none")
                }
                set.parts.append(.range(low, high))
            }
        }
        guard take("]") else { throw refusal("a class of characters that does not end") }
        return set
    }

    private mutating func classPart(_ set: inout ScalarSet) throws(Pattern.Failure) -> ScalarSet.Part {
        var part = ScalarSet.Part.range(text[index].value, text[index].value)
        if take("\\") {
            guard index < text.count else { throw refusal("a lone backslash at its end") }
            part = try escapedPart()
        } else {
            index += 1
        }
        set.parts.append(part)
        return part
    }
}
