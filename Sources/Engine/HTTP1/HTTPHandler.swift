internal import Bytes
public import EventLoop

/// What became of a request.
public enum Disposition {
    /// The answer has been written.
    case done
    /// The answer comes from this function, which runs as a task that prefers the connection's loop. The task is
    /// cancelled when the connection breaks.
    case later(@Sendable () async -> HTTPResponse)
    /// The same with a time limit: when it has passed the task is cancelled, its answer is dropped and `orElse`
    /// answers.
    case within(Duration, orElse: @Sendable () -> HTTPResponse, @Sendable () async -> HTTPResponse)
}

/// What a handler wants to be reminded of in ``HTTPHandler/observe(_:)``.
public typealias HTTPNote = AnyObject & Sendable

/// What one exchange was, for access logs and metrics. Valid during the call only.
public struct ExchangeView: ~Escapable {
    public let method: HTTPMethod
    public let status: HTTPStatus
    /// Bytes of the request's head and body.
    public let bytesIn: Int
    /// Bytes of the whole answer.
    public let bytesOut: Int
    /// From the complete request to the queued answer, in nanoseconds.
    public let nanoseconds: UInt64
    public let peer: SocketAddress
    /// The target as it was sent; empty when no head was understood. It may hold secrets.
    public let target: Span<UInt8>
    /// What the handler left with the answer.
    public let note: (any HTTPNote)?

    @_lifetime(copy target)
    init(
        method: HTTPMethod, status: HTTPStatus, bytesIn: Int, bytesOut: Int, nanoseconds: UInt64, peer: SocketAddress,
        target: Span<UInt8>, note: (any HTTPNote)? = nil
    ) {
        self.note = note
        self.method = method
        self.status = status
        self.bytesIn = bytesIn
        self.bytesOut = bytesOut
        self.nanoseconds = nanoseconds
        self.peer = peer
        self.target = target
    }
}

/// Answers the requests of one listener on one loop. Every method is called on that loop's thread.
public protocol HTTPHandler: AnyObject {
    /// Bytes of body that this request may have; a longer one is refused with 413 before it is read.
    /// Called only for requests with a body.
    func bodyLimit(for request: borrowing RequestView) -> Int

    /// The chance to answer before the body is read (a missing key, say). True when an answer was written.
    /// Called only for requests with a body; `request.body` is empty.
    func refuse(_ request: borrowing RequestView, into response: inout ResponseWriter) -> Bool

    /// Answers a complete request.
    func respond(to request: borrowing RequestView, into response: inout ResponseWriter) -> Disposition

    /// Words the answer to a request that the engine refuses; the connection closes after it. `request.head` may be
    /// incomplete; the fields seen so far can be looked up (`Origin`, say).
    func failure(_ failure: HTTPFailure, request: borrowing RequestView, into response: inout ResponseWriter)

    /// Whether `observe` wants to be called. Asked for every exchange.
    var observes: Bool { get }

    /// An answer has been queued.
    func observe(_ exchange: borrowing ExchangeView)
}

extension HTTPHandler {
    /// Never refuses.
    public func refuse(_ request: borrowing RequestView, into response: inout ResponseWriter) -> Bool { false }

    /// `{"code":400,"error_code":"bad_request","msg":"…"}` with the failure's status and words.
    public func failure(_ failure: HTTPFailure, request: borrowing RequestView, into response: inout ResponseWriter) {
        response.begin(failure.status)
        response.header("Content-Type", "application/json")
        response.end { body in
            body.append("{\"code\":")
            body.append(decimal: Int(failure.status.code))
            body.append(",\"error_code\":\"bad_request\",\"msg\":\"")
            body.append(failure.reason)
            body.append("\"}")
        }
    }

    public var observes: Bool { false }

    /// Takes no note.
    public func observe(_ exchange: borrowing ExchangeView) {}
}
