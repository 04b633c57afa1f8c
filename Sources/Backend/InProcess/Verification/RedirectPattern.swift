/// One pattern of the allow list (`GOTRUE_URI_ALLOW_LIST`), compared with a whole URL text, letter case counting.
///
/// `*` is any run without `.` and `/`, `**` any run, `?` one byte but a separator, `[abc]`, `[a-z]`, `[!a]`, and `\x`
/// a literal. Before the first `/` of the path a wildcard matches none of `/ ? # @ \` and no control character, so
/// what stands where the host does is the host (deviations.md); only a `**` that ends the pattern may run on into
/// the path. Source: supabase-core.md 9.3.
struct RedirectPattern: Sendable {
    private enum Token: Sendable {
        case literal(Unicode.Scalar)
        case one(Region)
        case oneOf(ranges: [ClosedRange<UInt32>], isNegated: Bool, Region)
        /// `*`: zero or more.
        case segmentRun(Region)
        /// `**`: zero or more.
        case run(Region)
        /// Where a final `**` leaves the host: one `/` or `?`, or the end.
        case leavesHost
    }

    private enum Region: Sendable { case host, path }

    /// The longest pattern and text, in characters; longer ones match nothing.
    static let lengthMax = 8192

    private let tokens: [Token]

    /// nil for a pattern that is not well formed: it matches nothing.
    init?(_ pattern: String) {
        let scalars = Array(pattern.unicodeScalars)
        guard !scalars.isEmpty, scalars.count <= Self.lengthMax else { return nil }
        let pathStart = Self.pathStart(scalars)
        var tokens: [Token] = []
        var index = 0
        while index < scalars.count {
            let region: Region = index < pathStart ? .host : .path
            switch scalars[index] {
            case "\\":
                guard index + 1 < scalars.count else { return nil }
                tokens.append(.literal(scalars[index + 1]))
                index += 2
            case "*":
                let start = index
                while index < scalars.count, scalars[index] == "*" { index += 1 }
                tokens.append(index - start == 1 ? .segmentRun(region) : .run(region))
                if index - start > 1, index == scalars.count, region == .host {
                    tokens.append(.leavesHost)
                    tokens.append(.run(.path))
                }
            case "?":
                tokens.append(.one(region))
                index += 1
            case "[":
                guard let token = Self.characterClass(scalars, &index, region) else { return nil }
                tokens.append(token)
            case "{", "}", "]":
                return nil
            case let scalar:
                tokens.append(.literal(scalar))
                index += 1
            }
        }
        self.tokens = tokens
    }

    /// Whether the whole text matches. Takes time in proportion to pattern × text.
    func matches(_ text: String) -> Bool {
        var states = Set<Int>()
        add(0, to: &states)
        var length = 0
        for scalar in text.unicodeScalars {
            length += 1
            guard !states.isEmpty, length <= Self.lengthMax else { return false }
            var next = Set<Int>()
            for state in states where state < tokens.count { step(state, scalar, &next) }
            states = next
        }
        return states.contains(tokens.count)
    }

    /// The first `/` after `://`, else the first `/`, else the end.
    private static func pathStart(_ scalars: [Unicode.Scalar]) -> Int {
        var from = 0
        if let colon = scalars.firstIndex(of: ":"), scalars[colon...].starts(with: "://".unicodeScalars) {
            from = colon + 3
        }
        return scalars[from...].firstIndex(of: "/") ?? scalars.count
    }

    private static func characterClass(
        _ scalars: [Unicode.Scalar], _ index: inout Int, _ region: Region
    ) -> Token? {
        guard let close = scalars[index...].firstIndex(of: "]") else { return nil }
        var inner = scalars[(index + 1)..<close]
        let isNegated = inner.first == "!"
        if isNegated { inner = inner.dropFirst() }
        guard !inner.isEmpty else { return nil }
        var ranges: [ClosedRange<UInt32>] = []
        while let first = inner.popFirst() {
            if inner.first == "-", inner.count > 1 {
                inner.removeFirst()
                guard let last = inner.popFirst(), first.value <= last.value else { return nil }
                ranges.append(first.value...last.value)
            } else {
                ranges.append(first.value...first.value)
            }
        }
        index = close + 1
        return .oneOf(ranges: ranges, isNegated: isNegated, region)
    }

    private func add(_ state: Int, to states: inout Set<Int>) {
        guard states.insert(state).inserted, state < tokens.count else { return }
        switch tokens[state] {
        case .segmentRun, .run: add(state + 1, to: &states)
        case .leavesHost: states.insert(tokens.count)
        case .literal, .one, .oneOf: break
        }
    }

    private func step(_ state: Int, _ scalar: Unicode.Scalar, _ next: inout Set<Int>) {
        switch tokens[state] {
        case .literal(let expected):
            if scalar == expected { add(state + 1, to: &next) }
        case .one(let region):
            if !Self.isSeparator(scalar), Self.isFree(scalar, region) { add(state + 1, to: &next) }
        case .oneOf(let ranges, let isNegated, let region):
            let isIn = ranges.contains { $0.contains(scalar.value) }
            if isIn != isNegated, Self.isFree(scalar, region) { add(state + 1, to: &next) }
        case .segmentRun(let region):
            if !Self.isSeparator(scalar), Self.isFree(scalar, region) { add(state, to: &next) }
        case .run(let region):
            if Self.isFree(scalar, region) { add(state, to: &next) }
        case .leavesHost:
            if scalar == "/" || scalar == "?" { add(state + 1, to: &next) }
        }
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar == "/" }

    private static func isFree(_ scalar: Unicode.Scalar, _ region: Region) -> Bool {
        guard region == .host else { return true }
        switch scalar {
        case "/", "?", "#", "@", "\\": return false
        default: return scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
        }
    }
}
