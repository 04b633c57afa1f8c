internal import Backend
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | GET | `/admin/users/{id}/factors` | administrator | 404 `validation_failed`, `user_not_found` |
/// | PUT | `/admin/users/{id}/factors/{factor_id}` | administrator | 404 as above, `mfa_factor_not_found`, 400, 422 |
/// | DELETE | `/admin/users/{id}/factors/{factor_id}` | administrator | 404 as above |
///
/// Source: supabase-admin.md 5.
enum AdminFactorRoutes {
    private static let schema = BodySchema("adminUserUpdateFactorParams", texts: ["friendly_name", "phone"])

    static func list(_ user: String, _ call: Call) async throws -> WireResponse {
        let (principal, user) = try await AdminUserRoutes.caller(user, call)
        var writer = JSONWriter(capacity: 512)
        writer.beginArray()
        for factor in try await call.backend.adminFactors(user, principal, call.context) { factor.write(to: &writer) }
        writer.endArray()
        return .json(writer.bytes)
    }

    static func update(_ factor: String, of user: String, _ call: Call) async throws -> WireResponse {
        let (principal, user, factor) = try await caller(factor, of: user, call)
        let body: BodyFields
        do {
            body = try call.body(schema)
        } catch {
            // That there is no such user or factor is told before a fault of the body.
            let factors = try await call.backend.adminFactors(user, principal, call.context)
            guard factors.contains(where: { $0.id == factor }) else { throw AuthError(.factorNotFound) }
            throw error
        }
        let attributes = AdminFactorAttributes(friendlyName: body.filled("friendly_name"), phone: body.filled("phone"))
        let changed = try await call.backend.adminUpdateFactor(factor, of: user, attributes, principal, call.context)
        return .json(changed.wireJSON())
    }

    static func delete(_ factor: String, of user: String, _ call: Call) async throws -> WireResponse {
        let (principal, user, factor) = try await caller(factor, of: user, call)
        return .json(
            try await call.backend.adminDeleteFactor(factor, of: user, principal, call.context).wireJSON())
    }

    private static func caller(
        _ factor: String, of user: String, _ call: Call
    ) async throws -> (Principal, UserID, FactorID) {
        let (principal, user) = try await AdminUserRoutes.caller(user, call)
        guard let factor = PathUUID.read(factor) else {
            try await AdminUserRoutes.refuse(
                ErrorAnswer.validation("factor_id must be an UUID", status: 404), about: user, principal, call)
        }
        return (principal, user, FactorID(factor))
    }
}
