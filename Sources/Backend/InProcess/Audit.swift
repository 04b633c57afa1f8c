import Backend
import Bytes
import JSON
import Store

/// What is written down, with its kind. Source: supabase-core.md 11.
enum AuditAction: String, Sendable, CaseIterable {
    case login
    case logout
    case signedUp = "user_signedup"
    case repeatedSignUp = "user_repeated_signup"
    case confirmationRequested = "user_confirmation_requested"
    case recoveryRequested = "user_recovery_requested"
    case reauthenticateRequested = "user_reauthenticate_requested"
    case invited = "user_invited"
    case inviteAccepted = "invite_accepted"
    case modified = "user_modified"
    case updatedPassword = "user_updated_password"
    case deleted = "user_deleted"
    case tokenRefreshed = "token_refreshed"
    case tokenRevoked = "token_revoked"
    case identityLinked = "identity_linked"
    case factorDeleted = "factor_deleted"
    case factorUpdated = "factor_updated"

    /// `log_type`.
    var kind: String {
        switch self {
        case .login, .logout, .inviteAccepted: "account"
        case .signedUp, .deleted, .invited: "team"
        case .tokenRefreshed, .tokenRevoked: "token"
        case .factorDeleted, .factorUpdated: "factor"
        case .repeatedSignUp, .confirmationRequested, .recoveryRequested, .reauthenticateRequested, .modified,
            .updatedPassword, .identityLinked:
            "user"
        }
    }
}

/// Who did it.
struct AuditActor: Sendable {
    var id: UserID
    var isSSO = false
    /// The number if there is one, else the address.
    var username: String
    /// `full_name` of the user metadata as it stands there.
    var name: JSONText?

    init(_ user: UserRow) {
        id = user.id
        isSSO = user.isSSOUser
        if let phone = user.phone, !phone.isEmpty {
            username = phone
        } else {
            username = user.email ?? ""
        }
        name = Self.fullName(in: user.userMetadata)
    }

    /// An administrator's key stands for a user of no id, named like its role. Source: supabase-admin.md 2.
    init(administrator role: String) {
        id = UserID(.zero)
        username = role
    }

    private static let nameScanner = JSONScanner(["full_name"])

    private static func fullName(in metadata: JSONText) -> JSONText? {
        guard metadata.isObject, let found = try? nameScanner.scan(metadata.bytes), let range = found[0] else {
            return nil
        }
        return JSONText(trusted: Array(metadata.bytes[range]))
    }
}

extension InProcessBackend {
    /// Writes an audit entry in the transaction that did it; nothing where the policy keeps no log.
    ///
    /// - Parameters:
    ///   - traits: in alphabetical order of their names, as the reference writes them; none leaves it out.
    ///   - address: the client's, for the few actions whose address is kept (supabase-admin.md 8.2).
    func audit(
        _ action: AuditAction, by actor: AuditActor, _ traits: [(name: StaticString, value: String)] = [],
        at now: Timestamp, from address: String? = nil, in tx: any StoreTransaction
    ) async throws {
        guard policy.keepsAuditLog else { return }
        let payload = Self.auditPayload(action, by: actor, traits)
        var row = AuditRow(id: newUUID(), payload: payload, createdAt: now)
        row.ipAddress = address ?? ""
        try await tx.insert(row)
    }

    static func auditPayload(
        _ action: AuditAction, by actor: AuditActor, _ traits: [(name: StaticString, value: String)]
    ) -> JSONText {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.field("action", action.rawValue)
        json.field("actor_id", actor.id.uuid)
        if let name = actor.name { json.field("actor_name", name) }
        json.field("actor_username", actor.username)
        json.field("actor_via_sso", actor.isSSO)
        json.field("log_type", action.kind)
        if !traits.isEmpty {
            json.key("traits")
            json.beginObject()
            for trait in traits { json.field(trait.name, trait.value) }
            json.endObject()
        }
        json.endObject()
        return JSONText(trusted: json.bytes)
    }
}
