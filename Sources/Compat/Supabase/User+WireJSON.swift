internal import Backend
internal import JSON

extension User {
    /// The user as clients read it, members in the reference's order. Source: supabase-core.md 4.1.
    func wireJSON() -> [UInt8] {
        var writer = JSONWriter(capacity: 1536)
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// The members alone, for answers that put more beside them.
    func writeMembers(to writer: inout JSONWriter) {
        values.write(to: &writer)
    }
}

extension User.Values {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("id", id.uuid)
        writer.field("aud", audience)
        writer.field("role", role)
        writer.field("email", email ?? "")
        writer.field("email_confirmed_at", ifPresent: emailConfirmedAt)
        writer.field("invited_at", ifPresent: invitedAt)
        writer.field("phone", phone ?? "")
        writer.field("phone_confirmed_at", ifPresent: phoneConfirmedAt)
        writer.field("confirmation_sent_at", ifPresent: confirmationSentAt)
        writer.field("confirmed_at", ifPresent: confirmedAt)
        writer.field("recovery_sent_at", ifPresent: recoverySentAt)
        if let newEmail, !newEmail.isEmpty { writer.field("new_email", newEmail) }
        writer.field("email_change_sent_at", ifPresent: emailChangeSentAt)
        if let newPhone, !newPhone.isEmpty { writer.field("new_phone", newPhone) }
        writer.field("phone_change_sent_at", ifPresent: phoneChangeSentAt)
        writer.field("reauthentication_sent_at", ifPresent: reauthenticationSentAt)
        writer.field("last_sign_in_at", ifPresent: lastSignInAt)
        writer.field("app_metadata", appMetadata)
        writer.field("user_metadata", userMetadata)
        if !factors.isEmpty {
            writer.key("factors")
            writer.beginArray()
            for factor in factors { factor.write(to: &writer) }
            writer.endArray()
        }
        writer.key("identities")
        if let identities {
            writer.beginArray()
            for identity in identities { identity.write(to: &writer) }
            writer.endArray()
        } else {
            writer.null()
        }
        writer.field("created_at", createdAt)
        writer.field("updated_at", updatedAt)
        writer.field("banned_until", ifPresent: bannedUntil)
        writer.field("deleted_at", ifPresent: deletedAt)
        writer.field("is_anonymous", isAnonymous)
        writer.members(of: unknownMembers)
    }
}

extension Identity {
    /// Source: supabase-core.md 4.2.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("identity_id", id.uuid)
        writer.field("id", providerID)
        writer.field("user_id", userID.uuid)
        if !data.isNull, data != .emptyObject { writer.field("identity_data", data) }
        writer.field("provider", provider)
        writer.field("last_sign_in_at", ifPresent: lastSignInAt)
        writer.field("created_at", createdAt)
        writer.field("updated_at", updatedAt)
        if let email, !email.isEmpty { writer.field("email", email) }
        writer.members(of: unknownMembers)
        writer.endObject()
    }
}

extension Factor {
    /// Source: supabase-admin.md 5.
    func wireJSON() -> [UInt8] {
        var writer = JSONWriter(capacity: 320)
        write(to: &writer)
        return writer.bytes
    }

    /// Source: supabase-core.md 4.3.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", id.uuid)
        writer.field("created_at", createdAt)
        writer.field("updated_at", updatedAt)
        writer.field("status", status)
        if let friendlyName, !friendlyName.isEmpty { writer.field("friendly_name", friendlyName) }
        writer.field("factor_type", type)
        writer.field("phone", phone ?? "")
        writer.key("last_challenged_at")
        if let lastChallengedAt { writer.timestamp(lastChallengedAt) } else { writer.null() }
        writer.field("web_authn_aaguid", ifPresent: webAuthnAAGUID)
        if let lastWebAuthnChallengeData { writer.field("last_webauthn_challenge_data", lastWebAuthnChallengeData) }
        writer.members(of: unknownMembers)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes the members of an object beside those that stand there already.
    mutating func members(of object: JSONObject?) {
        guard let object else { return }
        for member in object.members {
            key(dynamic: member.key)
            value(member.value)
        }
    }
}

extension UserPage {
    /// Source: supabase-admin.md 4.1.
    func wireJSON() -> [UInt8] {
        var writer = JSONWriter(capacity: 64 + users.count * 1024)
        writer.beginObject()
        writer.key("users")
        writer.beginArray()
        for user in users { user.write(to: &writer) }
        writer.endArray()
        writer.field("aud", audience)
        if let cursor {
            writer.key("pagination")
            writer.beginObject()
            writer.field("next_cursor", ifPresent: cursor.next)
            writer.field("has_more", cursor.next != nil)
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }
}
