internal import Bytes

/// A hash made by Argon2i or Argon2id, version 1.3 (RFC 9106), in the usual text form:
/// `$argon2id$v=19$m=KIB,t=PASSES,p=LANES$SALT$HASH`, base 64 without padding. Source: supabase-core.md 8.7.
public struct Argon2Hash: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// Which way memory is walked through.
    public enum Variant: String, Sendable {
        case argon2i, argon2id
    }

    /// The bounds of the reference; one comparison takes no more memory than `memoryMax` KiB.
    public static let memoryMax: UInt32 = 1_048_576
    public static let passesMax: UInt32 = 20
    public static let lanesMax: UInt32 = 16
    /// Bytes; the library takes no shorter salt and makes no shorter hash.
    static let saltMin = 8
    static let digestMin = 4

    public let variant: Variant
    /// KiB.
    public let memory: UInt32
    public let passes: UInt32
    public let lanes: UInt32
    let salt: [UInt8]
    let digest: [UInt8]

    /// Nil for any other text, `argon2d`, another version, and numbers beyond the bounds.
    public init?(_ text: String) {
        let parts = ImportedHash.parts(text, count: 5)
        guard parts.count == 5, let variant = Variant(rawValue: parts[0]), parts[1] == "v=19",
            let numbers = ImportedHash.members(parts[2], ["m", "t", "p"]),
            let memory = ImportedHash.number(numbers[0]), memory <= Self.memoryMax,
            let passes = ImportedHash.number(numbers[1]), passes <= Self.passesMax,
            let lanes = ImportedHash.number(numbers[2]), lanes <= Self.lanesMax, memory >= 8 * lanes,
            let salt = Base64.decode(parts[3], .standard, padding: .forbidden), salt.count >= Self.saltMin,
            let digest = Base64.decode(parts[4], .standard, padding: .forbidden), digest.count >= Self.digestMin
        else { return nil }
        self.variant = variant
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
        self.salt = salt
        self.digest = digest
    }

    public var description: String { "Argon2Hash(redacted)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A hash as Firebase makes it: a key derived by scrypt (RFC 7914) encrypts the project's signer key.
/// `$fbscrypt$v=1,n=LOG2N,r=R,p=P[,ss=SEPARATOR][,sk=SIGNERKEY]$SALT$HASH`, base 64 with padding.
/// Source: supabase-core.md 8.7.
public struct FirebaseScryptHash: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// Bytes that one comparison may take: as many as for Argon2.
    public static let memoryMax: UInt64 = 1 << 30
    /// How often that memory may be gone through.
    public static let parallelismMax: UInt32 = 16

    /// The cost N is two to the power of this.
    public let logCost: UInt32
    public let blockSize: UInt32
    public let parallelism: UInt32
    /// The salt with the project's separator behind it.
    let salt: [UInt8]
    let signerKey: [UInt8]
    let digest: [UInt8]

    /// Nil for any other text and for numbers beyond the bounds.
    public init?(_ text: String) {
        let parts = ImportedHash.parts(text, count: 4)
        guard parts.count == 4, parts[0] == "fbscrypt",
            let members = ImportedHash.members(parts[1], ["v", "n", "r", "p"], optional: ["ss", "sk"]),
            members[0] == "1", let logCost = ImportedHash.number(members[1]), logCost <= 30,
            let blockSize = ImportedHash.number(members[2]), let parallelism = ImportedHash.number(members[3]),
            parallelism <= Self.parallelismMax, blockSize <= 1 << 20,
            UInt64(blockSize) << UInt64(logCost) <= Self.memoryMax / 128,
            let separator = Base64.decode(members[4], .standard, padding: .required),
            let signerKey = Base64.decode(members[5], .standard, padding: .required),
            let salt = Base64.decode(parts[2], .standard, padding: .required), !salt.isEmpty,
            let digest = Base64.decode(parts[3], .standard, padding: .required), !digest.isEmpty,
            digest.count == signerKey.count
        else { return nil }
        self.logCost = logCost
        self.blockSize = blockSize
        self.parallelism = parallelism
        self.salt = salt + separator
        self.signerKey = signerKey
        self.digest = digest
    }

    public var description: String { "FirebaseScryptHash(redacted)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How the texts of imported hashes are taken apart.
private enum ImportedHash {
    /// Bytes of the longest text that is looked at.
    static let textMax = 4096

    /// What stands between the dollar signs, the first of which begins the text; empty when there are more or fewer.
    static func parts(_ text: String, count: Int) -> [String] {
        guard text.utf8.count <= textMax, text.utf8.first == UInt8(ascii: "$") else { return [] }
        let parts = text.dropFirst().split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        return parts.count == count ? parts : []
    }

    /// The values of `name=value` members, in this order; those that may be missing are empty then.
    static func members(_ text: String, _ names: [String], optional: [String] = []) -> [String]? {
        var fields = text.split(separator: ",", omittingEmptySubsequences: false)[...]
        var values: [String] = []
        for name in names {
            guard let field = fields.popFirst(), field.hasPrefix(name + "=") else { return nil }
            values.append(String(field.dropFirst(name.utf8.count + 1)))
        }
        for name in optional {
            guard let field = fields.first, field.hasPrefix(name + "=") else {
                values.append("")
                continue
            }
            fields.removeFirst()
            values.append(String(field.dropFirst(name.utf8.count + 1)))
        }
        return fields.isEmpty ? values : nil
    }

    /// A decimal number from 1 on, without a sign.
    static func number(_ text: String) -> UInt32? {
        guard (1...10).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt32(text), number > 0
        else { return nil }
        return number
    }
}
