public import Bytes

/// Hashes and compares passwords on threads of its own, so that neither a loop nor a task ever waits for bcrypt.
///
/// At most `threads + queueMax` passwords are in hand; one more is refused at once with `.overloaded`. The caller's
/// task goes on on its own executor. A task that is cancelled while its password waits gives its place up.
public final class PasswordHasher: Sendable {
    /// The cost of new hashes.
    public let cost: Int
    private let threads: PasswordThreads
    private let random: any RandomSource

    /// Starts the threads.
    /// - Parameters:
    ///   - threads: how many passwords are worked on at a time; at least 1.
    ///   - queueMax: how many may wait for a thread.
    ///   - cost: of new hashes, 4 to 31.
    ///   - niceness: 0 to 19; the threads give way to those of the loops.
    ///   - random: where salts come from.
    public init(threads: Int, queueMax: Int = 64, cost: Int = 10, niceness: Int = 5, random: any RandomSource) {
        self.cost = min(max(cost, Bcrypt.costs.lowerBound), Bcrypt.costs.upperBound)
        self.random = random
        self.threads = PasswordThreads(count: max(threads, 1), queueMax: max(queueMax, 0), niceness: niceness)
    }

    deinit {
        threads.stop()
    }

    /// Ends the threads after what they work on; whoever waits gets `.stopped`.
    public func stop() {
        threads.stop()
    }

    /// How many passwords wait for a thread at this moment.
    public var queueLength: Int { threads.queueLength }

    /// Hashes a password with bcrypt.
    /// - Throws: `.overloaded`, `.cancelled`, `.stopped`, `.invalidPassword`, `.failed`.
    public func hash(_ password: String) async throws(PasswordError) -> String {
        try await hash(Array(password.utf8))
    }

    /// Hashes a password with bcrypt.
    public func hash(_ password: [UInt8]) async throws(PasswordError) -> String {
        let setting = try Bcrypt.setting(cost: cost, salt: random.fill(16))
        switch await threads.run(.hash(password, setting: setting)) {
        case .hash(let text): return text
        case .match: throw .failed
        case .failure(let error): throw error
        }
    }

    /// Whether the password is the one that was hashed.
    /// - Throws: `.overloaded`, `.cancelled`, `.stopped`, `.unsupportedHash`, `.failed`.
    public func matches(_ password: String, _ hash: String) async throws(PasswordError) -> Bool {
        try await matches(Array(password.utf8), hash)
    }

    /// Whether the password is the one that was hashed.
    public func matches(_ password: [UInt8], _ hash: String) async throws(PasswordError) -> Bool {
        switch await threads.run(.match(password, hash: hash)) {
        case .match(let isMatch): return isMatch
        case .hash: throw .failed
        case .failure(let error): throw error
        }
    }
}
