import Backend
import Bytes
import Crypto
import Foundation
import JSON
import Store
import TestKit

@testable import InProcessBackend

/// A backend over a new embedded database, with a clock that stands still.
final class TestWorld: Sendable {
    static let secret = "a-secret-of-thirty-two-characters-or-more"

    let clock = ManualClock()
    let store: SQLiteStore
    let backend: InProcessBackend
    private let folder: String

    init(
        _ base: Policy = .supabase, tokens: AccessTokenKeys? = nil, leaked: (any LeakedPasswordSource)? = nil,
        _ change: (inout Policy) -> Void = { _ in }
    ) throws {
        var policy = base
        policy.bcryptCost = 4
        change(&policy)
        folder = NSTemporaryDirectory() + "drawbridge-backend-" + Foundation.UUID().uuidString
        var options = SQLiteOptions()
        options.synchronous = .normal
        store = try SQLiteStore(folder: folder, options: options)
        let random = SystemRandom()
        var dependencies = InProcessBackend.Dependencies(
            store: store, clock: clock, random: random,
            passwords: PasswordHasher(threads: 1, queueMax: 64, cost: policy.bcryptCost, random: random),
            tokens: try tokens ?? AccessTokenKeys(secret: Self.secret))
        dependencies.leakedPasswords = leaked
        backend = InProcessBackend(policy: policy, dependencies)
    }

    /// Closes the store and removes its folder.
    func end() async {
        await store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// What a request without a token brings along.
    static let visitor = RequestContext(requestID: "test")

    static func bearer(_ token: RawToken) -> RequestContext {
        var context = visitor
        context.bearer = token
        return context
    }

    static let root = Principal(userID: nil, sessionID: nil, tokenAudience: nil, role: "service_role")

    /// A confirmed account with a password.
    @discardableResult
    func account(
        _ email: String = "alice@example.com", password: String = "correct-horse-1",
        _ change: (inout AdminUserAttributes) -> Void = { _ in }
    ) async throws(AuthError) -> User {
        var attributes = AdminUserAttributes()
        attributes.email = email
        attributes.password = Password(password)
        attributes.confirmsEmail = true
        change(&attributes)
        return try await backend.adminCreateUser(attributes, Self.root, Self.visitor)
    }

    func signIn(
        _ email: String = "alice@example.com", password: String = "correct-horse-1"
    ) async throws(AuthError) -> Session {
        try await backend.signIn(
            PasswordSignIn(email: email, phone: nil, password: Password(password)), Self.visitor)
    }

    func refresh(_ token: RawToken) async throws(AuthError) -> Session {
        try await backend.refresh(token, Self.visitor)
    }

    func authenticate(_ token: RawToken, as level: AccessLevel = .user) async throws(AuthError) -> Principal {
        try await backend.authenticate(Self.bearer(token), as: level)
    }

    /// Signs claims of any kind with the secret, or with another one.
    func token(_ claims: JSONObject, secret: String = TestWorld.secret) throws -> RawToken {
        RawToken(try JWTSigner(SigningKey(secret: secret)).sign(claims))
    }

    func update(_ id: UserID, _ change: (inout AdminUserAttributes) -> Void) async throws(AuthError) -> User {
        var attributes = AdminUserAttributes()
        change(&attributes)
        return try await backend.adminUpdateUser(id, attributes, Self.root, Self.visitor)
    }
}

/// The reason with which the body fails; nil when it does not.
func failure<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws(AuthError) -> Value
) async -> AuthError.Reason? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error.reason
    }
}

/// Runs the body in a world of its own, which is cleared away after it.
func inWorld(
    _ base: Policy = .supabase, tokens: AccessTokenKeys? = nil, leaked: (any LeakedPasswordSource)? = nil,
    _ change: (inout Policy) -> Void = { _ in }, _ body: (TestWorld) async throws -> Void
) async throws {
    let world = try TestWorld(base, tokens: tokens, leaked: leaked, change)
    do {
        try await body(world)
    } catch {
        await world.end()
        throw error
    }
    await world.end()
}
