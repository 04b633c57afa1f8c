/// Why a token is refused; the description is golang-jwt's wording, which reaches Supabase clients.
///
/// Source: supabase-core spec, 6.4.
public enum JWTError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Longer than the verifier reads; said as golang-jwt says of any token it cannot split.
    case tooLong
    /// Not three parts.
    case segments
    /// A part that is no base64url; the offset within the part.
    case base64(JWTPart, offset: Int)
    /// A header or claims that are no JSON object, or a known member of the wrong type.
    case json(JWTPart, detail: String)
    /// The header names no algorithm.
    case algorithmMissing
    /// The header names an algorithm that does not exist.
    case algorithmUnknown
    /// The header names an algorithm that this verifier does not take.
    case algorithmRefused(String)
    /// There is no key for this token.
    case unknownKey(id: String?, algorithm: String)
    /// The signature is not the key's, or the key is not the algorithm's.
    case signature(detail: String)
    /// `exp` has passed.
    case expired
    /// `nbf` is to come.
    case notYetValid

    /// A part of a token.
    public enum JWTPart: String, Sendable {
        case header
        case claim
        case signature
    }

    /// Golang-jwt's words.
    public var description: String {
        switch self {
        case .tooLong, .segments: "token is malformed: token contains an invalid number of segments"
        case .base64(let part, let offset):
            "token is malformed: could not base64 decode \(part.rawValue): illegal base64 data at input byte \(offset)"
        case .json(let part, let detail): "token is malformed: could not JSON decode \(part.rawValue): \(detail)"
        case .algorithmMissing: "token is unverifiable: signing method (alg) is unspecified"
        case .algorithmUnknown: "token is unverifiable: signing method (alg) is unavailable"
        case .algorithmRefused(let name): "token signature is invalid: signing method \(name) is invalid"
        case .unknownKey(let id, let algorithm):
            "token is unverifiable: error while executing keyfunc: unrecognized JWT kid \(id ?? "<nil>")"
                + " for algorithm \(algorithm)"
        case .signature(let detail): "token signature is invalid: \(detail)"
        case .expired: "token has invalid claims: token is expired"
        case .notYetValid: "token has invalid claims: token is not valid yet"
        }
    }
}
