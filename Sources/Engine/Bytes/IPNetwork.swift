/// A network in CIDR form, IPv4 or IPv6. Source: RFC 4632, RFC 4291.
public struct IPNetwork: Sendable, Hashable, CustomStringConvertible {
    /// 16 bytes; IPv4 stands as `::ffff:a.b.c.d`.
    let bytes: [UInt8]
    /// Bits that count, of 128.
    let prefix: Int
    public let description: String

    /// Reads `10.0.0.0/8`, `::1/128` or a single address.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let bytes = Self.address(String(parts[0])) else { return nil }
        let isShort = !parts[0].contains(":")
        let most = isShort ? 32 : 128
        var length = most
        if parts.count == 2 {
            let digits = parts[1]
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(digits),
                given <= most
            else { return nil }
            length = given
        }
        self.bytes = bytes
        prefix = isShort ? 96 + length : length
        description = text
    }

    /// Whether an address in text form lies in it; false for what is no address.
    public func contains(_ address: String) -> Bool {
        guard let other = Self.address(address) else { return false }
        let whole = prefix / 8
        guard bytes[..<whole] == other[..<whole] else { return false }
        guard prefix % 8 != 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - prefix % 8))
        return bytes[whole] & mask == other[whole] & mask
    }

    /// The 16 bytes of an IPv4 or IPv6 address; nil for anything else.
    public static func address(_ text: String) -> [UInt8]? {
        if !text.contains(":") {
            guard let four = shortAddress(Substring(text)) else { return nil }
            return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + four
        }
        var rest = Substring(text)
        var tail: [UInt8] = []
        if let colon = rest.lastIndex(of: ":"), rest[colon...].contains(".") {
            guard let four = shortAddress(rest[rest.index(after: colon)...]) else { return nil }
            tail = four
            rest = rest[...colon]
            // The colon belongs to a `::` when there are two; else it only parted the groups.
            if !rest.hasSuffix("::") { rest = rest.dropLast() }
        }
        let halves = split(rest)
        guard let first = groups(halves.0) else { return nil }
        guard let second = halves.1 else {
            let bytes = first + tail
            return bytes.count == 16 ? bytes : nil
        }
        guard let last = groups(second) else { return nil }
        let known = first.count + last.count + tail.count
        guard known <= 14 else { return nil }
        return first + [UInt8](repeating: 0, count: 16 - known) + last + tail
    }

    /// What stands before and after `::`.
    private static func split(_ text: Substring) -> (Substring, Substring?) {
        var index = text.startIndex
        while index < text.endIndex {
            if text[index...].hasPrefix("::") {
                return (text[..<index], text[text.index(index, offsetBy: 2)...])
            }
            index = text.index(after: index)
        }
        return (text, nil)
    }

    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        for group in text.split(separator: ":", omittingEmptySubsequences: false) {
            guard (1...4).contains(group.utf8.count), group.utf8.allSatisfy({ isHex($0) }),
                let value = UInt16(group, radix: 16), bytes.count <= 14
            else { return nil }
            bytes.append(UInt8(value >> 8))
            bytes.append(UInt8(value & 0xFF))
        }
        return bytes
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func shortAddress(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                part.count == 1 || !part.hasPrefix("0"), let byte = UInt8(part)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
