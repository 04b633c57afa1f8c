/// A 128-bit universally unique identifier (RFC 9562), compared in byte order as PostgreSQL compares `uuid`.
public struct UUID: Hashable, Comparable, Sendable, LosslessStringConvertible {
    /// The first eight bytes, big-endian.
    public let high: UInt64
    /// The last eight bytes, big-endian.
    public let low: UInt64

    /// The identifier whose bits are all zero.
    public static let zero = UUID(high: 0, low: 0)

    /// The length of the canonical text form in bytes.
    public static let textLength = 36

    /// Makes an identifier from its two halves, big-endian.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes a version 4 identifier from 16 random bytes.
    public init(random source: some RandomSource) {
        let (first, second) = source.pair()
        high = first & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = second & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// Reads exactly 16 bytes; nil for any other length.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            halves.0 = halves.0 << 8 | UInt64(bytes[index])
            halves.1 = halves.1 << 8 | UInt64(bytes[index + 8])
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// Reads the canonical 8-4-4-4-12 form, letters in either case; nil for any other form (no braces, no `urn:`).
    public init?(_ text: String) {
        self.init(text: text.utf8.span)
    }

    /// Reads the canonical 8-4-4-4-12 form from UTF-8 bytes, letters in either case.
    public init?(text: Span<UInt8>) {
        guard text.count == Self.textLength else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for index in 0..<Self.textLength {
            let byte = text[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let nibble = Hex.value(of: byte) else { return nil }
            if digits < 16 {
                halves.0 = halves.0 << 4 | UInt64(nibble)
            } else {
                halves.1 = halves.1 << 4 | UInt64(nibble)
            }
            digits += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// The 16 bytes, most significant first.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(16)
        for shift in stride(from: 56, through: 0, by: -8) { result.append(UInt8(truncatingIfNeeded: high >> shift)) }
        for shift in stride(from: 56, through: 0, by: -8) { result.append(UInt8(truncatingIfNeeded: low >> shift)) }
        return result
    }

    /// The canonical form in lower case.
    public var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the canonical form in lower case.
    public func append(to out: inout [UInt8]) {
        out.append(addingCapacity: Self.textLength) { (span: inout OutputSpan<UInt8>) in
            write(to: &span)
        }
    }

    private func write(to out: inout OutputSpan<UInt8>) {
        let digits = digits
        Self.append(digits.0, 8, to: &out)
        out.append(UInt8(ascii: "-"))
        Self.append(digits.1, 4, to: &out)
        out.append(UInt8(ascii: "-"))
        Self.append(digits.1 &>> 32, 4, to: &out)
        out.append(UInt8(ascii: "-"))
        Self.append(digits.2, 4, to: &out)
        out.append(UInt8(ascii: "-"))
        Self.append(digits.2 &>> 32, 4, to: &out)
        Self.append(digits.3, 8, to: &out)
    }

    /// The 32 digits, eight in a word, the first one lowest.
    var digits: (UInt64, UInt64, UInt64, UInt64) {
        (Self.digits(high &>> 32), Self.digits(high), Self.digits(low &>> 32), Self.digits(low))
    }

    /// The digits of the lower half of a word: its nibbles are spread over bytes, all at once.
    private static func digits(_ word: UInt64) -> UInt64 {
        var nibbles = word & 0xFFFF_FFFF
        nibbles = (nibbles | nibbles &<< 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles &<< 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
        // 6 more carry those above 9 into the upper nibble; they are 39 further on, at the letters.
        let letters = ((nibbles &+ 0x0606_0606_0606_0606) &>> 4) & 0x0101_0101_0101_0101
        return (nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 39).byteSwapped
    }

    public static func < (left: UUID, right: UUID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// Appends the lowest `count` bytes of a word, the lowest first.
    private static func append(_ word: UInt64, _ count: Int, to out: inout OutputSpan<UInt8>) {
        var rest = word
        for _ in 0..<count {
            out.append(UInt8(truncatingIfNeeded: rest))
            rest &>>= 8
        }
    }
}
