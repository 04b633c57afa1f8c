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
        let dash = UInt8(ascii: "-")
        guard text.count == Self.textLength, text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash,
            let first = Scan.word(text, at: 0), let second = Scan.word(text, at: 9),
            let third = Scan.word(text, at: 14), let fourth = Scan.word(text, at: 19),
            let fifth = Scan.word(text, at: 24), let last = Scan.word(text, at: 28),
            let highest = Self.number(first), let high = Self.number(second & 0xFFFF_FFFF | third &<< 32),
            let low = Self.number(fourth & 0xFFFF_FFFF | fifth &<< 32), let lowest = Self.number(last)
        else { return nil }
        self.init(high: highest &<< 32 | high, low: low &<< 32 | lowest)
    }

    /// What eight digits name, the first one lowest in the word; nil when one of them is no digit.
    private static func number(_ digits: UInt64) -> UInt64? {
        // Letters have bit 6; their last four bits count from 1.
        let letters = digits &>> 6 & 0x0101_0101_0101_0101
        var nibbles = digits & 0x0F0F_0F0F_0F0F_0F0F &+ letters &* 9
        guard nibbles & 0xF0F0_F0F0_F0F0_F0F0 == 0, text(nibbles) == digits | letters &<< 5 else { return nil }
        nibbles = nibbles.byteSwapped
        nibbles = (nibbles | nibbles &>> 4) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles &>> 8) & 0x0000_FFFF_0000_FFFF
        return (nibbles | nibbles &>> 16) & 0xFFFF_FFFF
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
        return text(nibbles).byteSwapped
    }

    /// Eight nibbles, one a byte, as lower-case digits.
    private static func text(_ nibbles: UInt64) -> UInt64 {
        // 6 more carry those above 9 into the upper nibble; they are 39 further on, at the letters.
        let letters = ((nibbles &+ 0x0606_0606_0606_0606) &>> 4) & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }

    /// The canonical form in lower case, in place.
    public var text: InlineArray<36, UInt8> {
        var text = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        let digits = digits
        for place in 0..<8 {
            let shift = UInt64(place) &* 8
            text[place] = UInt8(truncatingIfNeeded: digits.0 &>> shift)
            text[place &+ 28] = UInt8(truncatingIfNeeded: digits.3 &>> shift)
        }
        for place in 0..<4 {
            let shift = UInt64(place) &* 8
            text[place &+ 9] = UInt8(truncatingIfNeeded: digits.1 &>> shift)
            text[place &+ 14] = UInt8(truncatingIfNeeded: digits.1 &>> (shift &+ 32))
            text[place &+ 19] = UInt8(truncatingIfNeeded: digits.2 &>> shift)
            text[place &+ 24] = UInt8(truncatingIfNeeded: digits.2 &>> (shift &+ 32))
        }
        return text
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
