/// The inner loop of base 64: whole groups of four characters, over pointers whose bounds are checked once.
enum Base64Groups {
    /// Decodes the first `count` characters (held to the text and to the room there is, in whole groups).
    ///
    /// Returns the union of all values: its highest bit is set if a character was foreign (`value` says 0xFF).
    @inline(__always)
    static func decode(
        _ text: Span<UInt8>, count: Int, to out: inout OutputSpan<UInt8>, value: (UInt8) -> UInt8
    ) -> UInt8 {
        let groups = min(count, text.count) / 4
        guard groups > 0, out.freeCapacity >= groups * 3 else { return groups > 0 ? 0xFF : 0 }
        return unsafe text.withUnsafeBufferPointer { input in
            unsafe out.withUnsafeMutableBufferPointer { output, used in
                guard var from = input.baseAddress, let start = output.baseAddress else { return 0xFF }
                var to = unsafe start + used
                var union: UInt8 = 0
                for _ in 0..<groups {
                    let first = unsafe value(from[0])
                    let second = unsafe value(from[1])
                    let third = unsafe value(from[2])
                    let fourth = unsafe value(from[3])
                    union |= first | second | third | fourth
                    unsafe to.initialize(to: first &<< 2 | second &>> 4)
                    unsafe (to + 1).initialize(to: second &<< 4 | third &>> 2)
                    unsafe (to + 2).initialize(to: third &<< 6 | fourth)
                    unsafe from += 4
                    unsafe to += 3
                }
                used += groups * 3
                return union
            }
        }
    }
}
