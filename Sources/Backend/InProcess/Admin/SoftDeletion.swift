import Backend
import Bytes
import Crypto
import JSON
import Store

/// What is left of an account that is deleted softly: values that cannot be turned back and differ per user, so that
/// address and number are free again. Source: supabase-admin.md 4.5, FR-42.
enum SoftDeletion {
    /// Characters that a phone column holds.
    private static let phoneLength = 15

    /// Base64url of SHA-256 over the user's id and the old value.
    static func obfuscated(_ value: String, of user: UserID) -> String {
        Base64.encodeURL(SHA.sha256(Array((user.description + value).utf8)))
    }

    static func obfuscatedPhone(_ value: String, of user: UserID) -> String {
        String(obfuscated(value, of: user).prefix(phoneLength))
    }

    /// Empties the row; the columns that changed.
    static func apply(to user: inout UserRow, at now: Timestamp) -> UserColumns {
        let id = user.id
        user.email = obfuscated(user.email ?? "", of: id)
        user.emailChange = obfuscated(user.emailChange, of: id)
        user.phone = obfuscatedPhone(user.phone ?? "", of: id)
        user.phoneChange = obfuscatedPhone(user.phoneChange, of: id)
        user.encryptedPassword = nil
        user.confirmationToken = ""
        user.recoveryToken = ""
        user.emailChangeTokenNew = ""
        user.emailChangeTokenCurrent = ""
        user.phoneChangeToken = ""
        user.userMetadata = .emptyObject
        user.appMetadata = .emptyObject
        user.deletedAt = now
        user.updatedAt = now
        return [
            .email, .emailChange, .phone, .phoneChange, .encryptedPassword, .confirmation, .recovery, .userMetadata,
            .appMetadata, .deletedAt,
        ]
    }

    static func apply(to identity: inout IdentityRow, at now: Timestamp) {
        let key = identity.provider + ":" + identity.providerID
        identity.providerID = obfuscated(key, of: identity.userID)
        identity.data = .emptyObject
        identity.updatedAt = now
    }
}
