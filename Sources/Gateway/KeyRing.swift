public import Backend
public import Bytes
public import Crypto
internal import Synchronization

/// The configured API keys as SHA-256 digests, and the verifier for those that are JWTs.
///
/// Every digest is compared in constant time and all of them are looked at. Replaced as a whole on reload.
public final class KeyRing: APIKeySource {
    /// A key that counts as an opaque string.
    public struct Entry: Sendable {
        public let role: APIKeyRole
        public let id: String
        let digest: [UInt8]
        public let expiry: Timestamp?

        public init(_ key: String, role: APIKeyRole, id: String) {
            self.init(digest: SHA.sha256(Array(key.utf8)), role: role, id: id)
        }

        /// - Parameter digest: the SHA-256 of the key.
        public init(digest: [UInt8], role: APIKeyRole, id: String, expiry: Timestamp? = nil) {
            self.role = role
            self.id = id
            self.digest = digest
            self.expiry = expiry
        }
    }

    private struct State {
        var entries: [Entry]
        var verifier: JWTVerifier?
    }

    private let state: Mutex<State>
    private let count = Atomic<Int>(0)

    /// - Parameter verifier: of `GOTRUE_JWT_SECRET` and `GOTRUE_JWT_KEYS`, with every algorithm of theirs.
    public init(_ entries: [Entry], verifier: JWTVerifier?) {
        state = Mutex(State(entries: entries, verifier: verifier))
    }

    public var generation: Int { count.load(ordering: .acquiring) }

    /// Takes another set of keys from now on.
    public func replace(_ entries: [Entry], verifier: JWTVerifier?) {
        state.withLock { $0 = State(entries: entries, verifier: verifier) }
        count.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    public func judge(_ key: [UInt8], now: Timestamp) -> JudgedKey? {
        let state = state.withLock { $0 }
        let digest = SHA.sha256(key)
        var found: Entry?
        for entry in state.entries where ConstantTime.equals(entry.digest, digest) { found = found ?? entry }
        if let found {
            if let expiry = found.expiry, expiry <= now { return nil }
            return JudgedKey(
                role: found.role, id: found.id, actsAlone: !Self.isJWT(key), expiry: found.expiry)
        }
        guard let verifier = state.verifier, let token = try? verifier.verify(key, now: now) else { return nil }
        let role: APIKeyRole
        switch token.string(.role) {
        case "anon": role = .anonymous
        case "service_role": role = .service
        default: return nil
        }
        let expiry = token.int64(.expiration).map { Timestamp(unixSeconds: min(max($0, 0), 253_402_300_799)) }
        return JudgedKey(
            role: role, id: role == .service ? "service_role" : "anon", actsAlone: false, expiry: expiry)
    }

    /// Whether a key has a token's three parts; keys of the new kind have no full stop.
    private static func isJWT(_ key: [UInt8]) -> Bool {
        key.count { $0 == UInt8(ascii: ".") } == 2
    }
}
