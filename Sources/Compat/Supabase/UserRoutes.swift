internal import Backend
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | GET | `/user` | user | the operation's |
/// | PUT, PATCH | `/user` | user | 429, 400 `bad_json`, the operation's |
///
/// The order is bearer, limit, body. Source: supabase-core.md 10.12, 10.13; `PATCH`: deviations.md.
enum UserRoutes {
    private static let schema = BodySchema(
        "UserUpdateParams",
        texts: [
            "email", "phone", "channel", "password", "current_password", "currentPassword", "nonce", "code_challenge",
            "code_challenge_method",
        ],
        objects: ["data", "app_metadata"])

    static func show(_ call: Call) async throws -> WireResponse {
        let principal = try await call.principal(.user)
        return .json(try await call.backend.user(principal, call.context).wireJSON())
    }

    static func update(_ call: Call) async throws -> WireResponse {
        let principal = try await call.principal(.user)
        let update: UpdateUser
        do {
            try call.take(.updateUser)
            update = try self.update(call.body(schema))
        } catch {
            try await call.backend.confirm(principal, call.context)
            throw error
        }
        return .json(try await call.backend.update(update, principal, call.context).wireJSON())
    }

    private static func update(_ body: BodyFields) throws(ErrorAnswer) -> UpdateUser {
        var update = UpdateUser()
        try read(body, into: &update.values)
        return update
    }

    private static func read(_ body: BodyFields, into update: inout UpdateUser.Values) throws(ErrorAnswer) {
        update.email = body.filled("email")
        update.phone = body.filled("phone")
        update.channel = body.filled("channel")
        update.password = body.text("password").map { Password($0) }
        let current = try body.text("current_password", alias: "currentPassword")
        if let current, !current.isEmpty { update.currentPassword = Password(current) }
        update.nonce = body.filled("nonce").map { OneTimeCode($0) }
        update.userMetadata = body.object("data")
        update.appMetadata = body.object("app_metadata")
        update.pkce = body.pkce
    }
}

/// Answers `GET /user` where the backend needs not to be waited for, or hands on what a server behind it sent.
public final class KnownUsers: Sendable {
    private let api: SupabaseAPI
    /// Whether ``relay(_:apiVersion:requestID:)`` is worth asking.
    public let relays: Bool

    init(_ api: SupabaseAPI) {
        self.api = api
        relays = api.backend.relaysUsers
    }

    /// The body of the answer; nil when ``SupabaseAPI/answer(_:at:)`` has to be asked.
    /// - Parameter bearer: what follows `Bearer ` in a request that names no audience (`X-JWT-AUD`).
    public func json(_ bearer: Span<UInt8>) -> [UInt8]? {
        api.backend.userAtOnce(bearer)?.encoded { $0.wireJSON() }
    }

    /// What became of a relayed request.
    public enum Relayed: Sendable {
        /// The body of the answer of status 200.
        case json([UInt8])
        case failure(WireResponse)
    }

    /// Asks the server behind the backend, without a type in between.
    /// - Parameter bearer: what follows `Bearer ` in a request that names no audience; without blanks, and no API key.
    public func relay(_ bearer: String, apiVersion: String?, requestID: String) async -> Relayed {
        do throws(AuthError) {
            return .json(try await api.backend.relayedUser(RawToken(bearer)))
        } catch {
            return .failure(
                api.errors.response(to: error, api.options, apiVersion: apiVersion, requestID: requestID))
        }
    }
}
