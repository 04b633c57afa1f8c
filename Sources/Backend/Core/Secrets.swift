/// A text that must never be printed, logged or put into an error: a password, a token, a code.
///
/// Its description is always `(redacted)`; whoever needs the characters asks for ``exposed`` and can be searched for.
public protocol SecretText: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The characters themselves.
    var exposed: String { get }
    init(_ exposed: String)
}

extension SecretText {
    public var description: String { "(redacted)" }
    public var debugDescription: String { "(redacted)" }
    /// True when there is no character in it.
    public var isEmpty: Bool { exposed.isEmpty }
}

/// A password as the user typed it, in clear.
public struct Password: SecretText {
    public let exposed: String
    public init(_ exposed: String) { self.exposed = exposed }
}

/// A token in the form in which it travels: access token, refresh token, PKCE code or verifier, link token.
public struct RawToken: SecretText {
    public let exposed: String
    public init(_ exposed: String) { self.exposed = exposed }
}

/// A one-time code as it is typed: six to ten digits.
public struct OneTimeCode: SecretText {
    public let exposed: String
    public init(_ exposed: String) { self.exposed = exposed }
}
