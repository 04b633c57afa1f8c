/// Why a text is no acceptable JSON, and where.
///
/// The description is worded as Go's `encoding/json` words it, because Supabase clients see those words.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Equatable, Sendable {
        /// The text ends inside a value, or holds none.
        case unexpectedEnd
        /// A byte that may not stand there.
        case unexpectedByte(UInt8, Place)
        /// A byte inside `true`, `false` or `null` that is not the next one of the word.
        case brokenLiteral(UInt8, word: String, expected: UInt8)
        /// A string that is no UTF-8.
        case invalidUTF8
        /// More arrays and objects inside each other than ``JSONLimits/depth``.
        case tooDeep
        /// A text longer than ``JSONLimits/bytes``.
        case tooLong
        /// Something else than an object, where an object is needed.
        case notAnObject
    }

    /// Where an unexpected byte stood.
    public enum Place: String, Sendable {
        case valueStart = "looking for beginning of value"
        case afterTopLevelValue = "after top-level value"
        case keyStart = "looking for beginning of object key string"
        case afterKey = "after object key"
        case afterMember = "after object key:value pair"
        case afterElement = "after array element"
        case string = "in string literal"
        case escape = "in string escape code"
        case unicodeEscape = "in \\u hexadecimal character escape"
        case number = "in numeric literal"
        case fraction = "after decimal point in numeric literal"
        case exponent = "in exponent of numeric literal"
    }

    /// What is wrong.
    public let reason: Reason
    /// The offset in bytes at which it was found.
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// Go's words for it, without the offset.
    public var description: String {
        switch reason {
        case .unexpectedEnd: "unexpected end of JSON input"
        case .unexpectedByte(let byte, let place): "invalid character \(Self.quote(byte)) \(place.rawValue)"
        case .brokenLiteral(let byte, let word, let expected):
            "invalid character \(Self.quote(byte)) in literal \(word) (expecting \(Self.quote(expected)))"
        case .invalidUTF8: "invalid UTF-8 in string literal"
        case .tooDeep: "exceeded max depth"
        case .tooLong: "JSON input too long"
        case .notAnObject: "JSON input is not an object"
        }
    }

    private static func quote(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "'"): return "'\\''"
        case UInt8(ascii: "\\"): return "'\\\\'"
        case 0x07: return "'\\a'"
        case 0x08: return "'\\b'"
        case 0x0B: return "'\\v'"
        case 0x0C: return "'\\f'"
        case UInt8(ascii: "\n"): return "'\\n'"
        case UInt8(ascii: "\r"): return "'\\r'"
        case UInt8(ascii: "\t"): return "'\\t'"
        case 0x20..<0x7F, 0xA1...0xAC, 0xAE...0xFF: return "'\(Character(Unicode.Scalar(byte)))'"
        case 0x80...0xAD: return "'\\u00\(hex(byte))'"
        default: return "'\\x\(hex(byte))'"
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
    }
}
