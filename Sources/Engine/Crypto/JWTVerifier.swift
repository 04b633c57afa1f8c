public import Bytes
internal import JSON

/// Checks signed tokens (RFC 7519, compact form) against a set of keys, as strictly as golang-jwt and a little more.
///
/// Steps and their order: length, three parts, base64url, JSON and types of known claims, algorithm, key, signature,
/// `exp`, `nbf`. The algorithm must be the found key's own; `none` is never taken. Source: supabase-core spec, 6.3.
/// Safe from any thread; ``copy()`` gives each loop an instance whose locks nobody else takes.
public struct JWTVerifier: Sendable {
    /// Longer tokens are refused unread.
    public let bytesMax: Int
    private let keys: [VerificationKey]
    private let secret: VerificationKey?
    private let secretKeyID: String?
    private let allowed: Set<JWTAlgorithm>
    private let knownHeaders: [KnownHeader]

    private static let claimScanner = JSONScanner(JWTClaim.allCases.map(\.name))
    private static let headerScanner = JSONScanner(["alg", "kid", "crit"])

    /// Makes a verifier.
    /// - Parameters:
    ///   - keys: found by the `kid` of a token.
    ///   - secret: the HS256 key of tokens that name no key of `keys` (`GOTRUE_JWT_SECRET`).
    ///   - secretKeyID: the `kid` that means `secret` (`GOTRUE_JWT_KEY_ID`).
    ///   - allowed: the algorithms taken; by default those of `keys`, or of `secret` if there are none.
    ///   - bytesMax: the longest token that is read.
    public init(
        keys: [VerificationKey], secret: VerificationKey? = nil, secretKeyID: String? = nil,
        allowed: Set<JWTAlgorithm>? = nil, bytesMax: Int = 16_384
    ) {
        self.keys = keys
        self.secret = secret
        self.secretKeyID = secretKeyID
        self.bytesMax = bytesMax
        let own = Set(keys.isEmpty ? [secret].compactMap { $0?.algorithm } : keys.map(\.algorithm))
        self.allowed = allowed ?? own
        knownHeaders = ([secret].compactMap { $0 } + keys).map { KnownHeader($0) }
    }

    /// The same verifier with contexts of its own.
    public func copy() throws(CryptoError) -> JWTVerifier {
        var copies: [VerificationKey] = []
        for key in keys { copies.append(try key.copy()) }
        return JWTVerifier(
            keys: copies, secret: try secret?.copy(), secretKeyID: secretKeyID, allowed: allowed, bytesMax: bytesMax)
    }

    /// Checks a token at a point in time.
    public func verify(_ token: Span<UInt8>, now: Timestamp) throws(JWTError) -> VerifiedToken {
        let parts = try Parts(token, bytesMax: bytesMax)
        let header = try header(of: token.extracting(parts.header))
        let claims = try decode(token.extracting(parts.claims), .claim)
        let found: JSONScanner.Found
        do {
            found = try Self.claimScanner.scan(claims)
        } catch {
            throw JWTError.json(.claim, detail: error.description)
        }
        try checkTypes(found, claims)
        guard let name = header.algorithm else { throw JWTError.algorithmMissing }
        guard let algorithm = JWTAlgorithm(rawValue: name) else {
            throw name == "none" ? JWTError.algorithmRefused(name) : JWTError.algorithmUnknown
        }
        guard allowed.contains(algorithm) else { throw JWTError.algorithmRefused(name) }
        let signature = try decode(token.extracting(parts.signature), .signature)
        let key = try key(header.keyID, algorithm)
        guard key.algorithm == algorithm else { throw JWTError.signature(detail: algorithm.wrongKey) }
        guard key.isValid(signature, for: token.extracting(parts.signed)) else {
            throw JWTError.signature(detail: algorithm.mismatch)
        }
        try checkTimes(found, claims, now)
        return VerifiedToken(algorithm: algorithm, keyID: header.keyID, claims: claims, found: found)
    }

    /// Checks a token at a point in time.
    public func verify(_ token: [UInt8], now: Timestamp) throws(JWTError) -> VerifiedToken {
        try verify(token.span, now: now)
    }

    /// Checks a token at a point in time.
    public func verify(_ token: String, now: Timestamp) throws(JWTError) -> VerifiedToken {
        try verify(token.utf8.span, now: now)
    }

    private struct Header {
        var algorithm: String?
        var keyID: String?
    }

    /// The header that ``JWTSigner`` writes for a key, and its text in a token.
    private struct KnownHeader {
        let header: Header
        private let encoded: [UInt8]

        init(_ key: VerificationKey) {
            header = Header(algorithm: key.algorithm.rawValue, keyID: key.id)
            encoded = JWTSigner.header(key.algorithm, key.id)
        }

