public import Bytes

/// A kind of identifier whose raw value is a UUID, so that two ids of different things can never be mixed up.
public protocol UUIDIdentifier: Hashable, Sendable, CustomStringConvertible {
    var uuid: UUID { get }
    init(_ uuid: UUID)
}

extension UUIDIdentifier {
    /// The canonical lower-case text form.
    public var description: String { uuid.description }

    /// Reads a canonical UUID in any letter case (clients.md 3: some clients write UUIDs in upper case).
    public init?(_ text: String) {
        guard let uuid = UUID(text) else { return nil }
        self.init(uuid)
    }
}

/// The `id` of a user: `sub` of its access tokens. Source: supabase-schema.md 8, auth.users.
public struct UserID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// The id of a sign-in: `session_id` of its access tokens. Source: supabase-schema.md 8, auth.sessions.
public struct SessionID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// The row id of an identity; on the wire `identity_id`. Source: supabase-core.md 4.2.
public struct IdentityID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// The id of a second factor. Source: supabase-core.md 4.3.
public struct FactorID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}

/// The id of a begun PKCE or provider flow. Source: supabase-schema.md 8, auth.flow_state.
public struct FlowStateID: UUIDIdentifier {
    public let uuid: UUID
    public init(_ uuid: UUID) { self.uuid = uuid }
}
