internal import Bytes
public import JSON

/// Makes signed tokens (RFC 7519) with one key; the header is worked out once. Safe from any thread.
public struct JWTSigner: Sendable {
    /// The key that signs.
    public let key: SigningKey
    /// The header in base64url with the point after it.
    private let header: [UInt8]

    /// Prepares the header `{"alg":…,"kid":…,"typ":"JWT"}`; `kid` only if the key has one.
    public init(_ key: SigningKey) {
        self.key = key
        header = Self.header(key.algorithm, key.id) + [UInt8(ascii: ".")]
    }

    /// The header of a key's tokens in base64url.
    static func header(_ algorithm: JWTAlgorithm, _ id: String?) -> [UInt8] {
        var writer = JSONWriter(capacity: 96)
        writer.beginObject()
        writer.field("alg", algorithm.rawValue)
        writer.field("kid", ifPresent: id)
        writer.field("typ", "JWT")
        writer.endObject()
        var encoded: [UInt8] = []
        Base64.append(writer.bytes.span, .url, padded: false, to: &encoded)
        return encoded
    }

    /// The token for these claims, which must be one JSON object.
    /// - Throws: `.operationFailed` if the library cannot sign.
    public func sign(claims: [UInt8]) throws(CryptoError) -> String {
        var token = header
        token.reserveCapacity(header.count + claims.count / 3 * 4 + 360)
        Base64.append(claims.span, .url, padded: false, to: &token)
        let signature = try key.sign(token)
        token.append(UInt8(ascii: "."))
        Base64.append(signature.span, .url, padded: false, to: &token)
        return String(decoding: token, as: UTF8.self)
    }

    /// The token for these claims.
    public func sign(_ claims: JSONObject) throws(CryptoError) -> String {
        try sign(claims: JSONValue.object(claims).compact)
    }
}
