/// A JSON number as it was written, so that large integers and long fractions pass through unharmed (FR-06).
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number's text, always valid JSON (RFC 8259 §6).
    public let literal: String

    /// Takes a literal that is already known to be valid.
    init(validLiteral literal: String) {
        self.literal = literal
    }

    /// Reads a number's text; nil if it is no JSON number.
    public init?(_ literal: String) {
        guard case .number(let number)? = try? JSONValue.parse(Array(literal.utf8)), number.literal == literal else {
            return nil
        }
        self = number
    }

    public init(_ value: some BinaryInteger) {
        literal = String(value)
    }

    /// The shortest text that reads back as the same number; nil for infinities and NaN, which JSON cannot say.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        let text = value.description
        literal = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// The value, if the text is a plain integer (no fraction, no exponent) within 64 bits.
    public var int64: Int64? {
        Int64(literal)
    }

    /// The nearest double; nil if the number is beyond a double's range.
    public var double: Double? {
        guard let value = Double(literal), value.isFinite else { return nil }
        return value
    }

    public var description: String { literal }
}
