/// Why a web call or a mail did not succeed.
///
/// The text never holds an address, a header, a body or a credential, so it may be logged as it stands.
public struct OutgoingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong, as far as a caller may want to decide on it.
    public enum Kind: Sendable, Equatable {
        /// The request or message itself cannot be sent: a line break in a header, a scheme other than http(s).
        case invalid
        /// Nothing listens there, or the way there is closed.
        case refused
        /// No answer within the connect or total time-out.
        case timedOut
        /// The handshake failed, the certificate is not to be trusted, or TLS was required and not offered.
        case tls
        /// The host name has no address.
        case dns
        /// The mail server said no with this reply code (RFC 5321, 4.2): 4xx may be tried again, 5xx not.
        case mailReply(Int)
        /// The peer hung up or spoke something else before it had answered.
        case closed
        /// The answer is larger than the request allows.
        case tooLarge
        /// The redirects went on for longer than the request allows.
        case tooManyRedirects
        /// The caller's task was cancelled.
        case cancelled
        /// The client's queue is full.
        case overloaded
        /// The client is shutting down.
        case shutDown
        /// Anything else that libcurl reports.
        case failed
    }

    /// What went wrong.
    public let kind: Kind
    /// A short text for logs, without secrets.
    public let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Whether the same call may well succeed later: time-outs, refused connections, 4xx mail replies and the like.
    public var isTransient: Bool {
        switch kind {
        case .refused, .timedOut, .dns, .closed, .overloaded, .shutDown, .failed: true
        case .mailReply(let code): code < 500
        case .invalid, .tls, .tooLarge, .tooManyRedirects, .cancelled: false
        }
    }

    /// Whether a mail server refused for good (a 5xx reply: RFC 5321, 4.2.1).
    public var isPermanentRefusal: Bool {
        if case .mailReply(let code) = kind { code >= 500 } else { false }
    }
}
