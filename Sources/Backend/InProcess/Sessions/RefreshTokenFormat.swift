import Bytes

/// The two forms of refresh tokens. Source: supabase-core.md 7.2, 7.3, 10.3.2.
enum RefreshTokenFormat: Equatable {
    /// Twelve characters that name a row.
    case classic(String)
    /// Carries its session and a counter.
    case counter(session: UUID, counter: UInt64)

    /// Characters of a classic token.
    static let classicLength = 12
    /// Bytes of the shortest counter token.
    static let counterBytesMin = 38
    /// Characters of the longest counter token: 46 bytes in base64.
    static let counterLengthMax = 62

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
    ///
    /// - Parameter digest: SHA-256, for the checksum.
    init?(_ text: String, digest: ([UInt8]) -> [UInt8]) {
        let length = text.utf8.count
        if length == Self.classicLength {
            let isClassic = text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
            guard isClassic else { return nil }
            self = .classic(text)
            return
        }
        guard length > Self.classicLength, length <= Self.counterLengthMax,
            let bytes = Base64.decode(text, .url, padding: .forbidden),
            bytes.count >= Self.counterBytesMin, bytes[0] == 0
        else { return nil }
        let body = Array(bytes.dropLast(4))
        guard ConstantTime.equals(Array(digest(body).prefix(4)), Array(bytes.suffix(4))),
            let session = UUID(bytes: Array(bytes[1..<17])),
            let (counter, next) = Self.varint(in: bytes, from: 17),
            bytes.count - 4 - next == 16
        else { return nil }
        self = .counter(session: session, counter: counter)
    }

    /// Unsigned LEB128: the number and the index after it; nil when it does not end or does not fit.
    private static func varint(in bytes: [UInt8], from start: Int) -> (UInt64, Int)? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        for index in start..<min(start + 10, bytes.count) {
            let byte = bytes[index]
            if shift == 63 && byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return (value, index + 1) }
            shift += 7
        }
        return nil
    }
}
