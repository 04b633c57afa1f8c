import Bytes
import Crypto
import JSON
import Testing

@Suite("JSON Web Keys")
struct JWKTests {
    @Test("a generated key comes back from its JSON, and its public half hides the secret")
    func roundTrip() throws {
        let random = SeededRandom(7)
        let keys = [
            JWK.generateSecret(id: "s", from: random), try .generateP256(id: "e", from: random),
            try .generateEd25519(id: "d", from: random), try .generateRSA(id: "r"),
        ]
        for key in keys {
            #expect(try JWK(key.object) == key)
            #expect(key.isPrivate)
            _ = try SigningKey(key)
            guard let open = key.publicKey else {
                #expect(key.algorithm == .hs256)
                continue
            }
            #expect(!open.isPrivate)
            #expect(open.object["d"] == nil)
            #expect(open.object["p"] == nil)
            #expect(open.use == "sig")
            #expect(open.operations == ["verify"])
            #expect(throws: CryptoError.self) { try SigningKey(open) }
            #expect(!String(reflecting: key).contains(key.object["d"]?.string ?? "-"))
        }
        let set = JWKSet(keys)
        #expect(try JWKSet(parsing: set.json.description) == set)
        #expect(set.publicKeys.keys.map(\.id) == ["e", "d", "r"])
        #expect(JWKSet([]).json.description == #"{"keys":[]}"#)
    }

    @Test("a key's successor signs, and those before verify without their private half")
    func succession() throws {
        let random = SeededRandom(9)
        let secret = JWK.generateSecret(id: "s", from: random)
        let first = JWKSet([secret]).succeeded(by: try .generateP256(id: "a", from: random))
        let second = first.succeeded(by: try .generateEd25519(id: "b", from: random))
        let read = try JWKSet(parsing: second.array.description)
        #expect(read == second)
        #expect(read.keys.map(\.id) == ["b", "a", "s"])
        #expect(try read.signingKey().id == "b")
        #expect(read.keys.map(\.isPrivate) == [true, false, true])
        #expect(read.keys.dropFirst().allSatisfy { $0.operations == ["verify"] })
        #expect(JWKSet([]).array.description == "[]")
    }

    @Test("the published form has its members in the order of their names")
    func published() throws {
        let key = try #require(try JWK(parsing: TestKeys.esJWK).publicKey)
        let text = JSONText(JWK(key.material, id: "ec", use: "sig", operations: ["verify"]).object).description
        #expect(
            text == #"{"alg":"ES256","crv":"P-256","key_ops":["verify"],"kid":"ec","kty":"EC","use":"sig","#
                + #""x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
                + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#)
    }

    @Test(
        "what is no usable key is refused",
        arguments: [
            "", "[]", "{}", #"{"kty":"oct"}"#, #"{"kty":"oct","k":""}"#, #"{"kty":"oct","k":"a b"}"#,
            #"{"kty":"oct","k":5}"#, #"{"kty":5,"k":"AAAA"}"#, #"{"kty":"oct","k":"AAAA","alg":"ES256"}"#,
            #"{"kty":"oct","k":"AAAA","alg":"A256GCM"}"#, #"{"kty":"oct","k":"AAAA","key_ops":[1]}"#,
            #"{"kty":"EC","crv":"P-256","x":"AA"}"#, #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"AA"}"#, #"{"kty":"OKP","crv":"Ed25519","x":"AA"}"#,
            #"{"kty":"RSA","n":"AQAB"}"#, #"{"kty":"RSA","n":"AQAB","e":"AQAB","d":"AQAB"}"#,
        ])
    func refused(_ text: String) {
        #expect(throws: JWKError.self) { try JWK(parsing: text) }
    }

    @Test("parts that do not make a key are refused when the key is made")
    func inconsistent() throws {
        let offCurve = #"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}"#
        #expect(throws: CryptoError.self) { try VerificationKey(JWK(parsing: offCurve)) }
        let short = #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#
        #expect(throws: CryptoError.self) { try VerificationKey(JWK(parsing: short)) }
        guard case .ec(let curve, let x, let y, _) = try JWK(parsing: TestKeys.esJWK).material else { return }
        let mixed = JWK(.ec(curve, x: x, y: y, secret: HMACKey([1, 2, 3])))
        #expect(throws: CryptoError.self) { try SigningKey(mixed) }
        guard case .ed25519(let open, _) = try JWK(parsing: TestKeys.edJWK).material else { return }
        #expect(throws: CryptoError.self) {
            try SigningKey(JWK(.ed25519(x: open, secret: HMACKey([UInt8](repeating: 3, count: 32)))))
        }
    }

    @Test("of a foreign set the keys of unknown kinds are left out, of one's own they are an error")
    func sets() throws {
        let text = #"{"keys":[{"kty":"XYZ"},\#(TestKeys.edJWK),5]}"#
        #expect(try JWKSet(tolerating: Array(text.utf8)).keys.count == 1)
        #expect(throws: JWKError.self) { try JWKSet(parsing: text) }
        #expect(throws: JWKError.self) { try JWKSet(tolerating: Array("{}".utf8)) }
        #expect(throws: JWKError.self) { try JWKSet(parsing: "") }
        #expect(try JWKSet(parsing: "[\(TestKeys.hsJWK)]").keys.first?.algorithm == .hs256)
    }

    @Test("exactly one key of a set signs, and no two go by one name")
    func signingKey() throws {
        let random = SeededRandom(9)
        var signing = try JWK.generateP256(id: "new", from: random)
        signing.operations = ["sign", "verify"]
        var old = try JWK.generateEd25519(id: "old", from: random)
        old.operations = ["verify"]
        var nameless = try JWK.generateEd25519(from: random)
        nameless.operations = []
        #expect(try JWKSet([old, signing, nameless]).signingKey() == signing)
        func complaint(_ keys: [JWK]) -> String {
            do {
                _ = try JWKSet(keys).signingKey()
                return ""
            } catch {
                return error.description
            }
        }
        #expect(complaint([]) == "no signing key detected")
        #expect(complaint([old, nameless]) == "no signing key detected")
        var second = signing
        second.id = "second"
        #expect(complaint([signing, second]) == "multiple signing keys detected, only 1 signing key is supported")
        #expect(complaint([signing, signing]) == "two keys have the kid \"new\"")
        #expect(complaint([signing, nameless, nameless]) == "two keys have no kid")
    }

    @Test("key generation takes its numbers from the source it is given")
    func deterministic() throws {
        #expect(try JWK.generateP256(from: SeededRandom(5)) == JWK.generateP256(from: SeededRandom(5)))
        #expect(try JWK.generateP256(from: SeededRandom(5)) != JWK.generateP256(from: SeededRandom(6)))
        #expect(try JWK.generateEd25519(from: SeededRandom(5)) == JWK.generateEd25519(from: SeededRandom(5)))
    }
}
