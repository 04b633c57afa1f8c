/// A regular expression for a whole text, as the cases' `match` writes them.
///
/// Understood: literals, `.`, classes, `\d \w \s \b` and their opposites, groups, `|`, `* + ? {n,m}` and their lazy
/// forms, look-ahead, `^ $`, and the flags `(?is)` at the beginning. Anything else is refused, never guessed at.
/// Matching costs at most ``stepsMax`` steps, so that no pattern hangs a run.
struct Pattern {
    static let lengthMax = 4096
    static let programMax = 100_000
    static let stepsMax = 4_000_000
    static let depthMax = 64

    /// One step of the compiled pattern.
    enum Instruction {
        case scalar(ScalarSet)
        case split(Int, Int)
        case jump(Int)
        case start
        case end
        case wordBoundary(Bool)
        case look([Instruction], isWanted: Bool)
        case accept
    }

    struct Failure: Error {
        let text: String
    }

    private let program: [Instruction]

    init(_ text: String) throws(Failure) {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count <= Self.lengthMax else { throw Failure(text: "a pattern of over 4096 characters") }
        var reader = PatternReader(scalars)
        program = try PatternCompiler.program(try reader.pattern())
    }

    /// Whether the whole text matches.
    func matches(_ text: String) throws(Failure) -> Bool {
        var steps = Self.stepsMax
        return try Self.run(program, Array(text.unicodeScalars), from: 0, isWhole: true, &steps)
    }

    /// Follows the program with a stack of places to come back to; a place that was seen is never tried again.
    private static func run(
        _ program: [Instruction], _ text: [Unicode.Scalar], from: Int, isWhole: Bool, _ steps: inout Int
    ) throws(Failure) -> Bool {
        var seen: Set<Int> = []
        var stack = [(0, from)]
        while let (place, position) = stack.popLast() {
            guard seen.insert(place &* (text.count + 1) &+ position).inserted else { continue }
            steps -= 1
            guard steps > 0 else { throw Failure(text: "a pattern that takes too long on this text") }
            switch program[place] {
            case .scalar(let set):
                if position < text.count, set.contains(text[position]) { stack.append((place + 1, position + 1)) }
            case .split(let first, let second):
                stack.append((second, position))
                stack.append((first, position))
            case .jump(let target): stack.append((target, position))
            case .start: if position == 0 { stack.append((place + 1, position)) }
            case .end:
                let isLastLine = position == text.count - 1 && text[position] == "\n"
                if position == text.count || isLastLine { stack.append((place + 1, position)) }
            case .wordBoundary(let isWanted):
                let before = position > 0 && ScalarSet.isWord(text[position - 1])
                let after = position < text.count && ScalarSet.isWord(text[position])
                if (before != after) == isWanted { stack.append((place + 1, position)) }
            case .look(let inner, let isWanted):
                let found = try run(inner, text, from: position, isWhole: false, &steps)
                if found == isWanted { stack.append((place + 1, position)) }
            case .accept: if !isWhole || position == text.count { return true }
            }
        }
        return false
    }
}

/// Characters that one place of a pattern takes.
struct ScalarSet {
    enum Part {
        case range(UInt32, UInt32)
        case digit(Bool)
        case word(Bool)
        case space(Bool)
    }

    var parts: [Part] = []
    var isNegated = false
    var ignoresCase = false

    static func single(_ scalar: Unicode.Scalar, ignoringCase: Bool) -> ScalarSet {
        ScalarSet(parts: [.range(scalar.value, scalar.value)], ignoresCase: ignoringCase)
    }

    /// What `.` takes.
    static func any(newlineToo: Bool) -> ScalarSet {
        newlineToo ? ScalarSet(parts: [.range(0, .max)]) : ScalarSet(parts: [.range(10, 10)], isNegated: true)
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        var isIn = holds(scalar)
        if !isIn, ignoresCase {
            isIn = Self.other(scalar.properties.lowercaseMapping).map(holds) ?? false
            if !isIn { isIn = Self.other(scalar.properties.uppercaseMapping).map(holds) ?? false }
        }
        return isIn != isNegated
    }

    private static func other(_ mapping: String) -> Unicode.Scalar? {
        let scalars = mapping.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }

    private func holds(_ scalar: Unicode.Scalar) -> Bool {
        parts.contains { part in
            switch part {
            case .range(let low, let high): low <= scalar.value && scalar.value <= high
            case .digit(let isWanted): (scalar.properties.generalCategory == .decimalNumber) == isWanted
            case .word(let isWanted): Self.isWord(scalar) == isWanted
            case .space(let isWanted): scalar.properties.isWhitespace == isWanted
            }
        }
    }

    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar == "_" || (0x30...0x39).contains(scalar.value)
                || (0x61...0x7A).contains(scalar.value | 0x20)
        }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}
