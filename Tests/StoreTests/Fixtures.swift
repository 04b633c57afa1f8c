import Backend
import Bytes
import JSON
import Store
import TestKit

/// Rows for tests: everything is new on each call, and the same in every run.
struct Fixtures: Sendable {
    let random: SeededRandom
    let clock = ManualClock()

    init(seed: UInt64 = 1) {
        random = SeededRandom(seed: seed)
    }

    func uuid() -> UUID { UUID(random: random) }

    func user(_ email: String? = nil, audience: String = "authenticated") -> UserRow {
        var row = UserRow(id: UserID(uuid()), audience: audience, role: "authenticated", createdAt: clock.now())
        row.email = email
        row.appMetadata = JSONText(trusted: Array(#"{"provider":"email","providers":["email"]}"#.utf8))
        return row
    }

    func identity(of user: UserRow, provider: String = "email", subject: String? = nil) -> IdentityRow {
        let subject = subject ?? user.id.description
        let data = #"{"sub":"\#(subject)","email":"\#(user.email ?? "")","email_verified":true}"#
        return IdentityRow(
            id: IdentityID(uuid()), providerID: subject, userID: user.id, provider: provider,
            data: JSONText(trusted: Array(data.utf8)), lastSignInAt: clock.now(), createdAt: clock.now())
    }

    func session(of user: UserID) -> SessionRow {
        SessionRow(id: SessionID(uuid()), userID: user, createdAt: clock.now())
    }

    func refreshToken(_ token: String, of session: SessionRow, parent: String? = nil) -> RefreshTokenRow {
        RefreshTokenRow(
            token: token, userID: session.userID, parent: parent, sessionID: session.id, createdAt: clock.now())
    }

    func oneTimeToken(_ hash: String, _ type: OneTimeTokenType, of user: UserID) -> OneTimeTokenRow {
        OneTimeTokenRow(
            id: uuid(), userID: user, type: type, hash: hash, relatesTo: "a@example.com", createdAt: clock.now())
    }
}

extension SQLiteStore {
    /// Writes rows without a decision.
    func write(_ body: @escaping @Sendable (any StoreTransaction) async throws -> Void) async throws {
        try await transaction(body)
    }
}

/// A refusal of a test's own.
struct Refusal: Error, Equatable {
    var reason = "refused"
}
