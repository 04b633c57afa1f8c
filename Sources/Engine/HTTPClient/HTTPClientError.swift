/// Why there is no answer.
public struct HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// How far it came, which decides what a caller may do about it.
    public enum Kind: String, Sendable {
        /// The server was not reached (refused, unknown name, no route, time-out of connecting): it got nothing.
        case unreachable
        /// Too much is under way already: the server got nothing.
        case overloaded
        /// The connection broke after the request or a part of it was sent: nobody knows what became of it.
        case connectionLost
        /// The server took too long to answer.
        case timedOut
        /// What came is no HTTP/1.1 answer, or larger than allowed.
        case malformed
        /// The caller does not wait any more.
        case cancelled
    }

    public let kind: Kind
    /// What happened, in words of ours: never a byte of the peer's.
    public let reason: String

    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    public var description: String { "\(kind.rawValue): \(reason)" }
}
