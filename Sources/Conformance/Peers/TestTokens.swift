import Bytes
import Crypto
import JSON

/// JSON web tokens as the cases make and take them apart. Nothing here is checked but what a case asks to be checked.
enum TestTokens {
    struct Failure: Error {
        let text: String
    }

    /// A token signed with HMAC-SHA-256; members of `header` come over the usual ones.
    static func hs256(_ claims: JSONObject, secret: String, header: JSONObject = [:]) throws(Failure) -> String {
        let head = header.members.reduce(into: ["alg": "HS256", "typ": "JWT"] as JSONObject) { $0[$1.key] = $1.value }
        do {
            let mac = try HMAC(HMACKey(text: secret))
            return try signed(head, claims) { (try? mac.tag($0)) }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(text: "no HMAC: \(error)")
        }
    }

    /// A token signed with a private key; members of `header` come over the usual ones.
    static func signed(
        _ claims: JSONObject, with key: SigningKey, id: JSONValue, header: JSONObject = [:]
    ) throws(Failure) -> String {
        let usual: JSONObject = ["alg": .string(key.algorithm.rawValue), "typ": "JWT", "kid": id]
        let head = header.members.reduce(into: usual) { $0[$1.key] = $1.value }
        return try signed(head, claims) { (try? key.sign($0)) }
    }

    private static func signed(
        _ header: JSONObject, _ claims: JSONObject, _ sign: ([UInt8]) -> [UInt8]?
    ) throws(Failure) -> String {
        func part(_ object: JSONObject) -> String {
            Base64.encodeURL(Array(ValueText.spacedJSON(.object(object)).utf8))
        }
        let text = part(header) + "." + part(claims)
        guard let signature = sign(Array(text.utf8)) else { throw Failure(text: "the token cannot be signed") }
        return text + "." + Base64.encodeURL(signature)
    }

    /// Header and claims of a token, unverified; nil if it is none.
    static func parts(_ text: String) -> (header: JSONObject, claims: JSONObject)? {
        let parts = ExactText.split(text, at: ".")
        guard parts.count == 3, let header = object(parts[0]), let claims = object(parts[1]), header["alg"] != nil
        else {
            return nil
        }
        return (header, claims)
    }

    private static func object(_ part: String) -> JSONObject? {
        guard let bytes = Base64.decode(part, .url, padding: .optional) else { return nil }
        return (try? JSONValue.parse(bytes, limits: JSONLimits(depth: 512, bytes: 1 << 24)))?.object
    }

    /// Whether the key with the token's `kid` verifies it; no claim is looked at.
    static func isValid(_ token: String, keys: [JSONValue]) throws(Failure) -> Bool {
        guard let (header, _) = parts(token) else { throw Failure(text: "the token is none") }
        let algorithm = header["alg"]
        let fitting = keys.first { $0["kid"] == header["kid"] && ($0["alg"] ?? algorithm) == algorithm }
        guard let object = fitting?.object else { return false }
        let halves = ExactText.split(token, at: ".")
        guard let signature = Base64.decode(halves[2], .url, padding: .optional) else { return false }
        do {
            var key = object
            if key["alg"] == nil { key["alg"] = algorithm }
            return try VerificationKey(JWK(key)).isValid(signature, for: Array((halves[0] + "." + halves[1]).utf8))
        } catch {
            throw Failure(text: "the key cannot be used: \(error)")
        }
    }

    // MARK: Codes of second factors

    /// The six digits of a time-based code. Source: RFC 6238, with SHA-1 and 30 seconds.
    static func totp(secret: String, unixSeconds: Int64) -> String? {
        guard let key = base32(secret) else { return nil }
        let counter = UInt64(bitPattern: unixSeconds / 30)
        let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> UInt64(56 - 8 * $0)) }
        let tag = hmacSHA1(key, message)
        let offset = Int(tag[19] & 15)
        let number = tag[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    private static func base32(_ text: String) -> [UInt8]? {
        var out: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.uppercased().utf8 where byte != UInt8(ascii: "=") {
            let value: UInt8
            switch byte {
            case 0x41...0x5A: value = byte - 0x41
            case 0x32...0x37: value = byte - 0x32 + 26
            default: return nil
            }
            bits = bits << 5 | UInt32(value)
            count += 5
            if count >= 8 {
                count -= 8
                out.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= (1 << UInt32(count)) - 1
            }
        }
        return out
    }

    /// HMAC over SHA-1, which only these codes still use. Source: RFC 2104.
    private static func hmacSHA1(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let short = key.count > 64 ? SHA.sha1(key) : key
        let block = short + [UInt8](repeating: 0, count: 64 - short.count)
        return SHA.sha1(block.map { $0 ^ 0x5C } + SHA.sha1(block.map { $0 ^ 0x36 } + message))
    }
}
