/// An e-mail address that passed the reference's check, in lower case. Source: supabase-core.md 9.1.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The longest address, in bytes.
    public static let bytesMax = 255
    /// The longest label of the domain, in bytes (RFC 1035).
    public static let labelBytesMax = 63

    /// The address in lower case.
    public let text: String
    public var description: String { text }

    /// Checks and lower-cases an address as sign-up does.
    /// - Throws: `emailMissing`, `emailTooLong` or `emailMalformed`.
    public init(validating raw: String) throws(AuthError) {
        guard !raw.isEmpty else { throw AuthError(.emailMissing) }
        guard raw.utf8.count <= Self.bytesMax else { throw AuthError(.emailTooLong) }
        guard Self.isWellFormed(raw) else { throw AuthError(.emailMalformed) }
        text = raw.lowercased()
    }

    /// An address that was stored earlier: lower-cased, not judged again.
    public init(stored: String) { text = stored.lowercased() }

    static func isWellFormed(_ raw: String) -> Bool {
        let bytes = Array(raw.utf8)
        guard let at = bytes.firstIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
        guard bytes[..<at].allSatisfy(isLocalByte) else { return false }
        let labels = bytes[(at + 1)...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return !labels.isEmpty && labels.allSatisfy(isLabel)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static let localSigns = Set(".!#$%&'*+/=?^_`{|}~-".utf8)

    private static func isLocalByte(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || localSigns.contains(byte) }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        guard let first = label.first, let last = label.last, label.count <= labelBytesMax else { return false }
        return isAlphanumeric(first) && isAlphanumeric(last)
            && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }
}

/// A phone number in E.164 form without the plus sign. Source: supabase-core.md 9.2.
public struct PhoneNumber: Hashable, Sendable, CustomStringConvertible {
    /// The digits, without a plus sign.
    public let digits: String
    public var description: String { digits }

    /// Strips one leading plus sign and all blanks, then checks.
    /// - Throws: `phoneMalformed`.
    public init(validating raw: String) throws(AuthError) {
        let stripped = Self.stripped(raw)
        let bytes = Array(stripped.utf8)
        guard (2...15).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }),
            bytes[0] != UInt8(ascii: "0")
        else { throw AuthError(.phoneMalformed) }
        digits = stripped
    }

    /// A number that was stored earlier.
    public init(stored: String) { digits = stored }

    /// The form in which numbers are looked up: no leading plus sign, no blanks, not judged.
    public static func stripped(_ raw: String) -> String {
        var text = raw
        if text.hasPrefix("+") { text.removeFirst() }
        return text.filter { $0 != " " }
    }
}
