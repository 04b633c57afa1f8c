import Backend
import Bytes
import Crypto
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
    /// `exp`; nil when missing.
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
    /// Reads the claims of a token whose signature and claims' types were checked.
    init(_ token: VerifiedToken) {
        subject = token.string(.subject) ?? ""
        audience = token.audience.first
        role = token.string(.role) ?? ""
        sessionID = token.string(.sessionID) ?? ""
        expiresAt = token.int64(.expiration).map { Timestamp(unixSeconds: $0) }
        notBefore = token.int64(.notBefore).map { Timestamp(unixSeconds: $0) }
    }
}
