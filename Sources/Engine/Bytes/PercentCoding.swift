/// Percent-encoding of URLs (RFC 3986 §2.1) and of forms (`application/x-www-form-urlencoded`), as Go's `net/url` does.
public enum PercentCoding {
    /// What is being written or read: they differ in which bytes stand for themselves and in `+`.
    public enum Part: Sendable {
        /// A name or value of a query or form: a space is written `+`, and `+` is read as a space.
        case queryValue
        /// One segment of a path: `/` is escaped, `+` is itself.
        case pathSegment
    }

    /// The text with every byte escaped that may not stand for itself.
    public static func encode(_ text: String, as part: Part) -> String {
        var out: [UInt8] = []
        append(text, as: part, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends the text with every byte escaped that may not stand for itself.
    public static func append(_ text: String, as part: Part, to out: inout [UInt8]) {
        for byte in text.utf8 {
            if isUnreserved(byte) || (part == .pathSegment && isPathDelimiter(byte)) {
                out.append(byte)
            } else if part == .queryValue, byte == UInt8(ascii: " ") {
                out.append(UInt8(ascii: "+"))
            } else {
                out.append(UInt8(ascii: "%"))
                out.append(upperDigit(byte >> 4))
                out.append(upperDigit(byte & 0xF))
            }
        }
    }

    /// The bytes that the escaped text stands for; nil if a `%` is not followed by two hexadecimal digits.
    public static func decode(_ text: Span<UInt8>, as part: Part) -> [UInt8]? {
        var out: [UInt8] = []
        out.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < text.count, let high = Hex.value(of: text[index + 1]),
                    let low = Hex.value(of: text[index + 2])
                else { return nil }
                out.append(high << 4 | low)
                index += 3
            } else {
                out.append(byte == UInt8(ascii: "+") && part == .queryValue ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return out
    }

    /// The text that the escaped text stands for; nil for a broken escape or bytes that are no UTF-8.
    public static func decode(_ text: String, as part: Part) -> String? {
        guard let bytes = decode(text.utf8.span, as: part) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    private static func isPathDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "+"), UInt8(ascii: ":"), UInt8(ascii: "="),
            UInt8(ascii: "@"):
            true
        default:
            false
        }
    }

    private static func upperDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") - 10 + nibble
    }
}
