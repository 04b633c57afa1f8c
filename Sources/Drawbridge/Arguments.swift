/// The words behind a command: options with values (`--data DIR` or `--data=DIR`), switches, and the rest.
struct Arguments {
    private var words: [String]

    init(_ words: some Sequence<String>) { self.words = Array(words) }

    /// Takes every value of an option, in order.
    mutating func values(_ name: String) throws(UsageError) -> [String] {
        var found: [String] = []
        var rest: [String] = []
        var index = 0
        while index < words.count {
            let word = words[index]
            if word == name {
                guard index + 1 < words.count else { throw UsageError("\(name) needs a value") }
                found.append(words[index + 1])
                index += 2
            } else if word.hasPrefix(name + "=") {
                found.append(String(word.dropFirst(name.count + 1)))
                index += 1
            } else {
                rest.append(word)
                index += 1
            }
        }
        words = rest
        return found
    }

    /// Takes the one value of an option.
    mutating func value(_ name: String) throws(UsageError) -> String? {
        let found = try values(name)
        guard found.count <= 1 else { throw UsageError("\(name) may be given once") }
        return found.first
    }

    mutating func flag(_ name: String) -> Bool {
        let count = words.count
        words.removeAll { $0 == name }
        return words.count < count
    }

    /// Takes the next word that is no option.
    mutating func next() -> String? {
        guard let index = words.firstIndex(where: { !$0.hasPrefix("-") }) else { return nil }
        return words.remove(at: index)
    }

    /// Refuses what nobody took.
    func finish() throws(UsageError) {
        if let word = words.first { throw UsageError("\"\(word)\" is not understood here") }
    }
}
