internal import Backend
internal import Bytes
internal import JSON

/// Reads users as Supabase Auth writes them; what it does not know it keeps. Source: supabase-core.md 4.1–4.3.
enum UserReading {
    /// The members that stand beside a user's own in the answer of `POST /admin/generate_link`.
    static let linkMembers: Set<String> = [
        "action_link", "email_otp", "hashed_token", "verification_type", "redirect_to",
    ]

    /// nil for what is no user.
    /// - Parameter besides: members that are not the user's.
    static func user(_ value: JSONValue?, besides: Set<String> = []) -> User? {
        guard let object = value?.object, let id = object["id"]?.string.flatMap({ UserID($0) }) else { return nil }
        var user = User(id: id, audience: "", role: "", createdAt: .epoch, updatedAt: .epoch)
        user.identities = nil
        var unknown = JSONObject()
        for member in object.members where !besides.contains(member.key) {
            if !take(member.key, member.value, into: &user), !takeTime(member.key, member.value, into: &user) {
                unknown[member.key] = member.value
            }
        }
        if !unknown.isEmpty { user.unknownMembers = unknown }
        return user
    }

    private static func take(_ key: String, _ value: JSONValue, into user: inout User) -> Bool {
        switch key {
        case "id": break
        case "aud": user.audience = value.string ?? ""
        case "role": user.role = value.string ?? ""
        case "email": user.email = filled(value)
        case "phone": user.phone = filled(value)
        case "new_email": user.newEmail = filled(value)
        case "new_phone": user.newPhone = filled(value)
        case "app_metadata": user.appMetadata = JSONText(value)
        case "user_metadata": user.userMetadata = JSONText(value)
        case "factors": user.factors = (value.array ?? []).compactMap { factor($0) }
        case "identities": user.identities = value.array?.compactMap { identity($0) }
        case "is_anonymous": user.isAnonymous = value.bool ?? false
        default: return false
        }
        return true
    }

    private static func takeTime(_ key: String, _ value: JSONValue, into user: inout User) -> Bool {
        let time = time(value)
        switch key {
        case "email_confirmed_at": user.emailConfirmedAt = time
        case "phone_confirmed_at": user.phoneConfirmedAt = time
        case "confirmed_at": user.confirmedAt = time
        case "invited_at": user.invitedAt = time
        case "confirmation_sent_at": user.confirmationSentAt = time
        case "recovery_sent_at": user.recoverySentAt = time
        case "email_change_sent_at": user.emailChangeSentAt = time
        case "phone_change_sent_at": user.phoneChangeSentAt = time
        case "reauthentication_sent_at": user.reauthenticationSentAt = time
        case "last_sign_in_at": user.lastSignInAt = time
        case "created_at": user.createdAt = time ?? .epoch
        case "updated_at": user.updatedAt = time ?? .epoch
        case "banned_until": user.bannedUntil = time
        case "deleted_at": user.deletedAt = time
        default: return false
        }
        return true
    }

    private static let identityMembers: Set<String> = [
        "identity_id", "id", "user_id", "identity_data", "provider", "last_sign_in_at", "created_at", "updated_at",
        "email",
    ]

    static func identity(_ value: JSONValue) -> Identity? {
        guard let object = value.object, let id = object["identity_id"]?.string.flatMap({ IdentityID($0) }),
            let userID = object["user_id"]?.string.flatMap({ UserID($0) })
        else { return nil }
        var identity = Identity(
            id: id, providerID: object["id"]?.string ?? "", userID: userID,
            provider: object["provider"]?.string ?? "",
            data: object["identity_data"].map { JSONText($0) } ?? .emptyObject,
            lastSignInAt: time(object["last_sign_in_at"]), createdAt: time(object["created_at"]) ?? .epoch,
            updatedAt: time(object["updated_at"]) ?? .epoch, email: filled(object["email"]))
        identity.unknownMembers = unknown(object, identityMembers)
        return identity
    }

    private static let factorMembers: Set<String> = [
        "id", "created_at", "updated_at", "status", "friendly_name", "factor_type", "phone", "last_challenged_at",
        "web_authn_aaguid", "last_webauthn_challenge_data",
    ]

    static func factor(_ value: JSONValue) -> Factor? {
        guard let object = value.object, let id = object["id"]?.string.flatMap({ FactorID($0) }) else { return nil }
        var factor = Factor(
            id: id, type: object["factor_type"]?.string ?? "", status: object["status"]?.string ?? "",
            friendlyName: filled(object["friendly_name"]), phone: filled(object["phone"]),
            createdAt: time(object["created_at"]) ?? .epoch, updatedAt: time(object["updated_at"]) ?? .epoch,
            lastChallengedAt: time(object["last_challenged_at"]),
            webAuthnAAGUID: object["web_authn_aaguid"]?.string,
            lastWebAuthnChallengeData: object["last_webauthn_challenge_data"].flatMap { $0.isNull ? nil : JSONText($0) }
        )
        factor.unknownMembers = unknown(object, factorMembers)
        return factor
    }

    // MARK: Small parts

    static func unknown(_ object: JSONObject, _ known: Set<String>) -> JSONObject? {
        var unknown = JSONObject()
        for member in object.members where !known.contains(member.key) { unknown[member.key] = member.value }
        return unknown.isEmpty ? nil : unknown
    }

    static func time(_ value: JSONValue?) -> Timestamp? { value?.string.flatMap { Timestamp(rfc3339: $0) } }

    static func filled(_ value: JSONValue?) -> String? {
        guard let text = value?.string, !text.isEmpty else { return nil }
        return text
    }
}
