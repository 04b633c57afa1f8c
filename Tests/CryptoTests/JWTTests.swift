import Bytes
import Crypto
import JSON
import Testing

@Suite("Tokens")
struct JWTTests {
    @Test(
        "the tokens of RFC 7515 appendix A verify",
        arguments: [
            (TestKeys.hsJWK, TestKeys.hsToken), (TestKeys.rsJWK, TestKeys.rsToken), (TestKeys.esJWK, TestKeys.esToken),
        ])
    func rfcTokens(jwk: String, token: String) throws {
        let key = try VerificationKey(try JWK(parsing: jwk))
        let verifier = JWTVerifier(keys: [], secret: key)
        if key.algorithm == .hs256 {
            let verified = try verifier.verify(token, now: TestKeys.then)
            #expect(verified.string(.issuer) == "joe")
            #expect(verified.int64(.expiration) == 1_300_819_380)
            #expect(verified.object["http://example.com/is_root"] == true)
        } else {
            // A token without kid needs a secret; a key that is not HS256 is found by its name alone.
            #expect(throws: JWTError.unknownKey(id: nil, algorithm: key.algorithm.rawValue)) {
                try JWTVerifier(keys: [key]).verify(token, now: TestKeys.then)
            }
        }
        let parts = token.split(separator: ".")
        let signature = try #require(Base64.decode(String(parts[2]), .url, padding: .forbidden))
        let message = Array((parts[0] + "." + parts[1]).utf8)
        #expect(key.isValid(signature, for: message))
        for place in stride(from: 0, to: signature.count, by: 7) {
            var wrong = signature
            wrong[place] ^= 0x10
            #expect(!key.isValid(wrong, for: message))
        }
        #expect(!key.isValid(signature + [0], for: message))
        #expect(!key.isValid([], for: message))
    }

    @Test("the Ed25519 signature of RFC 8037 appendix A.4 is made and verifies")
    func ed25519() throws {
        let jwk = try JWK(parsing: TestKeys.edJWK)
        let message = Array(TestKeys.edMessage.utf8)
        #expect(Base64.encodeURL(try SigningKey(jwk).sign(message)) == TestKeys.edSignature)
        let signature = try #require(Base64.decode(TestKeys.edSignature, .url, padding: .forbidden))
        let key = try VerificationKey(try #require(jwk.publicKey))
        #expect(key.isValid(signature, for: message))
        #expect(!key.isValid(signature, for: Array("other".utf8)))
    }

    @Test("what each algorithm signs, it verifies, and nothing else does", arguments: JWTAlgorithm.allCases)
    func roundTrip(_ algorithm: JWTAlgorithm) throws {
        let jwk = try Self.key(for: algorithm)
        let signer = JWTSigner(try SigningKey(jwk))
        let verifier = try JWTVerifier(keys: [VerificationKey(jwk)]).copy()
        for length in [0, 1, 2, 3, 600] {
            var claims = JSONObject()
            claims["sub"] = .string(String(repeating: "é", count: length))
            claims["exp"] = 2_000_000_000
            let token = try signer.sign(claims)
            let verified = try verifier.verify(token, now: TestKeys.then)
            #expect(verified.algorithm == algorithm)
            #expect(verified.keyID == "k-1")
            #expect(verified.object == claims)
            var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            parts[1] = Base64.encodeURL(Array("{\"sub\":\"other\"}".utf8))
            #expect(throws: JWTError.self) {
                try verifier.verify(parts.joined(separator: "."), now: TestKeys.then)
            }
        }
        let other = try JWTVerifier(keys: [VerificationKey(Self.key(for: algorithm, seed: 2))])
        #expect(throws: JWTError.self) { try other.verify(signer.sign(JSONObject()), now: TestKeys.then) }
    }

    @Test("an HMAC made with a published key is refused")
    func keyConfusion() throws {
        let jwk = try JWK.generateP256(id: "es", from: SeededRandom(1))
        let published = try #require(jwk.publicKey)
        guard case .ec(_, let x, _, _) = published.material else { return }
        let forged = JWTSigner(try SigningKey(JWK(.secret(HMACKey(x)), id: "es")))
        let secret = try VerificationKey(secret: "a-secret")
        let verifier = try JWTVerifier(keys: [VerificationKey(published)], secret: secret, allowed: [.es256, .hs256])
        let error = #expect(throws: JWTError.self) { try verifier.verify(forged.sign(JSONObject()), now: .epoch) }
        #expect(
            error?.description == "token signature is invalid: key is of invalid type: HMAC verify expects []byte")
    }

    @Test("keys are chosen by kid, then the secret stands in for HS256")
    func keyChoice() throws {
        let es = try JWK.generateP256(id: "es", from: SeededRandom(1))
        let secret = try VerificationKey(secret: "a-secret")
        let verifier = try JWTVerifier(
            keys: [VerificationKey(es)], secret: secret, secretKeyID: "old", allowed: [.es256, .hs256])
        func signed(_ id: String?) throws -> String {
            try JWTSigner(SigningKey(secret: "a-secret", id: id)).sign(JSONObject())
        }
        #expect(throws: Never.self) {
            _ = try verifier.verify(JWTSigner(SigningKey(es)).sign(JSONObject()), now: .epoch)
            _ = try verifier.verify(signed(nil), now: .epoch)
            _ = try verifier.verify(signed("old"), now: .epoch)
            _ = try verifier.verify(signed("any"), now: .epoch)
        }
        let strict = try JWTVerifier(keys: [VerificationKey(es)], secret: secret)
        #expect(throws: JWTError.algorithmRefused("HS256")) {
            try strict.verify(signed(nil), now: .epoch)
        }
        let renamed = JWK(es.material, id: "es-9")
        #expect(throws: JWTError.unknownKey(id: "es-9", algorithm: "ES256")) {
            try verifier.verify(JWTSigner(SigningKey(renamed)).sign(JSONObject()), now: .epoch)
        }
    }

    @Test("exp and nbf count to the second, without leeway")
    func times() throws {
        let signer = JWTSigner(try SigningKey(secret: "s"))
        let verifier = JWTVerifier(keys: [], secret: try VerificationKey(secret: "s"))
        func check(_ claims: String, _ now: Int64) throws -> VerifiedToken {
            try verifier.verify(signer.sign(claims: Array(claims.utf8)), now: Timestamp(unixSeconds: now))
        }
        #expect(throws: Never.self) { try check(#"{"exp":1000}"#, 999) }
        #expect(throws: JWTError.expired) { try check(#"{"exp":1000}"#, 1000) }
        #expect(throws: JWTError.expired) { try check(#"{"exp":1000}"#, 1001) }
        #expect(throws: JWTError.notYetValid) { try check(#"{"nbf":1000}"#, 999) }
        #expect(throws: Never.self) { try check(#"{"nbf":1000}"#, 1000) }
        #expect(throws: Never.self) { try check(#"{"exp":1000.9,"nbf":1e2}"#, 999) }
        #expect(throws: Never.self) { try check(#"{}"#, 5) }
        #expect(throws: Never.self) { try check(#"{"exp":null,"nbf":null}"#, 5) }
        #expect(throws: JWTError.expired) { try check(#"{"exp":1e999}"#, 5) }
        #expect(throws: JWTError.expired) { try check(#"{"exp":-1}"#, 5) }
        #expect(throws: JWTError.expired) { try check(#"{"exp":-99999999999999999999}"#, 5) }
        #expect(throws: JWTError.expired) { try check(#"{"exp":9,"\u0065xp":1}"#, 5) }
    }

    @Test("claims are read by name")
    func claims() throws {
        let signer = JWTSigner(try SigningKey(secret: "s"))
        let verifier = JWTVerifier(keys: [], secret: try VerificationKey(secret: "s"))
        let text =
            #"{"sub":"11111111-1111-4111-8111-111111111111","aud":["a","b"],"is_anonymous":false,"#
            + #""role":null,"app_metadata":{"sub":"x"},"email":"a\u0040b"}"#
        let token = try verifier.verify(signer.sign(claims: Array(text.utf8)), now: .epoch)
        #expect(token.uuid(.subject) == UUID("11111111-1111-4111-8111-111111111111"))
        #expect(token.audience == ["a", "b"])
        #expect(token.bool(.isAnonymous) == false)
        #expect(token.string(.role) == nil)
        #expect(!token.has(.role))
        #expect(token.has(.audience))
        #expect(token.string(.email) == "a@b")
        #expect(token.bytes(.appMetadata).map(Array.init) == Array(#"{"sub":"x"}"#.utf8))
        #expect(token.bytes(.nonce) == nil)
        #expect("\(token)" == "VerifiedToken(redacted)")
    }

    static func key(for algorithm: JWTAlgorithm, seed: UInt64 = 1) throws -> JWK {
        let random = SeededRandom(seed)
        var jwk: JWK
        switch algorithm.family {
        case .hmac: jwk = .generateSecret(from: random)
        case .rsa: jwk = try .generateRSA()
        case .ec(.p256): jwk = try .generateP256(from: random)
        case .ec(.p384): jwk = try JWK(parsing: seed == 1 ? EdgeKeys.p384 : EdgeKeys.otherP384)
        case .ec(.p521): jwk = try JWK(parsing: seed == 1 ? EdgeKeys.p521 : EdgeKeys.otherP521)
        case .ed25519: jwk = try .generateEd25519(from: random)
        }
        jwk.id = "k-1"
        jwk.algorithm = algorithm
        return jwk
    }
}
