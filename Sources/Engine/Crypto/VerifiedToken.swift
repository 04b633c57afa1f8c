public import Bytes
public import JSON

/// A token whose signature and times were found good. Only a ``JWTVerifier`` makes one.
public struct VerifiedToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The algorithm in its header.
    public let algorithm: JWTAlgorithm
    /// The `kid` in its header.
    public let keyID: String?
    /// The claims as the JSON text that was signed.
    public let claims: [UInt8]
    private let found: JSONScanner.Found

    init(algorithm: JWTAlgorithm, keyID: String?, claims: [UInt8], found: JSONScanner.Found) {
        self.algorithm = algorithm
        self.keyID = keyID
        self.claims = claims
        self.found = found
    }

    /// Whether the claim is there and not null.
    public func has(_ claim: JWTClaim) -> Bool {
        guard let range = found[claim.rawValue] else { return false }
        return claims[range.lowerBound] != UInt8(ascii: "n")
    }

    /// A claim's text; nil if it is missing, null or no string.
    public func string(_ claim: JWTClaim) -> String? {
        JSONScanner.string(found[claim.rawValue], in: claims.span)
    }

    /// A claim as a UUID; nil if it is missing or none.
    public func uuid(_ claim: JWTClaim) -> UUID? {
        JSONScanner.uuid(found[claim.rawValue], in: claims.span)
    }

    /// A claim as a whole number; nil if it is missing, null or no number.
    public func int64(_ claim: JWTClaim) -> Int64? {
        JSONScanner.int64(found[claim.rawValue], in: claims.span)
    }

    /// A claim as a truth value; nil if it is missing or none.
    public func bool(_ claim: JWTClaim) -> Bool? {
        guard let range = found[claim.rawValue] else { return nil }
        switch claims[range.lowerBound] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: return nil
        }
    }

    /// A claim's JSON text; nil if it is missing.
    public func bytes(_ claim: JWTClaim) -> ArraySlice<UInt8>? {
        found[claim.rawValue].map { claims[$0] }
    }

    /// Whom the token is for: `aud` as one text or several.
    public var audience: [String] {
        guard let range = found[JWTClaim.audience.rawValue] else { return [] }
        if let single = JSONScanner.string(range, in: claims.span) { return [single] }
        let list = (try? JSONValue.parse(Array(claims[range])))?.array ?? []
        return list.compactMap(\.string)
    }

    /// Every claim as a tree; for what is not looked up on each request.
    public var object: JSONObject {
        (try? JSONValue.parse(claims))?.object ?? JSONObject()
    }

    public var description: String { "VerifiedToken(redacted)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
