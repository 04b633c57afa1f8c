/// A key that tokens are checked with: a shared secret, or the public half of a pair.
///
/// Safe from any thread. A shared secret holds a lock around its context: ``copy()`` gives each loop its own.
public struct VerificationKey: Sendable, CustomStringConvertible {
    /// The name that tokens call it by.
    public let id: String?
    /// The one algorithm that it is used with.
    public let algorithm: JWTAlgorithm
    private let base: Base
    private let material: JWK.Material

    private enum Base: Sendable {
        case secret(HMAC)
        case pair(PublicKey)
    }

    /// Makes the key that a JWK describes; a private one gives its public half.
    /// - Throws: `.invalidKey` if its parts do not make a key.
    public init(_ jwk: JWK) throws(CryptoError) {
        guard JWK.fits(jwk.algorithm, jwk.material) else {
            throw CryptoError(.invalidKey, "\(jwk.algorithm.rawValue) does not fit this kind of key")
        }
        id = jwk.id
        algorithm = jwk.algorithm
        material = (jwk.publicKey ?? jwk).material
        if case .secret(let key) = material, let hash = algorithm.hash {
            base = .secret(try HMAC(key, hash))
        } else {
            base = .pair(try PublicKey(material))
        }
    }

    /// Makes an HS256 key of a secret text, as `GOTRUE_JWT_SECRET` is used.
    public init(secret: String, id: String? = nil) throws(CryptoError) {
        try self.init(JWK(.secret(HMACKey(text: secret)), id: id))
    }

    /// The same key with a context of its own.
    public func copy() throws(CryptoError) -> VerificationKey {
        try VerificationKey(JWK(material, id: id, algorithm: algorithm))
    }

    /// Whether the signature is this key's for the message.
    public func isValid(_ signature: [UInt8], for message: Span<UInt8>) -> Bool {
        switch base {
        case .secret(let hmac): hmac.isValid(signature.span, for: message)
        case .pair(let key): key.isValid(signature, for: message, algorithm)
        }
    }

    /// Whether the signature is this key's for the message.
    public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        isValid(signature, for: message.span)
    }

    public var description: String { "VerificationKey(\(algorithm.rawValue), kid: \(id ?? "none"))" }
}
