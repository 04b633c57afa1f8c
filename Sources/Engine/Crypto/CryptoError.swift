/// A failure of the cryptographic library or a key it cannot use. Holds no key and no plaintext.
public struct CryptoError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What failed.
    public enum Code: Sendable {
        /// A key whose parts do not belong together, or of a kind or size that is not accepted.
        case invalidKey
        /// The library reported an error.
        case operationFailed
    }

    /// What failed.
    public let code: Code
    /// For logs: which step, or what is wrong with the key.
    public let detail: String

    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    public var description: String { detail }
}
