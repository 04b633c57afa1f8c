internal import CSys

/// The kernel's random bytes (`getrandom(2)`), safe for keys; callable from any thread.
public struct SystemRandom: RandomSource {
    public init() {}

    /// As many unpredictable bytes as asked for.
    public func fill(_ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        var failures = 0
        while done < count, failures < 8 {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe getrandom(buffer.baseAddress.map { unsafe $0 + done }, count - done, 0)
            }
            if got > 0 {
                done += got
            } else {
                failures += 1
            }
        }
        // A signal may interrupt a long read: tried again. A sandbox that forbids it gets the runtime's generator.
        var fallback = SystemRandomNumberGenerator()
        while done < count {
            bytes[done] = fallback.next()
            done += 1
        }
        return bytes
    }

    /// Two random 64-bit words.
    public func pair() -> (UInt64, UInt64) {
        var words: (UInt64, UInt64) = (0, 0)
        let got = unsafe withUnsafeMutableBytes(of: &words) { buffer in
            unsafe getrandom(buffer.baseAddress, 16, 0)
        }
        if got == 16 { return words }
        var fallback = SystemRandomNumberGenerator()
        return (fallback.next(), fallback.next())
    }
}
