internal import CSys
internal import Synchronization

/// The kernel's random bytes (`getrandom(2)`), safe for keys; callable from any thread.
public struct SystemRandom: RandomSource {
    /// Pairs are taken from the kernel in a row of so many: a system call costs more than the pair.
    private static let pairsMax = 32
    private static let pairs = Mutex([(UInt64, UInt64)]())

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

    /// Two random 64-bit words, which are kept nowhere.
    public func pair() -> (UInt64, UInt64) {
        Self.pairs.withLock { pairs in
            if pairs.isEmpty { pairs = refill() }
            return pairs.removeLast()
        }
    }

    private func refill() -> [(UInt64, UInt64)] {
        let bytes = fill(16 * Self.pairsMax)
        return (0..<Self.pairsMax).map { index in
            var words: (UInt64, UInt64) = (0, 0)
            for byte in bytes[16 * index..<16 * index + 8] { words.0 = words.0 << 8 | UInt64(byte) }
            for byte in bytes[16 * index + 8..<16 * index + 16] { words.1 = words.1 << 8 | UInt64(byte) }
            return words
        }
    }
}
