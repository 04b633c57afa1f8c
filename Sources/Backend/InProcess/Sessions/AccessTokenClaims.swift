import Backend
import Bytes
import JSON
import Store

/// The claims of an access token: how they are written and what is read back. Source: supabase-core.md 5, 6.1.
struct AccessTokenClaims: Sendable, Equatable {
    /// `sub` as it stands; empty when missing.
    var subject = ""
    /// First `aud`, nil when there is none.
    var audience: String?
    var role = ""
    /// `session_id` as it stands; empty when missing.
    var sessionID = ""
    /// Seconds since 1970, with their fraction; nil when missing.
    var expiresAt: Timestamp?
    var notBefore: Timestamp?

    /// AMR methods that lift a session to `aal2`. A passkey does not.
    static let secondFactorMethods: Set<String> = ["totp", "mfa/phone", "mfa/webauthn"]

    /// Writes the claims of a user's access token.
    static func write(
        user: User, session: SessionRow, amr: [AMRClaimRow], issuer: String?, issuedAt: Timestamp,
        expiresAt: Timestamp
    ) -> [UInt8] {
        let metadataSize = user.appMetadata.bytes.count + user.userMetadata.bytes.count
        var json = JSONWriter(capacity: 512 + metadataSize)
        json.beginObject()
        json.field("iss", ifPresent: issuer)
        json.field("sub", user.id.uuid)
        json.field("aud", user.audience)
        json.field("exp", expiresAt.unixSeconds)
        json.field("iat", issuedAt.unixSeconds)
        json.field("email", user.email ?? "")
        json.field("phone", user.phone ?? "")
        json.field("app_metadata", user.appMetadata)
        json.field("user_metadata", user.userMetadata)
        json.field("role", user.role)
        json.field("aal", amr.contains { secondFactorMethods.contains($0.method) } ? "aal2" : "aal1")
        json.key("amr")
        json.beginArray()
        for claim in amr {
            json.beginObject()
            json.field("method", claim.method)
            json.field("timestamp", claim.updatedAt.unixSeconds)
            if claim.method == "sso/saml", let provider = ssoProvider(of: user) { json.field("provider", provider) }
            json.endObject()
        }
        json.endArray()
        json.field("session_id", session.id.uuid)
        json.field("is_anonymous", user.isAnonymous)
        json.endObject()
        return json.bytes
    }

    private static func ssoProvider(of user: User) -> String? {
        guard let identities = user.identities, identities.count == 1, identities[0].provider.hasPrefix("sso:") else {
            return nil
        }
        return String(identities[0].provider.dropFirst(4))
    }
}

extension AccessTokenClaims {
    private static let scanner = JSONScanner(Claim.allCases.map(\.rawValue))

    /// The claims that are read, or whose type is checked.
    private enum Claim: String, CaseIterable {
        case sub, aud, exp, nbf, role, iat, iss, email, phone, aal, amr
        case sessionID = "session_id"
        case appMetadata = "app_metadata"
        case userMetadata = "user_metadata"
        case isAnonymous = "is_anonymous"
        case clientID = "client_id"

        var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// Reads the claims of a token.
    /// - Throws: `tokenInvalid` for what is no object or has a known claim of another type.
    init(reading bytes: [UInt8]) throws(AuthError) {
        let found: JSONScanner.Found
        do {
            found = try Self.scanner.scan(bytes)
        } catch {
            throw Self.malformed(error.description)
        }
        func kind(_ claim: Claim) -> UInt8? {
            guard let range = found[claim.place], let first = bytes[range].first else { return nil }
            return first == UInt8(ascii: "n") ? nil : first
        }
        func text(_ claim: Claim) throws(AuthError) -> String {
            guard let kind = kind(claim) else { return "" }
            guard kind == UInt8(ascii: "\""), let text = JSONScanner.string(found[claim.place], in: bytes) else {
                throw Self.malformed("\(claim.rawValue) is no text")
            }
            return text
        }
        func check(_ claim: Claim, _ allowed: [UInt8]) throws(AuthError) {
            guard let kind = kind(claim), !allowed.contains(kind) else { return }
            throw Self.malformed("\(claim.rawValue) has another type")
        }
        subject = try text(.sub)
        role = try text(.role)
        sessionID = try text(.sessionID)
        for claim in [Claim.iss, .email, .phone, .aal, .clientID] { try check(claim, Array("\"".utf8)) }
        for claim in [Claim.appMetadata, .userMetadata] { try check(claim, Array("{".utf8)) }
        try check(.amr, Array("[".utf8))
        try check(.isAnonymous, Array("tf".utf8))
        audience = try Self.audience(found[Claim.aud.place].map { Array(bytes[$0]) })
        expiresAt = try Self.time(found[Claim.exp.place].map { bytes[$0] })
        notBefore = try Self.time(found[Claim.nbf.place].map { bytes[$0] })
        _ = try Self.time(found[Claim.iat.place].map { bytes[$0] })
    }

    static func malformed(_ detail: String) -> AuthError {
        AuthError(.tokenInvalid, "token is malformed: could not JSON decode claim: \(detail)")
    }

    /// A text, or the first of a list of texts.
    private static func audience(_ bytes: [UInt8]?) throws(AuthError) -> String? {
        guard let bytes, let value = try? JSONValue.parse(bytes) else { return nil }
        switch value {
        case .null: return nil
        case .string(let text): return text
        case .array(let elements):
            guard elements.allSatisfy({ $0.string != nil }) else { throw malformed("invalid type for claim") }
            return elements.first?.string
        case .bool, .number, .object: throw malformed("invalid type for claim")
        }
    }

    private static func time(_ bytes: ArraySlice<UInt8>?) throws(AuthError) -> Timestamp? {
        guard let bytes, bytes.first != UInt8(ascii: "n") else { return nil }
        guard let value = try? JSONValue.parse(Array(bytes)), let number = value.number else {
            throw malformed("could not parse NumericDate")
        }
        if let whole = number.int64 { return Timestamp(unixSeconds: whole) }
        let seconds = number.double ?? .infinity
        guard seconds.magnitude < 9e12 else {
            return Timestamp(microseconds: seconds < 0 ? .min : .max)
        }
        return Timestamp(microseconds: Int64(seconds * 1_000_000))
    }
}
