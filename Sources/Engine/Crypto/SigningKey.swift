internal import Bytes

/// A key that tokens are signed with. Safe from any thread; a shared secret holds a lock around its context.
public struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The name that goes into the header of tokens.
    public let id: String?
    /// The one algorithm that it is used with.
    public let algorithm: JWTAlgorithm
    private let base: Base

    private enum Base: Sendable {
        case secret(HMAC)
        case pair(PublicKey)
    }

    /// Makes the key that a private JWK describes, and tries it: halves that do not match are refused.
    /// - Throws: `.invalidKey` if its parts do not make a private key.
    public init(_ jwk: JWK) throws(CryptoError) {
        guard jwk.isPrivate else { throw CryptoError(.invalidKey, "a public key cannot sign") }
        guard JWK.fits(jwk.algorithm, jwk.material) else {
            throw CryptoError(.invalidKey, "\(jwk.algorithm.rawValue) does not fit this kind of key")
        }
        id = jwk.id
        algorithm = jwk.algorithm
        if case .secret(let key) = jwk.material, let hash = algorithm.hash {
            base = .secret(try HMAC(key, hash))
            return
        }
        base = .pair(try PublicKey(jwk.material))
        let probe = Array("probe".utf8)
        guard try VerificationKey(jwk).isValid(sign(probe), for: probe.span) else {
            throw CryptoError(.invalidKey, "the private and public halves do not belong together")
        }
    }

    /// Makes an HS256 key of a secret text, as `GOTRUE_JWT_SECRET` is used.
    public init(secret: String, id: String? = nil) throws(CryptoError) {
        try self.init(JWK(.secret(HMACKey(text: secret)), id: id))
    }

    /// The signature of a message in the form JWTs carry.
    public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        switch base {
        case .secret(let hmac): try hmac.tag(message)
        case .pair(let key): try key.sign(message, algorithm)
        }
    }

    public var description: String { "SigningKey(\(algorithm.rawValue), kid: \(id ?? "none"), redacted)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
