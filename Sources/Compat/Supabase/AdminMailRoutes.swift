internal import Backend
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | POST | `/invite` | administrator | 400 `bad_json`, the operation's |
/// | POST | `/admin/generate_link` | administrator | 400 `bad_json`, the operation's |
///
/// Source: supabase-admin.md 6, 7.
enum AdminMailRoutes {
    private static let invitation = BodySchema("InviteParams", texts: ["email"], objects: ["data"])
    private static let link = BodySchema(
        "GenerateLinkParams", texts: ["type", "email", "new_email", "password", "redirect_to"], objects: ["data"])

    static func invite(_ call: Call) async throws -> WireResponse {
        let (principal, body) = try await read(invitation, call)
        var invitation = Invitation()
        invitation.email = body.filled("email")
        invitation.userMetadata = body.object("data")
        return .json(try await call.backend.invite(invitation, principal, call.context).wireJSON())
    }

    static func generateLink(_ call: Call) async throws -> WireResponse {
        let (principal, body) = try await read(link, call)
        var request = LinkRequest(type: body.text("type") ?? "")
        request.email = body.filled("email")
        request.newEmail = body.filled("new_email")
        request.password = body.text("password").map { Password($0) }
        request.userMetadata = body.object("data")
        request.redirectTo = body.filled("redirect_to")
        return .json(try await call.backend.generateLink(request, principal, call.context).wireJSON())
    }

    /// The caller is judged before the body.
    private static func read(_ schema: BodySchema, _ call: Call) async throws -> (Principal, BodyFields) {
        let principal = try await call.principal(.administrator)
        do {
            return (principal, try call.body(schema))
        } catch {
            try await call.backend.confirm(principal, call.context)
            throw error
        }
    }
}

extension GeneratedLink {
    /// The user's members with the link's beside them: clients split them. Source: supabase-admin.md 7.
    func wireJSON() -> [UInt8] {
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        user.writeMembers(to: &writer)
        writer.field("action_link", actionLink.exposed)
        writer.field("email_otp", code.exposed)
        writer.field("hashed_token", tokenHash.exposed)
        writer.field("verification_type", verificationType)
        writer.field("redirect_to", redirectTo)
        writer.endObject()
        return writer.bytes
    }
}
