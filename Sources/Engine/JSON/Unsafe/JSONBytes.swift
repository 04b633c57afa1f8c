/// Eight bytes at a time over spans. Every load is checked against the span's length first.
enum JSONBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The index of the first quote, backslash or control byte at or after `start`; the count if there is none.
    @inline(__always)
    static func firstSpecial(in bytes: Span<UInt8>, from start: Int) -> Int {
        let count = bytes.count
        var index = start
        let raw = unsafe bytes.bytes
        while index + 8 <= count {
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            let found = specials(in: word)
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count {
            let byte = bytes[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
            index += 1
        }
        return count
    }

    /// Whether the bytes hold anything that a JSON string must or should escape: also 0x7F, and 0xE2, with which
    /// U+2028 and U+2029 begin.
    @inline(__always)
    static func firstToEscape(in bytes: Span<UInt8>, from start: Int) -> Int {
        let count = bytes.count
        var index = start
        let raw = unsafe bytes.bytes
        while index + 8 <= count {
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            let found = specials(in: word) | zeroBytes(word ^ (ones &* 0xE2))
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count {
            let byte = bytes[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0xE2 { return index }
            index += 1
        }
        return count
    }

    /// The byte of a literal; `index` is below its length.
    @inline(__always)
    static func byte(of text: StaticString, at index: Int) -> UInt8 {
        unsafe text.utf8Start[index]
    }

    /// Appends the bytes of a literal.
    @inline(__always)
    static func append(_ text: StaticString, to out: inout [UInt8]) {
        unsafe out.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a member's name with its quotes and colon.
    @inline(__always)
    static func appendKey(_ name: StaticString, afterComma: Bool, to out: inout [UInt8]) {
        let count = name.utf8CodeUnitCount
        out.append(addingCapacity: count + 4) { (span: inout OutputSpan<UInt8>) in
            if afterComma { span.append(UInt8(ascii: ",")) }
            span.append(UInt8(ascii: "\""))
            unsafe span.withUnsafeMutableBufferPointer { buffer, used in
                guard let start = buffer.baseAddress else { return }
                unsafe (start + used).update(from: name.utf8Start, count: count)
                used += count
            }
            span.append(UInt8(ascii: "\""))
            span.append(UInt8(ascii: ":"))
        }
    }

    /// Appends the bytes of a span.
    @inline(__always)
    static func append(_ bytes: Span<UInt8>, to out: inout [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe out.append(contentsOf: $0) }
    }

    /// A word whose lowest set bit lies in the first special byte (higher bits may be set falsely).
    @inline(__always)
    private static func specials(in word: UInt64) -> UInt64 {
        let control = (word &- ones &* 0x20) & ~word & highs
        return control | zeroBytes(word ^ (ones &* 0x22)) | zeroBytes(word ^ (ones &* 0x5C))
    }

    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- ones) & ~word & highs
    }
}
