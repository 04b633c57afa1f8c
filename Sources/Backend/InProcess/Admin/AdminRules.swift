import Backend
import Bytes
import Crypto
import JSON
import Store

/// What an administrator wrote about a user, judged in the order of supabase-admin.md 4.2 and 4.4.
enum AdminRules {
    /// An address in the form in which it is stored; nil when none was given.
    /// - Throws: `emailTooLong`, `emailMalformed`.
    static func email(_ raw: String?) throws(AuthError) -> String? {
        guard let raw, !raw.isEmpty else { return nil }
        return try EmailAddress(validating: raw).text
    }

    /// A number in the form in which it is stored; nil when none was given.
    /// - Throws: `phoneMalformed`.
    static func phone(_ raw: String?) throws(AuthError) -> String? {
        guard let raw, !raw.isEmpty else { return nil }
        return try PhoneNumber(validating: raw).digits
    }

    /// A role without blanks around it; nil when none was given.
    /// - Throws: `roleTooLong`, `textHasNUL`.
    static func role(_ raw: String?) throws(AuthError) -> String? {
        guard let raw else { return nil }
        let role = trimmed(raw)
        guard role.utf8.count <= AuthLimits.shortTextBytesMax else { throw AuthError(.roleTooLong) }
        guard !role.utf8.contains(0) else { throw AuthError(.textHasNUL) }
        return role.isEmpty ? nil : role
    }

    /// - Throws: `audienceTooLong`, `textHasNUL`.
    static func audience(_ raw: String?) throws(AuthError) -> String? {
        guard let raw, !raw.isEmpty else { return nil }
        guard raw.utf8.count <= AuthLimits.shortTextBytesMax else { throw AuthError(.audienceTooLong) }
        guard !raw.utf8.contains(0) else { throw AuthError(.textHasNUL) }
        return raw
    }

    /// - Throws: `adminIDMalformed`, `adminIDNil`.
    static func id(_ raw: String?) throws(AuthError) -> UserID? {
        guard let raw, !raw.isEmpty else { return nil }
        guard let id = UserID(raw) else { throw AuthError(.adminIDMalformed) }
        guard id.uuid != .zero else { throw AuthError(.adminIDNil) }
        return id
    }

    /// How the password of a new account comes about.
    enum NewPassword: Equatable {
        case given(String)
        /// Nobody knows it.
        case unknowable
        /// A hash made elsewhere, stored as it is.
        case hash(String)
    }

    /// - Throws: `adminPasswordAndHash`, `passwordTooLong`, `adminPasswordHashMalformed`.
    static func newPassword(_ attributes: AdminUserAttributes) throws(AuthError) -> NewPassword {
        if let hash = attributes.passwordHash, !hash.isEmpty {
            guard attributes.password == nil else { throw AuthError(.adminPasswordAndHash) }
            guard PasswordHash(hash) != .unknown else { throw AuthError(.adminPasswordHashMalformed) }
            return .hash(hash)
        }
        guard let password = attributes.password, !password.isEmpty else { return .unknowable }
        guard password.exposed.utf8.count <= PasswordRules.bytesMax else { throw AuthError(.passwordTooLong) }
        return .given(password.exposed)
    }

    /// The data of an identity that is the account's own address or number.
    static func identityData(
        of user: UserID, email: String? = nil, phone: String? = nil, isEmailVerified: Bool = false
    ) -> JSONText {
        var json = JSONWriter(capacity: 160)
        json.beginObject()
        json.field("email", ifPresent: email)
        json.field("email_verified", isEmailVerified)
        json.field("phone", ifPresent: phone)
        json.field("phone_verified", false)
        json.field("sub", user.uuid)
        json.endObject()
        return JSONText(trusted: json.bytes)
    }

    /// `app_metadata` of a new account. Source: supabase-admin.md 4.2 "Effect".
    static func appMetadata(hasEmail: Bool, hasPhone: Bool, _ patch: JSONObject?) -> JSONText {
        var providers: [JSONValue] = []
        if hasEmail { providers.append("email") }
        if hasPhone { providers.append("phone") }
        var metadata: JSONObject = ["provider": hasEmail ? "email" : "phone", "providers": .array(providers)]
        if let patch { metadata.merge(patch) }
        return JSONText(metadata)
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
