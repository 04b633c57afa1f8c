import Bytes

/// Texts of the form of a bcrypt hash that no password is known for.
enum BcryptShape {
    private static let alphabet = Array("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// What an unknown account's password is compared with: the same work, never a match.
    static func nobodys(cost: Int) -> String {
        text(cost: cost, salt: Array(repeating: 0x5A, count: 16), digest: Array(repeating: 0xA5, count: 23))
    }

    /// The hash of a password that nobody knows, without the work of making one: what accounts get that are created
    /// without a password. Source: supabase-admin.md 4.2 #8.
    static func unknowable(cost: Int, _ random: any RandomSource) -> String {
        text(cost: cost, salt: random.fill(16), digest: random.fill(23))
    }

    private static func text(cost: Int, salt: [UInt8], digest: [UInt8]) -> String {
        let cost = min(max(cost, 4), 31)
        var out = Array("$2a$\(cost < 10 ? "0" : "")\(cost)$".utf8)
        append(salt, to: &out)
        append(digest, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// bcrypt's base 64: big-endian groups of six bits in its own alphabet, no padding.
    private static func append(_ bytes: [UInt8], to out: inout [UInt8]) {
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = (bits << 8 | UInt32(byte)) & 0xFFFF
            count += 8
            while count >= 6 {
                count -= 6
                out.append(alphabet[Int(bits >> count) & 63])
            }
        }
        if count > 0 { out.append(alphabet[Int(bits << (6 - count)) & 63]) }
    }
}
