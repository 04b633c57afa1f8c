/// Why the engine refuses a message by itself. The connection is closed after the answer.
///
/// Source: RFC 9112; reliability-security A.1.
public struct HTTPFailure: Error, Hashable, Sendable {
    /// The kind of refusal; more may be added.
    public enum Kind: Hashable, Sendable {
        /// The message breaks the grammar or its framing is in doubt.
        case malformed
        case methodUnknown
        case versionUnsupported
        case targetTooLong
        case headTooLarge
        case bodyTooLarge
        case transferCodingUnknown
        case expectationUnknown
        /// The peer was too slow.
        case timeout
    }

    public let kind: Kind
    /// What is wrong, in a few words of ours: never a byte of the peer's. For logs and messages.
    public let reason: StaticString

    init(_ kind: Kind, _ reason: StaticString) {
        self.kind = kind
        self.reason = reason
    }

    static func malformed(_ reason: StaticString) -> HTTPFailure { HTTPFailure(.malformed, reason) }

    /// The status to answer with.
    public var status: HTTPStatus {
        switch kind {
        case .malformed: .badRequest
        case .methodUnknown: .notImplemented
        case .versionUnsupported: .versionNotSupported
        case .targetTooLong: .targetTooLong
        case .headTooLarge: .headTooLarge
        case .bodyTooLarge: .contentTooLarge
        case .transferCodingUnknown: .notImplemented
        case .expectationUnknown: .expectationFailed
        case .timeout: .requestTimeout
        }
    }

    public static func == (left: HTTPFailure, right: HTTPFailure) -> Bool { left.kind == right.kind }

    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}
