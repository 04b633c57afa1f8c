import Backend
import Bytes
import Store

extension InProcessBackend {
    /// Runs a body that writes; see ``AuthStore/transaction(_:)``.
    ///
    /// - Parameter conflict: what a refusal by the named unique index means; nil makes it our own fault.
    func transaction<Value: Sendable>(
        conflict: @Sendable (String) -> AuthError? = { _ in nil },
        _ body: @escaping @Sendable (any StoreTransaction) async throws -> Value
    ) async throws(AuthError) -> Value {
        do {
            return try await store.transaction(body)
        } catch StoreError.notUnique(let index) {
            throw conflict(index) ?? AuthError(storeFailure: StoreError.notUnique(index))
        } catch {
            throw AuthError(storeFailure: error)
        }
    }

    /// Runs a body that only reads, on the caller's own loop.
    func read<Value: Sendable>(
        _ body: (any StoreReader) async throws -> Value
    ) async throws(AuthError) -> Value {
        do {
            return try await body(store.reader)
        } catch {
            throw AuthError(storeFailure: error)
        }
    }

    /// A new random (version 4) id.
    func newUUID() -> UUID { UUID(random: random) }
}

extension AuthError {
    /// What a failed store means for the caller: never that a session is over. Source: field-reports.md, general rules.
    init(storeFailure error: any Error) {
        switch error {
        case let error as AuthError: self = error
        case StoreError.overloaded:
            self.init(.unavailable, retryAfter: .seconds(1), detail: "the store's queue is full")
        case StoreError.unavailable(let why):
            self.init(.unavailable, retryAfter: .seconds(5), detail: "store: \(why)")
        case StoreError.closed: self.init(.unavailable, retryAfter: .seconds(1), detail: "the store is closed")
        case let error as StoreError: self.init(.unexpected, detail: "store: \(error)")
        default: self.init(.unexpected, detail: "store: \(type(of: error))")
        }
    }
}