        func isEncoded(by part: Span<UInt8>) -> Bool {
            guard part.count == encoded.count else { return false }
            for index in encoded.indices where encoded[index] != part[index] { return false }
            return true
        }
    }

    private func header(of part: Span<UInt8>) throws(JWTError) -> Header {
        // Nearly every token begins with a header that a signer of this program has written: no need to decode it.
        for known in knownHeaders where known.isEncoded(by: part) { return known.header }
        let bytes = try decode(part, .header)
        let found: JSONScanner.Found
        do {
            found = try Self.headerScanner.scan(bytes)
        } catch {
            throw JWTError.json(.header, detail: error.description)
        }
        // Extensions that must be understood (RFC 7515 §4.1.11): none is.
        guard found[2] == nil else { throw JWTError.json(.header, detail: "crit is not supported") }
        return Header(
            algorithm: JSONScanner.string(found[0], in: bytes.span), keyID: JSONScanner.string(found[1], in: bytes.span)
        )
    }

    private func decode(_ part: Span<UInt8>, _ name: JWTError.JWTPart) throws(JWTError) -> [UInt8] {
        if let bytes = Base64.decode(part, .url, padding: .forbidden) { return bytes }
        let offset = part.indices.first { !Base64.isURLCharacter(part[$0]) }
        // Left-over bits in a signature's last character: another text for bytes that are not the signature's.
        if name == .signature, offset == nil, part.count % 4 != 1 {
            throw JWTError.signature(detail: "signature is invalid")
        }
        throw JWTError.base64(name, offset: offset ?? part.count)
    }

    private func key(_ id: String?, _ algorithm: JWTAlgorithm) throws(JWTError) -> VerificationKey {
        if let id {
            if let key = keys.first(where: { $0.id == id }) { return key }
            if let secret, id == secretKeyID { return secret }
        }
        if algorithm == .hs256, let secret { return secret }
        throw JWTError.unknownKey(id: id, algorithm: algorithm.rawValue)
    }

    private func checkTypes(_ found: JSONScanner.Found, _ claims: [UInt8]) throws(JWTError) {
        for place in 0..<JSONScanner.keysMax {
            guard let range = found[place], let claim = JWTClaim(rawValue: place),
                !claim.allows(claims[range.lowerBound])
            else { continue }
            throw JWTError.json(.claim, detail: Self.wrongType(claim, claims[range.lowerBound]))
        }
    }

    private static func wrongType(_ claim: JWTClaim, _ first: UInt8) -> String {
        let actual =
            switch first {
            case UInt8(ascii: "\""): "string"
            case UInt8(ascii: "{"): "object"
            case UInt8(ascii: "["): "array"
            case UInt8(ascii: "t"), UInt8(ascii: "f"): "bool"
            default: "number"
            }
        switch claim {
        case .audience: return "invalid type for claim"
        case .expiration, .notBefore, .issuedAt:
            return "could not parse NumericData: json: invalid number literal"
        default:
            return "json: cannot unmarshal \(actual) into Go struct field \(claim.name) of type \(claim.goType)"
        }
    }

    private func checkTimes(_ found: JSONScanner.Found, _ claims: [UInt8], _ now: Timestamp) throws(JWTError) {
        let expiration = JWTClaim.expiration.rawValue
        if let range = found[expiration], claims[range.lowerBound] != UInt8(ascii: "n") {
            guard let seconds = JSONScanner.int64(range, in: claims.span), now < Timestamp(unixSeconds: seconds) else {
                throw JWTError.expired
            }
        }
        let notBefore = JWTClaim.notBefore.rawValue
        if let range = found[notBefore], claims[range.lowerBound] != UInt8(ascii: "n") {
            guard let seconds = JSONScanner.int64(range, in: claims.span), now >= Timestamp(unixSeconds: seconds) else {
                throw JWTError.notYetValid
            }
        }
    }

    /// Where the three parts of a token stand.
    private struct Parts {
        let header: Range<Int>
        let claims: Range<Int>
        let signature: Range<Int>
        var signed: Range<Int> { header.lowerBound..<claims.upperBound }

        init(_ token: Span<UInt8>, bytesMax: Int) throws(JWTError) {
            guard token.count <= bytesMax else { throw JWTError.tooLong }
            let point = UInt8(ascii: ".")
            let first = Scan.first(point, in: token, from: 0)
            guard first < token.count else { throw JWTError.segments }
            let second = Scan.first(point, in: token, from: first + 1)
            guard second < token.count, Scan.first(point, in: token, from: second + 1) == token.count else {
                throw JWTError.segments
            }
            header = 0..<first
            claims = first + 1..<second
            signature = second + 1..<token.count
        }
    }
}
