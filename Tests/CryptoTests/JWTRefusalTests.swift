import Bytes
import Crypto
import JSON
import Testing

/// A token that is refused, and the words that reach the client.
struct Refusal: Sendable, CustomTestStringConvertible {
    let name: String
    let token: String
    let message: String

    var testDescription: String { name }

    private static func encode(_ text: String) -> String { Base64.encodeURL(Array(text.utf8)) }

    private static let header = encode(#"{"alg":"HS256","typ":"JWT"}"#)
    private static let segments = "token is malformed: token contains an invalid number of segments"

    /// Signed rightly, whatever the parts hold.
    private static func signed(_ header: String, _ claims: String) -> String {
        let message = encode(header) + "." + encode(claims)
        let tag = (try? SigningKey(secret: "secret").sign(Array(message.utf8))) ?? []
        return message + "." + Base64.encodeURL(tag)
    }

    private static func claims(_ text: String, _ tail: String) -> Refusal {
        Refusal(
            name: text, token: signed(#"{"alg":"HS256"}"#, text),
            message: "token is malformed: could not JSON decode claim: " + tail)
    }

    static let all: [Refusal] = [
        Refusal(name: "empty", token: "", message: segments),
        Refusal(name: "one part", token: "abc", message: segments),
        Refusal(name: "two parts", token: "a.b", message: segments),
        Refusal(name: "four parts", token: "a.b.c.d", message: segments),
        Refusal(name: "too long", token: String(repeating: "a", count: 16_385), message: segments),
        Refusal(
            name: "three empty parts", token: "..",
            message: "token is malformed: could not JSON decode header: unexpected end of JSON input"),
        Refusal(
            name: "a foreign character in the header", token: "a!b.c.d",
            message: "token is malformed: could not base64 decode header: illegal base64 data at input byte 1"),
        Refusal(
            name: "padding in the header", token: encode("{}") + "=.e30.x",
            message: "token is malformed: could not base64 decode header: illegal base64 data at input byte 3"),
        Refusal(
            name: "a header that is no JSON", token: encode("x") + ".e30.x",
            message:
                "token is malformed: could not JSON decode header: invalid character 'x' looking for beginning of value"
        ),
        Refusal(
            name: "a header that is a list", token: encode("[]") + ".e30.x",
            message: "token is malformed: could not JSON decode header: JSON input is not an object"),
        Refusal(
            name: "a foreign character in the claims", token: header + ".e3 0.x",
            message: "token is malformed: could not base64 decode claim: illegal base64 data at input byte 2"),
        Refusal(
            name: "a foreign character in the signature", token: header + ".e30.a+b",
            message: "token is malformed: could not base64 decode signature: illegal base64 data at input byte 1"),
        claims("[1]", "JSON input is not an object"),
        claims("{", "unexpected end of JSON input"),
        claims("{} x", "invalid character 'x' after top-level value"),
        claims(#"{"exp":"tomorrow"}"#, "could not parse NumericData: json: invalid number literal"),
        claims(#"{"sub":5}"#, "json: cannot unmarshal number into Go struct field sub of type string"),
        claims(#"{"aud":5}"#, "invalid type for claim"),
        claims(#"{"role":["a"]}"#, "json: cannot unmarshal array into Go struct field role of type string"),
        claims(
            #"{"user_metadata":"x"}"#,
            "json: cannot unmarshal string into Go struct field user_metadata of type map[string]interface {}"),
        Refusal(
            name: "no algorithm", token: signed("{}", "{}"),
            message: "token is unverifiable: signing method (alg) is unspecified"),
        Refusal(
            name: "an algorithm that is a number", token: signed(#"{"alg":1}"#, "{}"),
            message: "token is unverifiable: signing method (alg) is unspecified"),
        Refusal(
            name: "an unknown algorithm", token: signed(#"{"alg":"hs256"}"#, "{}"),
            message: "token is unverifiable: signing method (alg) is unavailable"),
        Refusal(
            name: "none", token: encode(#"{"alg":"none"}"#) + ".e30.",
            message: "token signature is invalid: signing method none is invalid"),
        Refusal(
            name: "HS512", token: signed(#"{"alg":"HS512"}"#, "{}"),
            message: "token signature is invalid: signing method HS512 is invalid"),
        Refusal(
            name: "two algorithms, the last is none", token: signed(#"{"alg":"HS256","alg":"none"}"#, "{}"),
            message: "token signature is invalid: signing method none is invalid"),
        Refusal(
            name: "extensions that must be understood", token: signed(#"{"alg":"HS256","crit":["x"]}"#, "{}"),
            message: "token is malformed: could not JSON decode header: crit is not supported"),
        Refusal(
            name: "no signature", token: header + ".e30.",
            message: "token signature is invalid: signature is invalid"),
        Refusal(
            name: "a wrong signature", token: signed(#"{"alg":"HS256"}"#, "{}").dropLast(8) + "AAAAAAAA",
            message: "token signature is invalid: signature is invalid"),
    ]
}

@Suite("Refused tokens")
struct JWTRefusalTests {
    private func verifier() throws -> JWTVerifier {
        JWTVerifier(keys: [], secret: try VerificationKey(secret: "secret"))
    }

    @Test("each fault has golang-jwt's words", arguments: Refusal.all)
    func words(_ refusal: Refusal) throws {
        let verifier = try verifier()
        let error = #expect(throws: JWTError.self) { try verifier.verify(refusal.token, now: .epoch) }
        #expect(error?.description == refusal.message)
    }

    @Test("another text for the same signature is refused")
    func malleability() throws {
        let verifier = try verifier()
        let token = Array(try JWTSigner(SigningKey(secret: "secret")).sign(JSONObject()).utf8)
        _ = try verifier.verify(token, now: .epoch)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.".utf8)
        for character in alphabet where character != token[token.count - 1] {
            #expect(throws: JWTError.self) { try verifier.verify(token.dropLast() + [character], now: .epoch) }
        }
    }

    @Test("no single changed, lost or added byte is accepted")
    func everyByte() throws {
        let verifier = try verifier()
        let token = Array(try JWTSigner(SigningKey(secret: "secret")).sign(["sub": "x"]).utf8)
        for index in token.indices {
            var changed = token
            changed[index] ^= 1
            #expect(throws: JWTError.self) { try verifier.verify(changed, now: .epoch) }
            var lost = token
            lost.remove(at: index)
            #expect(throws: JWTError.self) { try verifier.verify(lost, now: .epoch) }
            #expect(throws: JWTError.self) { try verifier.verify(Array(token[..<index]), now: .epoch) }
        }
    }

    @Test("random bytes never verify and never crash", arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) throws {
        let verifier = try verifier()
        let random = SeededRandom(seed)
        let alphabet = Array("eyJhbGciOiJIUzI1NiJ9.{}[]\"\\-_=A0\u{E9}".utf8)
        for _ in 0..<2000 {
            let bytes = random.fill(Int(random.next() % 120)).map { alphabet[Int($0) % alphabet.count] }
            #expect(throws: JWTError.self, "seed \(seed)") { try verifier.verify(bytes, now: .epoch) }
        }
    }
}
