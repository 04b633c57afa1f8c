import Backend
import Bytes
public import Crypto
public import JSON

/// Signs access tokens and checks those that come back. Source: supabase-core.md 6.2 to 6.4.
public struct AccessTokenKeys: Sendable {
    private let signer: JWTSigner
    private let verifier: JWTVerifier
    /// The public keys, `{"keys":[…]}`; shared secrets are never in it. Source: supabase-core.md 10.16.
    public let publicKeySet: JSONText

    /// - Parameter publicKeySet: what is published of the verifier's keys.
    public init(signer: JWTSigner, verifier: JWTVerifier, publicKeySet: JSONText) {
        self.signer = signer
        self.verifier = verifier
        self.publicKeySet = publicKeySet
    }

    /// HS256 with one secret, which is published nowhere.
    /// - Throws: when the library cannot use the secret.
    public init(secret: String, keyID: String? = nil) throws(CryptoError) {
        let key = try SigningKey(secret: secret, id: keyID)
        self.init(
            signer: JWTSigner(key),
            verifier: JWTVerifier(
                keys: [], secret: try VerificationKey(secret: secret, id: keyID), secretKeyID: keyID,
                bytesMax: Self.tokenBytesMax),
            publicKeySet: JWKSet([]).json)
    }

    /// Bytes of the longest token that is read: room for the metadata that a token carries.
    public static let tokenBytesMax = 64 * 1024

    func sign(_ claims: [UInt8]) throws(AuthError) -> RawToken {
        do {
            return RawToken(try signer.sign(claims: claims))
        } catch {
            throw AuthError(.unexpected, detail: "an access token could not be signed")
        }
    }

    /// - Throws: `tokenInvalid` with the reference's words.
    func verify(_ token: RawToken, _ now: Timestamp) throws(AuthError) -> AccessTokenClaims {
        do {
            return AccessTokenClaims(try verifier.verify(token.exposed, now: now))
        } catch {
            throw AuthError(.tokenInvalid, error.description)
        }
    }
}
