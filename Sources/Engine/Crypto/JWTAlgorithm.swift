/// The signature algorithms of RFC 7518 §3 and RFC 8037 that tokens may be signed with. `none` is not among them.
public enum JWTAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// Which kind of key it needs.
    public enum Family: Sendable {
        case hmac
        case rsa
        case ec(JWK.Curve)
        case ed25519
    }

    /// Which kind of key it needs.
    public var family: Family {
        switch self {
        case .hs256, .hs384, .hs512: .hmac
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        case .es256: .ec(.p256)
        case .es384: .ec(.p384)
        case .es512: .ec(.p521)
        case .edDSA: .ed25519
        }
    }

    /// The hash inside it; nil for EdDSA, which has its own.
    var hash: HMACHash? {
        switch self {
        case .hs256, .rs256, .ps256, .es256: .sha256
        case .hs384, .rs384, .ps384, .es384: .sha384
        case .hs512, .rs512, .ps512, .es512: .sha512
        case .edDSA: nil
        }
    }

    var isPSS: Bool {
        switch self {
        case .ps256, .ps384, .ps512: true
        default: false
        }
    }

    /// What golang-jwt says when a signature of this kind does not match.
    var mismatch: String {
        switch family {
        case .hmac: "signature is invalid"
        case .rsa: "crypto/rsa: verification error"
        case .ec: "crypto/ecdsa: verification error"
        case .ed25519: "ed25519: verification error"
        }
    }

    /// What golang-jwt says when the key found is of another kind.
    var wrongKey: String {
        switch family {
        case .hmac: "key is of invalid type: HMAC verify expects []byte"
        case .rsa: "key is of invalid type: RSA verify expects *rsa.PublicKey"
        case .ec: "key is of invalid type: ECDSA verify expects *ecdsa.PublicKey"
        case .ed25519: "key is of invalid type: Ed25519 verify expects ed25519.PublicKey"
        }
    }
}
