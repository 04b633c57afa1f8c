/// Base 16 (RFC 4648 §8): writes lower case, reads either.
public enum Hex {
    /// The bytes as lower-case text, two digits each.
    public static func encode(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        append(bytes.span, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends two lower-case digits a byte.
    public static func append(_ bytes: Span<UInt8>, to out: inout [UInt8]) {
        out.reserveCapacity(out.count + bytes.count * 2)
        for index in bytes.indices {
            out.append(digit(bytes[index] >> 4))
            out.append(digit(bytes[index] & 0xF))
        }
    }

    /// The bytes that the text names; nil for an odd length or a character that is no digit.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(text.utf8.span)
    }

    /// The bytes that the text names; nil for an odd length or a character that is no digit.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var out: [UInt8] = []
        out.reserveCapacity(text.count / 2)
        var index = 0
        while index < text.count {
            guard let high = value(of: text[index]), let low = value(of: text[index + 1]) else { return nil }
            out.append(high << 4 | low)
            index += 2
        }
        return out
    }

    /// The digit's value, 0 to 15; nil if the byte is no hexadecimal digit.
    @inlinable
    public static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The lower-case digit of the low four bits.
    @inlinable
    public static func digit(_ value: UInt8) -> UInt8 {
        let nibble = value & 0xF
        return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
    }
}
