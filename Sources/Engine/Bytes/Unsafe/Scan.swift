internal import Glibc

/// Fast searches over bytes, eight at a time where that pays.
///
/// The only unchecked steps are unaligned loads whose range has been compared with the span's count.
public enum Scan {
    /// The index of the first control byte (below 0x20, or 0x7F) at or after `from`; the count when there is none.
    ///
    /// What RFC 9110 section 5.5 forbids in field values, and HTAB, which the caller allows.
    @inlinable
    public static func firstControl(in bytes: Span<UInt8>, from: Int) -> Int {
        var index = max(0, from)
        let count = bytes.count
        // Long values 64 bytes at a time; what holds something is looked at again below.
        while index &+ 64 <= count {
            let block = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD8<UInt64>.self)
            let below = (block &- 0x2020_2020_2020_2020) & ~block
            let delete = block ^ 0x7F7F_7F7F_7F7F_7F7F
            let isDelete = (delete &- 0x0101_0101_0101_0101) & ~delete
            let marks = (below | isDelete) & 0x8080_8080_8080_8080
            let half = marks.lowHalf | marks.highHalf
            let quarter = half.lowHalf | half.highHalf
            if quarter.x | quarter.y != 0 { break }
            index &+= 64
        }
        while index &+ 8 <= count {
            let word = load(bytes, at: index)
            let found = controls(word)
            if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x7F { return index }
            index &+= 1
        }
        return count
    }

    /// The high bit of each byte that is a control byte; beyond the first of them others may be marked too.
    @inlinable @inline(__always)
    static func controls(_ word: UInt64) -> UInt64 {
        let below = (word &- 0x2020_2020_2020_2020) & ~word
        let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
        let isDelete = (delete &- 0x0101_0101_0101_0101) & ~delete
        return (below | isDelete) & 0x8080_8080_8080_8080
    }

    /// The index of the first byte at or after `from` that is no plain byte of a path (below `/`, `?`, `\`, DEL or
    /// beyond ASCII); the count when there is none.
    @inlinable
    public static func firstPathMark(in bytes: Span<UInt8>, from: Int) -> Int {
        var index = max(0, from)
        let count = bytes.count
        while index &+ 8 <= count {
            let word = load(bytes, at: index)
            let below = (word &- 0x2F2F_2F2F_2F2F_2F2F) & ~word
            let question = word ^ 0x3F3F_3F3F_3F3F_3F3F
            let isQuestion = (question &- 0x0101_0101_0101_0101) & ~question
            let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
            let isBackslash = (backslash &- 0x0101_0101_0101_0101) & ~backslash
            // The sum sets the high bit of 0x7F; bytes beyond ASCII have it.
            let isHigh = (word &+ 0x0101_0101_0101_0101) | word
            let found = (below | isQuestion | isBackslash | isHigh) & 0x8080_8080_8080_8080
            if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count {
            let byte = bytes[index]
            if byte < 0x2F || byte == 0x3F || byte == 0x5C || byte >= 0x7F { return index }
            index &+= 1
        }
        return count
    }

    /// Whether two runs of bytes are equal. Not for secrets: the time taken depends on where they differ.
    public static func equals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        let count = left.count
        guard count == right.count else { return false }
        return unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return unsafe memcmp(left, right, count) == 0
            }
        }
    }

    /// The bits in which two runs of one length differ, gathered in one word: it takes the same time for all of them.
    static func difference(_ left: Span<UInt8>, _ right: Span<UInt8>) -> UInt64 {
        let count = min(left.count, right.count)
        var difference: UInt64 = 0
        var index = 0
        while index &+ 8 <= count {
            difference |= load(left, at: index) ^ load(right, at: index)
            index &+= 8
        }
        while index < count {
            difference |= UInt64(left[index] ^ right[index])
            index &+= 1
        }
        return difference
    }

    /// The index of the first `byte` at or after `from`; the count when there is none.
    @inlinable
    public static func first(_ byte: UInt8, in bytes: Span<UInt8>, from: Int) -> Int {
        var index = max(0, from)
        let count = bytes.count
        let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
        while index &+ 8 <= count {
            let word = load(bytes, at: index) ^ pattern
            let found = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count {
            if bytes[index] == byte { return index }
            index &+= 1
        }
        return count
    }

    /// Whether `byte` may stand in a token (RFC 9110 section 5.6.2).
    @inlinable
    public static func isToken(_ byte: UInt8) -> Bool {
        // Bit n of the masks: is byte n (64 + n) one of ! # $ % & ' * + - . ^ _ ` | ~, a digit or a letter.
        let mask: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && mask &>> (UInt64(byte) & 63) & 1 == 1
    }

    /// Whether `bytes` is `lowercase` when ASCII capitals count as small letters.
    @inlinable
    public static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ lowercase: StaticString) -> Bool {
        guard lowercase.hasPointerRepresentation, bytes.count == lowercase.utf8CodeUnitCount else { return false }
        let wanted = unsafe UnsafeBufferPointer(start: lowercase.utf8Start, count: lowercase.utf8CodeUnitCount)
        for index in 0..<bytes.count where unsafe lowercased(bytes[index]) != wanted[index] { return false }
        return true
    }

    /// Whether two runs of bytes are equal when ASCII capitals count as small letters.
    @inlinable
    public static func equalsIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count where lowercased(left[index]) != lowercased(right[index]) { return false }
        return true
    }

    /// Whether two runs of bytes are equal. Not for secrets: the time taken depends on where they differ.
    @inlinable
    public static func equals(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
        guard text.hasPointerRepresentation, bytes.count == text.utf8CodeUnitCount else { return false }
        let wanted = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        for index in 0..<bytes.count where unsafe bytes[index] != wanted[index] { return false }
        return true
    }

    /// The small letter of an ASCII capital; every other byte as it is.
    @inlinable
    public static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// The value of a hexadecimal digit, or nil.
    @inlinable
    public static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte &- 0x30
        case 0x41...0x46: byte &- 0x37
        case 0x61...0x66: byte &- 0x57
        default: nil
        }
    }

    /// Eight bytes as a number, the first byte lowest; nil when fewer follow `index`.
    @inlinable @inline(__always)
    public static func word(_ bytes: Span<UInt8>, at index: Int) -> UInt64? {
        index >= 0 && index &+ 8 <= bytes.count ? load(bytes, at: index) : nil
    }

    @inlinable @inline(__always)
    static func load(_ bytes: Span<UInt8>, at index: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
    }
}
