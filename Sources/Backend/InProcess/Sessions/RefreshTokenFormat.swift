import Bytes

/// The two forms of refresh tokens. Source: supabase-core.md 7.2, 7.3, 10.3.2.
enum RefreshTokenFormat: Equatable {
    /// Twelve characters that name a row.
    case classic(String)
    /// Carries its session and a counter.
    case counter(CounterToken)

    /// Characters of a classic token.
    static let classicLength = 12

    /// A new classic token: 60 random bits in lower-case base32.
    static func classic(_ random: any RandomSource) -> String {
        var bits = random.word()
        var text: [UInt8] = []
        text.reserveCapacity(classicLength)
        for _ in 0..<classicLength {
            let digit = UInt8(truncatingIfNeeded: bits & 31)
            text.append(digit < 26 ? UInt8(ascii: "a") + digit : UInt8(ascii: "2") + (digit - 26))
            bits >>= 5
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a token as a client sent it; nil for what cannot be one.
    init?(_ text: String) {
        guard text.utf8.count == Self.classicLength else {
            guard text.utf8.count > Self.classicLength, let token = CounterToken(text) else { return nil }
            self = .counter(token)
            return
        }
        let isClassic = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isClassic else { return nil }
        self = .classic(text)
    }
}
