import Foundation

/// A Swift file taken apart into code, comments and string literals, line by line.
///
/// Not a parser: just enough of the lexical grammar that a word in a comment or a string is not taken for code.
struct SourceText {
    let path: String
    let lines: [String]
    /// The lines with comments left out and the insides of string literals blanked.
    private(set) var code: [String] = []
    /// Each comment's text with its line number, counted from 1.
    private(set) var comments: [(line: Int, text: String)] = []
    /// Each string literal's text with the line number where it begins.
    private(set) var strings: [(line: Int, text: String)] = []

    init(path: String, _ text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var lexer = Lexer(Array(text.unicodeScalars))
        lexer.run()
        code = lexer.code.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        comments = lexer.comments
        strings = lexer.strings
    }

    private struct Lexer {
        let text: [Unicode.Scalar]
        var at = 0
        var line = 1
        var code = ""
        var comments: [(line: Int, text: String)] = []
        var strings: [(line: Int, text: String)] = []

        init(_ text: [Unicode.Scalar]) { self.text = text }

        func starts(_ word: String) -> Bool {
            var index = at
            for scalar in word.unicodeScalars {
                guard index < text.count, text[index] == scalar else { return false }
                index += 1
            }
            return true
        }

        mutating func take() -> Unicode.Scalar {
            let scalar = text[at]
            at += 1
            if scalar == "\n" { line += 1 }
            return scalar
        }

        mutating func run() {
            while at < text.count {
                if starts("//") {
                    lineComment()
                } else if starts("/*") {
                    blockComment()
                } else if starts("#/") {
                    regex()
                } else if text[at] == "\"" || (text[at] == "#" && opensRawString) {
                    string()
                } else {
                    code.unicodeScalars.append(take())
                }
            }
        }

        var opensRawString: Bool {
            var index = at
            while index < text.count, text[index] == "#" { index += 1 }
            return index < text.count && text[index] == "\""
        }

        mutating func lineComment() {
            let start = line
            var comment = ""
            while at < text.count, text[at] != "\n" { comment.unicodeScalars.append(take()) }
            comments.append((start, comment))
        }

        mutating func blockComment() {
            let start = line
            var comment = ""
            while at < text.count, !starts("*/") {
                let scalar = take()
                comment.unicodeScalars.append(scalar)
                if scalar == "\n" { code += "\n" }
            }
            at = min(text.count, at + 2)
            comments.append((start, comment))
        }

        /// A regular expression between `#/` and `/#` counts as a string.
        mutating func regex() {
            let start = line
            var inside = ""
            while at < text.count, !starts("/#") { inside.unicodeScalars.append(take()) }
            for _ in 0..<min(text.count - at, 2) { _ = take() }
            code += "\"" + String(repeating: "\n", count: line - start) + "\""
            strings.append((start, inside))
        }

        mutating func string() {
            let start = line
            var hashes = ""
            while text[at] == "#" { hashes.unicodeScalars.append(take()) }
            let quote = starts("\"\"\"") ? "\"\"\"" : "\""
            for _ in quote.unicodeScalars { _ = take() }
            var inside = ""
            code += "\""
            while at < text.count, !starts(quote + hashes) {
                if quote == "\"", text[at] == "\n" { break }
                if starts("\\" + hashes + "(") {
                    interpolation(skipping: 2 + hashes.unicodeScalars.count)
                    continue
                }
                if text[at] == "\\", hashes.isEmpty, at + 1 < text.count { inside.unicodeScalars.append(take()) }
                let scalar = take()
                inside.unicodeScalars.append(scalar)
                if scalar == "\n" { code += "\n" }
            }
            let rest = min(text.count - at, (quote + hashes).unicodeScalars.count)
            for _ in 0..<rest where text[at] != "\n" { _ = take() }
            code += "\""
            strings.append((start, inside))
        }

        /// What stands in an interpolation is code again.
        mutating func interpolation(skipping count: Int) {
            for _ in 0..<count { _ = take() }
            code += "("
            var depth = 1
            while at < text.count, depth > 0 {
                if text[at] == "\"" {
                    string()
                    continue
                }
                let scalar = take()
                if scalar == "(" { depth += 1 }
                if scalar == ")" { depth -= 1 }
                code.unicodeScalars.append(scalar)
            }
        }
    }
}

/// The repository that these tests belong to.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Paths, relative to the root, of all files under a folder that have this suffix, in order.
    static func files(under folder: String, suffix: String) -> [String] {
        let base = root.appending(path: folder)
        let found = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        return found.filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }.sorted()
    }

    static func swift(under folder: String) throws -> [SourceText] {
        try files(under: folder, suffix: ".swift").map { SourceText(path: $0, try text($0)) }
    }
}
