/// Turns the parts of a regular expression into a program.
struct PatternCompiler {
    /// Parts that were written, also those of nothing: what bounds the work.
    private var written = 0

    static func program(_ node: PatternNode) throws(Pattern.Failure) -> [Pattern.Instruction] {
        var compiler = PatternCompiler()
        return try compiler.program(node)
    }

    private mutating func program(_ node: PatternNode) throws(Pattern.Failure) -> [Pattern.Instruction] {
        var out: [Pattern.Instruction] = []
        try add(node, &out)
        out.append(.accept)
        return out
    }

    private mutating func add(_ node: PatternNode, _ out: inout [Pattern.Instruction]) throws(Pattern.Failure) {
        written += 1
        guard written < Pattern.programMax else { throw .init(text: "a pattern that is too large") }
        switch node {
        case .set(let set): out.append(.scalar(set))
        case .sequence(let parts): for part in parts { try add(part, &out) }
        case .start: out.append(.start)
        case .end: out.append(.end)
        case .wordBoundary(let isWanted): out.append(.wordBoundary(isWanted))
        case .look(let inner, let isWanted): out.append(.look(try program(inner), isWanted: isWanted))
        case .either(let choices): try addEither(choices, &out)
        case .many(let inner, let least, let most, let isLazy):
            guard least <= Pattern.programMax, (most ?? 0) <= Pattern.programMax else {
                throw .init(text: "a pattern that is too large")
            }
            for _ in 0..<least { try add(inner, &out) }
            try addMore(inner, most.map { $0 - least }, isLazy, &out)
        }
    }

    private mutating func addEither(
        _ choices: [PatternNode], _ out: inout [Pattern.Instruction]
    ) throws(Pattern.Failure) {
        var jumps: [Int] = []
        for (index, choice) in choices.enumerated() {
            let isLast = index == choices.count - 1
            let split = out.count
            if !isLast { out.append(.jump(0)) }
            try add(choice, &out)
            guard !isLast else { break }
            jumps.append(out.count)
            out.append(.jump(0))
            out[split] = .split(split + 1, out.count)
        }
        for jump in jumps { out[jump] = .jump(out.count) }
    }

    /// The repetitions beyond the least number: so many, or any number.
    private mutating func addMore(
        _ inner: PatternNode, _ count: Int?, _ isLazy: Bool, _ out: inout [Pattern.Instruction]
    ) throws(Pattern.Failure) {
        func fork(_ inside: Int, _ after: Int) -> Pattern.Instruction {
            isLazy ? .split(after, inside) : .split(inside, after)
        }
        guard let count else {
            let start = out.count
            out.append(.jump(0))
            try add(inner, &out)
            out.append(.jump(start))
            out[start] = fork(start + 1, out.count)
            return
        }
        var forks: [Int] = []
        for _ in 0..<max(0, count) {
            forks.append(out.count)
            out.append(.jump(0))
            try add(inner, &out)
        }
        for place in forks { out[place] = fork(place + 1, out.count) }
    }
}
