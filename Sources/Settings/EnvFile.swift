/// Env files as the reference reads them. Source: supabase-config.md 2.
///
/// `KEY=value` or `KEY: value`, optionally behind `export`; comment lines; unquoted values end at the line (and at the
/// last `#` that stands behind a blank); `'…'` is literal, `"…"` knows `\n`, `\r` and `\x`; both may span lines.
public enum EnvFile {
    /// One assignment, with the line it stands on.
    public struct Entry: Sendable, Equatable {
        public let name: String
        public let value: String
        /// Counted from 1.
        public let line: Int
    }

    /// What is wrong and where.
    public struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        public let line: Int
        public let text: String
        public var description: String { "line \(line): \(text)" }
    }

    /// Reads the text of a `.env` file.
    public static func parse(_ text: String) throws(Fault) -> [Entry] {
        var reader = EnvFileReader(text)
        return try reader.entries()
    }
}

private struct EnvFileReader {
    private let bytes: [UInt8]
    private var index = 0
    private var line = 1

    init(_ text: String) {
        var bytes = Array(text.utf8)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        self.bytes = bytes
    }

    mutating func entries() throws(EnvFile.Fault) -> [EnvFile.Entry] {
        var found: [EnvFile.Entry] = []
        while index < bytes.count {
            skipBlanks()
            guard index < bytes.count else { break }
            switch bytes[index] {
            case UInt8(ascii: "\n"):
                line += 1
                index += 1
            case UInt8(ascii: "\r"): index += 1
            case UInt8(ascii: "#"): skipLine()
            default: found.append(try entry())
            }
        }
        return found
    }

    private mutating func entry() throws(EnvFile.Fault) -> EnvFile.Entry {
        let start = line
        var name = word()
        if name == "export", index < bytes.count, isBlank(bytes[index]) {
            skipBlanks()
            name = word()
        }
        guard !name.isEmpty else { throw EnvFile.Fault(line: line, text: "a name is missing") }
        skipBlanks()
        guard index < bytes.count, bytes[index] == UInt8(ascii: "=") || bytes[index] == UInt8(ascii: ":") else {
            throw EnvFile.Fault(line: line, text: "\(name) has no = behind it")
        }
        index += 1
        skipBlanks()
        guard index < bytes.count else { return EnvFile.Entry(name: name, value: "", line: start) }
        switch bytes[index] {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            return EnvFile.Entry(name: name, value: try quoted(by: bytes[index], name), line: start)
        default:
            return EnvFile.Entry(name: name, value: unquoted(), line: start)
        }
    }

    private mutating func word() -> String {
        let start = index
        while index < bytes.count, isNameByte(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func quoted(by quote: UInt8, _ name: String) throws(EnvFile.Fault) -> String {
        let start = line
        index += 1
        var value: [UInt8] = []
        while index < bytes.count, bytes[index] != quote {
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            if quote == UInt8(ascii: "\""), bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
                index += 1
                switch bytes[index] {
                case UInt8(ascii: "n"): value.append(UInt8(ascii: "\n"))
                case UInt8(ascii: "r"): value.append(UInt8(ascii: "\r"))
                default: value.append(bytes[index])
                }
            } else {
                value.append(bytes[index])
            }
            index += 1
        }
        guard index < bytes.count else { throw EnvFile.Fault(line: start, text: "the quote of \(name) has no end") }
        index += 1
        skipLine()
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func unquoted() -> String {
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
        var value = bytes[start..<index]
        // The scan runs from the end: the last # behind a blank begins the comment.
        if let cut = value.indices.last(where: {
            value[$0] == UInt8(ascii: "#") && ($0 == value.startIndex || isBlank(value[$0 - 1]))
        }) {
            value = value[..<cut]
        }
        while let last = value.last, isBlank(last) || last == UInt8(ascii: "\r") { value = value.dropLast() }
        var plain: [UInt8] = []
        var position = value.startIndex
        while position < value.endIndex {
            if value[position] == UInt8(ascii: "\\"), position + 1 < value.endIndex,
                value[position + 1] == UInt8(ascii: "$")
            {
                position += 1
            }
            plain.append(value[position])
            position += 1
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private mutating func skipBlanks() {
        while index < bytes.count, isBlank(bytes[index]) { index += 1 }
    }

    private mutating func skipLine() {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private func isNameByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }
}
