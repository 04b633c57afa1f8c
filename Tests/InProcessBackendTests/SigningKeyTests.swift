import Backend
import Bytes
import Crypto
import JSON
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Signing keys of access tokens")
struct SigningKeyTests {
    /// Keys as `GOTRUE_JWT_KEYS` holds them: the first signs, the others only verify.
    private static func keys(_ set: [JWK], withSecret: Bool = true) throws -> AccessTokenKeys {
        let signing = try JWKSet(set).signingKey()
        var verifying: [VerificationKey] = []
        for key in set { verifying.append(try VerificationKey(key)) }
        return AccessTokenKeys(
            signer: JWTSigner(try SigningKey(signing)),
            verifier: JWTVerifier(
                keys: verifying, secret: withSecret ? try VerificationKey(secret: TestWorld.secret) : nil),
            publicKeySet: JWKSet(set).publicKeys.json)
    }

    private static func key(_ algorithm: JWTAlgorithm, _ id: String, signs: Bool) throws -> JWK {
        let random = SystemRandom()
        var key: JWK
        switch algorithm {
        case .es256: key = try .generateP256(id: id, from: random)
        case .edDSA: key = try .generateEd25519(id: id, from: random)
        case .rs256: key = try .generateRSA(id: id)
        default: key = .generateSecret(id: id, from: random)
        }
        key.operations = signs ? ["sign", "verify"] : ["verify"]
        return key
    }

    @Test(
        "tokens are signed by the key that signs, named in their header, and come back good",
        arguments: [JWTAlgorithm.es256, .edDSA, .rs256, .hs256])
    func signing(algorithm: JWTAlgorithm) async throws {
        let key = try Self.key(algorithm, "current", signs: true)
        try await inWorld(tokens: Self.keys([key])) { world in
            let user = try await world.account()
            let session = try await world.signIn()
            let header = session.accessToken.exposed.split(separator: ".")[0]
            let bytes = try #require(Base64.decode(String(header), .url, padding: .forbidden))
            let members = try JSONValue.parse(bytes)
            #expect(members["alg"]?.string == algorithm.rawValue)
            #expect(members["kid"]?.string == "current")
            #expect(members["typ"]?.string == "JWT")
            #expect(try await world.authenticate(session.accessToken).userID == user.id)
            // What is published verifies it, and holds no secret.
            let published = try JWKSet(parsing: try await world.backend.publicKeys(TestWorld.visitor).description)
            #expect(published.keys.allSatisfy { !$0.isPrivate && $0.use == "sig" })
            guard algorithm != .hs256 else {
                #expect(published.keys.isEmpty)
                return
            }
            let outside = try JWTVerifier(keys: published.keys.map { try VerificationKey($0) })
            #expect(try outside.verify(session.accessToken.exposed, now: world.clock.now()).keyID == "current")
        }
    }

    @Test("after a rotation tokens of the old key are good while it is in the set, and no longer")
    func rotation() async throws {
        let old = try Self.key(.es256, "old", signs: true)
        let new = try Self.key(.edDSA, "new", signs: true)
        var retired = old
        retired.operations = ["verify"]
        let now = ManualClock().now()
        let token = try Self.keys([old]).sign(Array(#"{"sub":"x","exp":4102444800}"#.utf8))
        #expect(try Self.keys([new, retired]).verify(token, now).subject == "x")
        #expect(try Self.keys([retired, new]).verify(token, now).subject == "x")
        #expect {
            try Self.keys([new]).verify(token, now)
        } throws: {
            ($0 as? AuthError)?.arguments == ["token signature is invalid: signing method ES256 is invalid"]
        }
        let third = try Self.key(.es256, "third", signs: false)
        #expect {
            try Self.keys([new, third]).verify(token, now)
        } throws: {
            ($0 as? AuthError)?.arguments == [
                "token is unverifiable: error while executing keyfunc: unrecognized JWT kid old for algorithm ES256"
            ]
        }
    }

    @Test("tokens of the shared secret are good only while some key of the set is an HS256 key")
    func sharedSecret() async throws {
        let token = RawToken(
            try JWTSigner(SigningKey(secret: TestWorld.secret)).sign(["sub": "x", "exp": 4_102_444_800]))
        let now = ManualClock().now()
        let signing = try Self.key(.rs256, "a", signs: true)
        #expect(throws: AuthError.self) { try Self.keys([signing]).verify(token, now) }
        let shared = try Self.key(.hs256, "b", signs: false)
        #expect(try Self.keys([signing, shared]).verify(token, now).subject == "x")
    }

    @Test("a public key is no secret: a token signed with it as one is refused")
    func confusion() async throws {
        let key = try Self.key(.rs256, "a", signs: true)
        let published = try #require(key.publicKey)
        guard case .rsa(let numbers) = published.material else { return }
        for secret in [numbers.modulus, Array(JSONText(published.object).bytes)] {
            let forged = JWK(.secret(HMACKey(secret)), id: "a")
            let token = RawToken(try JWTSigner(SigningKey(forged)).sign(["sub": "x", "exp": 4_102_444_800]))
            let shared = try Self.key(.hs256, "b", signs: false)
            #expect(throws: AuthError.self) { try Self.keys([key, shared]).verify(token, ManualClock().now()) }
        }
    }
}
