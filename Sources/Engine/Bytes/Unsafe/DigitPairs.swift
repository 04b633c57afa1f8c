/// Writes dates and times digit pair by digit pair, two bytes at once: they make up a tenth of a user's JSON.
enum DigitPairs {
    /// Bytes of `-01-01T00:00:00.123456`.
    static let bytesMax = 22

    /// Appends what follows a date's year to a span with room for ``bytesMax`` bytes: no fraction when it is 0, and no
    /// zeros at its end.
    ///
    /// - Parameters:
    ///   - secondOfDay: below 86400.
    ///   - microseconds: below 1000000.
    static func append(
        _ date: CivilDate, _ secondOfDay: Int64, microseconds: UInt64, separator: UInt8, to out: inout OutputSpan<UInt8>
    ) {
        guard out.freeCapacity >= bytesMax else { return }
        unsafe out.withUnsafeMutableBufferPointer { buffer, count in
            guard let base = buffer.baseAddress else { return }
            let start = unsafe UnsafeMutableRawPointer(base + count)
            let second = UInt32(truncatingIfNeeded: secondOfDay)
            unsafe start.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
            unsafe store(UInt32(truncatingIfNeeded: date.month), at: start + 1)
            unsafe start.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 3, as: UInt8.self)
            unsafe store(UInt32(truncatingIfNeeded: date.day), at: start + 4)
            unsafe start.storeBytes(of: separator, toByteOffset: 6, as: UInt8.self)
            unsafe store(second / 3600, at: start + 7)
            unsafe start.storeBytes(of: UInt8(ascii: ":"), toByteOffset: 9, as: UInt8.self)
            unsafe store(second / 60 % 60, at: start + 10)
            unsafe start.storeBytes(of: UInt8(ascii: ":"), toByteOffset: 12, as: UInt8.self)
            unsafe store(second % 60, at: start + 13)
            count += 15
            guard microseconds > 0 else { return }
            var rest = UInt32(truncatingIfNeeded: microseconds)
            unsafe start.storeBytes(of: UInt8(ascii: "."), toByteOffset: 15, as: UInt8.self)
            unsafe store(rest / 10_000, at: start + 16)
            unsafe store(rest / 100 % 100, at: start + 18)
            unsafe store(rest % 100, at: start + 20)
            var digits = 6
            while rest % 10 == 0 {
                rest /= 10
                digits -= 1
            }
            count += 1 + digits
        }
    }

    /// Two digits of a number below 100, the first at the lower address.
    @inline(__always)
    private static func store(_ number: UInt32, at place: UnsafeMutableRawPointer) {
        let tens = number / 10
        let ones = number &- tens &* 10
        let pair = UInt16(truncatingIfNeeded: 0x3030 &+ tens &+ ones << 8)
        unsafe place.storeBytes(of: pair.littleEndian, as: UInt16.self)
    }
}
