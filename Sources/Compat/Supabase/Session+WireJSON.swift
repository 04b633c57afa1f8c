internal import Backend
internal import Bytes
internal import JSON

extension Session {
    /// The answer of every call that signs in. Source: supabase-core.md 4.4.
    func wireResponse() -> WireResponse {
        var writer = JSONWriter(capacity: 3072)
        write(to: &writer)
        var response = WireResponse.json(writer.bytes)
        // Informational, as in the reference (supabase-core.md 1.9); what tells of the refresh token is left out.
        response.headers.append(("sb-auth-user-id", user.id.description))
        if let sessionID { response.headers.append(("sb-auth-session-id", sessionID.description)) }
        return response
    }

    private func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("access_token", accessToken.exposed)
        writer.field("token_type", "bearer")
        writer.field("expires_in", expiresIn)
        writer.field("expires_at", expiresAt.unixSeconds)
        writer.field("refresh_token", refreshToken.exposed)
        writer.key("user")
        user.write(to: &writer)
        if let providerToken, !providerToken.isEmpty { writer.field("provider_token", providerToken.exposed) }
        if let providerRefreshToken, !providerRefreshToken.isEmpty {
            writer.field("provider_refresh_token", providerRefreshToken.exposed)
        }
        switch passwordJudgement {
        case nil: break
        case .fine:
            writer.key("weak_password")
            writer.null()
        case .weak(let message, let reasons):
            writer.key("weak_password")
            writer.beginObject()
            writer.field("message", message)
            writer.key("reasons")
            writer.beginArray()
            for reason in reasons { writer.string(reason) }
            writer.endArray()
            writer.endObject()
        }
        writer.members(of: unknownMembers)
        writer.endObject()
    }

    /// The same as a redirect's fragment, names sorted. Source: supabase-core.md 4.4.
    func redirectFields(type: String) -> FormFields {
        var fields = FormFields()
        fields.append("access_token", accessToken.exposed)
        fields.append("expires_at", String(expiresAt.unixSeconds))
        fields.append("expires_in", String(expiresIn))
        if let providerRefreshToken, !providerRefreshToken.isEmpty {
            fields.append("provider_refresh_token", providerRefreshToken.exposed)
        }
        if let providerToken, !providerToken.isEmpty { fields.append("provider_token", providerToken.exposed) }
        fields.append("refresh_token", refreshToken.exposed)
        fields.append("sb", "")
        fields.append("token_type", "bearer")
        if !type.isEmpty { fields.append("type", type) }
        return fields
    }
}
