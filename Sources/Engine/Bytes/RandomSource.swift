/// Where random bytes come from; a parameter everywhere, so that tests can know them.
public protocol RandomSource: Sendable {
    /// As many unpredictable bytes as asked for; an empty array for zero or less.
    func fill(_ count: Int) -> [UInt8]
    /// Two random 64-bit words (16 bytes).
    func pair() -> (UInt64, UInt64)
}

extension RandomSource {
    /// Two random 64-bit words (16 bytes), big-endian from ``fill(_:)``.
    public func pair() -> (UInt64, UInt64) {
        let bytes = fill(16)
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.prefix(16).enumerated() {
            if index < 8 {
                words.0 = words.0 << 8 | UInt64(byte)
            } else {
                words.1 = words.1 << 8 | UInt64(byte)
            }
        }
        return words
    }

    /// A random 64-bit word.
    public func word() -> UInt64 {
        pair().0
    }

    /// A number from 0 to `bound - 1`, each equally likely (rejection, no modulo bias); 0 if `bound` is 0 or 1.
    public func below(_ bound: UInt64) -> UInt64 {
        guard bound > 1 else { return 0 }
        // The lowest words, 2^64 mod bound of them, would be favoured: they are thrown back.
        let unfair = (0 &- bound) % bound
        while true {
            let (first, second) = pair()
            if first >= unfair { return first % bound }
            if second >= unfair { return second % bound }
        }
    }

    /// A code of so many decimal digits, leading zeros kept, each code equally likely; `count` is held to 1...18.
    public func digits(_ count: Int) -> String {
        let length = min(max(count, 1), 18)
        var bound: UInt64 = 1
        for _ in 0..<length { bound *= 10 }
        let text = String(below(bound))
        return String(repeating: "0", count: length - text.utf8.count) + text
    }
}
