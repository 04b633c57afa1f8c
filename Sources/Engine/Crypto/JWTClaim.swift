/// The claims that are looked up on every request, found in one pass over a token.
public enum JWTClaim: Int, CaseIterable, Sendable {
    case expiration, notBefore, issuedAt, subject, audience, issuer, role, sessionID, assurance, methods, email, phone
    case isAnonymous, appMetadata, userMetadata, nonce

    /// The claim's name on the wire.
    public var name: String {
        switch self {
        case .expiration: "exp"
        case .notBefore: "nbf"
        case .issuedAt: "iat"
        case .subject: "sub"
        case .audience: "aud"
        case .issuer: "iss"
        case .role: "role"
        case .sessionID: "session_id"
        case .assurance: "aal"
        case .methods: "amr"
        case .email: "email"
        case .phone: "phone"
        case .isAnonymous: "is_anonymous"
        case .appMetadata: "app_metadata"
        case .userMetadata: "user_metadata"
        case .nonce: "nonce"
        }
    }

    /// The first bytes that a value of the right type begins with; null is always right, as in Go.
    func allows(_ first: UInt8) -> Bool {
        if first == UInt8(ascii: "n") { return true }
        switch self {
        case .expiration, .notBefore, .issuedAt:
            return first == UInt8(ascii: "-") || (first >= UInt8(ascii: "0") && first <= UInt8(ascii: "9"))
        case .audience: return first == UInt8(ascii: "\"") || first == UInt8(ascii: "[")
        case .subject, .issuer, .role, .sessionID, .assurance, .email, .phone, .nonce:
            return first == UInt8(ascii: "\"")
        case .methods: return first == UInt8(ascii: "[")
        case .isAnonymous: return first == UInt8(ascii: "t") || first == UInt8(ascii: "f")
        case .appMetadata, .userMetadata: return first == UInt8(ascii: "{")
        }
    }

    /// What Go's decoder calls the type that is wanted.
    var goType: String {
        switch self {
        case .methods: "[]models.AMREntry"
        case .isAnonymous: "bool"
        case .appMetadata, .userMetadata: "map[string]interface {}"
        default: "string"
        }
    }
}
