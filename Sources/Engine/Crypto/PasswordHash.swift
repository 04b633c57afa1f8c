/// A stored password hash by its kind, told by its prefix.
public enum PasswordHash: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// `$2a$`, `$2b$`, `$2y$`: bcrypt, with its cost.
    case bcrypt(text: String, cost: Int)
    /// `$argon2i$`, `$argon2id$`: imported from elsewhere.
    case argon2(Argon2Hash)
    /// `$fbscrypt$`: imported from Firebase.
    case firebaseScrypt(FirebaseScryptHash)
    /// Anything else: never matched.
    case unknown

    public init(_ text: String) {
        if let cost = Self.bcryptCost(text) {
            self = .bcrypt(text: text, cost: cost)
        } else if let hash = Argon2Hash(text) {
            self = .argon2(hash)
        } else if let hash = FirebaseScryptHash(text) {
            self = .firebaseScrypt(hash)
        } else {
            self = .unknown
        }
    }

    /// Whether the hash came from another system, so that a new one should take its place once the password is known.
    public var isImported: Bool {
        switch self {
        case .argon2, .firebaseScrypt: true
        case .bcrypt, .unknown: false
        }
    }

    public var description: String { "PasswordHash(redacted)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// The cost of a whole bcrypt hash: `$2b$10$` and 53 characters of salt and hash.
    private static func bcryptCost(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 60, bytes[0] == UInt8(ascii: "$"), bytes[1] == UInt8(ascii: "2"),
            [UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "y")].contains(bytes[2]),
            bytes[3] == UInt8(ascii: "$"), bytes[6] == UInt8(ascii: "$")
        else { return nil }
        let tens = bytes[4] &- UInt8(ascii: "0")
        let ones = bytes[5] &- UInt8(ascii: "0")
        guard tens <= 3, ones <= 9 else { return nil }
        let cost = Int(tens) * 10 + Int(ones)
        guard Bcrypt.costs.contains(cost) else { return nil }
        let isSound = bytes[7...].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: false
            }
        }
        return isSound ? cost : nil
    }
}

/// Why no password was hashed or compared.
public enum PasswordError: Error, Equatable, Sendable {
    /// As many passwords wait as may wait: try again later.
    case overloaded
    /// The task that waited was cancelled before its turn came.
    case cancelled
    /// The hasher was stopped.
    case stopped
    /// The stored hash is of a kind that is not supported.
    case unsupportedHash
    /// The password holds a NUL byte, which bcrypt would end at.
    case invalidPassword
    /// The library failed.
    case failed
}
