/// A JSON Web Key (RFC 7517, 7518 §6, 8037): secret, RSA, elliptic curve or Ed25519; public or private.
///
/// The parts are kept as bytes; whether they belong together is found out when a signing or verification key is made.
public struct JWK: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The elliptic curves that tokens are signed on.
    public enum Curve: String, Sendable {
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"

        /// The length of a coordinate in bytes.
        public var size: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    /// The numbers of an RSA key, big-endian.
    public struct RSA: Sendable, Equatable {
        public var modulus: [UInt8]
        public var exponent: [UInt8]
        /// What only a private key has.
        public var secret: RSASecret?
    }

    /// The secret numbers of an RSA key, big-endian.
    public struct RSASecret: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
        var exponent: [UInt8]
        var prime1: [UInt8]
        var prime2: [UInt8]
        var exponent1: [UInt8]
        var exponent2: [UInt8]
        var coefficient: [UInt8]

        public var description: String { "RSASecret(redacted)" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The key itself.
    public enum Material: Sendable, Equatable {
        case secret(HMACKey)
        case rsa(RSA)
        /// A point on a curve, and its secret number if the key is private.
        case ec(Curve, x: [UInt8], y: [UInt8], secret: HMACKey?)
        /// An Ed25519 public key, and its seed if the key is private.
        case ed25519(x: [UInt8], secret: HMACKey?)
    }

    /// The key itself.
    public var material: Material
    /// `kid`: the name that tokens call the key by.
    public var id: String?
    /// `alg`: the algorithm the key is for; defaults to the usual one of its kind.
    public var algorithm: JWTAlgorithm
    /// `use`, mostly `sig`.
    public var use: String?
    /// `key_ops`: `sign`, `verify`.
    public var operations: [String]

    public init(
        _ material: Material, id: String? = nil, algorithm: JWTAlgorithm? = nil, use: String? = nil,
        operations: [String] = []
    ) {
        self.material = material
        self.id = id
        self.algorithm = algorithm ?? Self.usualAlgorithm(material)
        self.use = use
        self.operations = operations
    }

    /// Whether the key can sign.
    public var isPrivate: Bool {
        switch material {
        case .secret: true
        case .rsa(let key): key.secret != nil
        case .ec(_, _, _, let secret): secret != nil
        case .ed25519(_, let secret): secret != nil
        }
    }

    /// The key without its secret, as it is published: `use` is `sig`, `key_ops` is `verify`. Nil for a shared secret.
    public var publicKey: JWK? {
        let open: Material
        switch material {
        case .secret: return nil
        case .rsa(let key): open = .rsa(RSA(modulus: key.modulus, exponent: key.exponent, secret: nil))
        case .ec(let curve, let x, let y, _): open = .ec(curve, x: x, y: y, secret: nil)
        case .ed25519(let x, _): open = .ed25519(x: x, secret: nil)
        }
        return JWK(open, id: id, algorithm: algorithm, use: "sig", operations: ["verify"])
    }

    public var description: String { "JWK(\(algorithm.rawValue), kid: \(id ?? "none"), redacted)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    static func usualAlgorithm(_ material: Material) -> JWTAlgorithm {
        switch material {
        case .secret: .hs256
        case .rsa: .rs256
        case .ec(.p256, _, _, _): .es256
        case .ec(.p384, _, _, _): .es384
        case .ec(.p521, _, _, _): .es512
        case .ed25519: .edDSA
        }
    }
}
