public import Bytes

/// The hash functions that an HMAC can rest on.
public enum HMACHash: Sendable {
    case sha256
    case sha384
    case sha512

    /// OpenSSL's name of it.
    var name: StaticString {
        switch self {
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        case .sha512: "SHA512"
        }
    }

    /// The tag's length in bytes.
    public var size: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

/// A secret for HMAC. Never printed; compared in constant time.
public struct HMACKey: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The secret's bytes.
    let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Takes the bytes of a text as they are, as `GOTRUE_JWT_SECRET` is used.
    public init(text: String) {
        bytes = Array(text.utf8)
    }

    /// Makes a key of 32 random bytes.
    public init(random source: some RandomSource) {
        bytes = source.fill(32)
    }

    /// The secret for being stored; the name says that it leaves its seal.
    public var revealedBytes: [UInt8] { bytes }

    public var description: String { "HMACKey(redacted)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    public static func == (left: HMACKey, right: HMACKey) -> Bool {
        ConstantTime.equals(left.bytes, right.bytes)
    }
}
