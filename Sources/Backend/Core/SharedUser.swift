internal import Synchronization

/// An account as it was read at one moment, shared by every answer that shows it.
public final class SharedUser: Sendable {
    public let user: User
    private let encoding = Mutex<[UInt8]?>(nil)

    public init(_ user: User) {
        self.user = user
    }

    /// The user as `encode` writes it. That is done once: all callers must encode alike.
    public func encoded(_ encode: (User) -> [UInt8]) -> [UInt8] {
        if let known = encoding.withLock({ $0 }) { return known }
        let made = encode(user)
        encoding.withLock { $0 = made }
        return made
    }
}
