internal import Bytes

/// Turns the inside of a JSON string into text.
enum JSONStrings {
    /// The text of a token that the reader has passed.
    static func decode(_ token: JSONReader.StringToken, in bytes: Span<UInt8>) throws(JSONError) -> String {
        let content = bytes.extracting(token.range)
        if token.hasEscapes { return try text(of: unescape(content).span, at: token.range.lowerBound) }
        return try text(of: content, at: token.range.lowerBound)
    }

    /// The bytes as text, or where they stop being UTF-8.
    static func text(of bytes: Span<UInt8>, at offset: Int) throws(JSONError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw JSONError(.invalidUTF8, at: offset + error.byteOffsets.lowerBound)
        }
    }

    /// The content with its escapes resolved; half a surrogate pair becomes U+FFFD. The escapes must be well-formed.
    static func unescape(_ content: Span<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(content.count)
        var index = 0
        while index < content.count {
            let byte = content[index]
            guard byte == UInt8(ascii: "\\"), index + 1 < content.count else {
                out.append(byte)
                index += 1
                continue
            }
            let escape = content[index + 1]
            if escape == UInt8(ascii: "u") {
                appendUnicode(content, at: &index, to: &out)
            } else {
                out.append(simple(escape))
                index += 2
            }
        }
        return out
    }

    private static func simple(_ escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: escape
        }
    }

    private static func appendUnicode(_ content: Span<UInt8>, at index: inout Int, to out: inout [UInt8]) {
        var scalar = Unicode.Scalar(0xFFFD as UInt16) ?? "?"
        let first = unit(content, at: index)
        index += 6
        if let plain = Unicode.Scalar(first) {
            scalar = plain
        } else if first < 0xDC00, index + 1 < content.count, content[index] == UInt8(ascii: "\\"),
            content[index + 1] == UInt8(ascii: "u")
        {
            let second = unit(content, at: index)
            if second & 0xFC00 == 0xDC00 {
                let value = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
                scalar = Unicode.Scalar(value) ?? scalar
                index += 6
            }
        }
        out.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// The four digits of the `\uXXXX` at the index.
    private static func unit(_ content: Span<UInt8>, at index: Int) -> UInt16 {
        guard index + 6 <= content.count else { return 0xD800 }
        var value: UInt16 = 0
        for offset in 2..<6 { value = value << 4 | UInt16(Hex.value(of: content[index + offset]) ?? 0) }
        return value
    }
}
