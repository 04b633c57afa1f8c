/// Texts compared and changed byte for byte: Swift's own comparison also holds Unicode equivalents for equal.
enum ExactText {
    static func isEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
    }

    static func hasPrefix(_ text: String, _ prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }

    static func hasSuffix(_ text: String, _ suffix: String) -> Bool {
        text.utf8.reversed().starts(with: suffix.utf8.reversed())
    }

    /// The text without that beginning, or as it is.
    static func without(_ text: String, prefix: String) -> String {
        hasPrefix(text, prefix) ? String(decoding: text.utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : text
    }

    static func contains(_ text: String, _ part: String) -> Bool {
        first(Array(part.utf8), in: Array(text.utf8), from: 0) != nil
    }

    /// Where the bytes stand first from an offset on; an empty part stands everywhere.
    static func first(_ part: [UInt8], in text: [UInt8], from: Int) -> Int? {
        guard let head = part.first else { return from <= text.count ? from : nil }
        var index = from
        while index + part.count <= text.count {
            if text[index] == head, text[index..<(index + part.count)].elementsEqual(part) { return index }
            index += 1
        }
        return nil
    }

    /// The text with every occurrence of a part replaced, from the left.
    static func replacing(_ part: [UInt8], with new: [UInt8], in text: [UInt8]) -> [UInt8] {
        guard !part.isEmpty, var found = first(part, in: text, from: 0) else { return text }
        var out: [UInt8] = []
        var from = 0
        while true {
            out += text[from..<found]
            out += new
            from = found + part.count
            guard let next = first(part, in: text, from: from) else { break }
            found = next
        }
        return out + text[from...]
    }

    /// The texts between a separator, empty ones too; at most so many cuts.
    static func split(_ text: String, at separator: String, cutsMax: Int = .max) -> [String] {
        let bytes = Array(text.utf8)
        let part = Array(separator.utf8)
        var out: [String] = []
        var from = 0
        while !part.isEmpty, out.count < cutsMax, let found = first(part, in: bytes, from: from) {
            out.append(String(decoding: bytes[from..<found], as: UTF8.self))
            from = found + part.count
        }
        out.append(String(decoding: bytes[from...], as: UTF8.self))
        return out
    }

    /// The text without white space at both ends.
    static func trimmed(_ text: String) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let bytes = text.utf8.drop(while: isBlank)
        let end = bytes.lastIndex { !isBlank($0) }
        return end.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
    }

    /// ASCII letters in lower case.
    static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether every byte is a decimal digit, and there is one.
    static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The order of two texts by their bytes, which is the order of their code points.
    static func precedes(_ left: String, _ right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
}
