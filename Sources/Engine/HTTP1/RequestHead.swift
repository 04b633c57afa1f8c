/// One field line of a head: where its name and value stand, counted from the first byte of the message.
public struct HeaderField: Sendable {
    public let id: KnownHeader
    let nameStart: UInt32
    let nameCount: UInt32
    let valueStart: UInt32
    let valueCount: UInt32

    var name: Range<Int> { Int(nameStart)..<Int(nameStart &+ nameCount) }
    var value: Range<Int> { Int(valueStart)..<Int(valueStart &+ valueCount) }
}

/// The parsed head of a request: numbers and places only, no copies. Places count from the first byte of the message.
public struct RequestHead: Sendable {
    public internal(set) var method = HTTPMethod.other
    /// 0 or 1: the minor version of HTTP/1.
    public internal(set) var minorVersion: UInt8 = 1
    /// Whether the connection may serve another request after this one.
    public internal(set) var isKeepAlive = true
    /// Whether the body comes in chunks.
    public internal(set) var isChunked = false
    /// Whether the client waits for `100 Continue` before it sends the body.
    public internal(set) var expectsContinue = false
    /// Whether `Connection` names `upgrade` (never for HTTP/1.0).
    public internal(set) var wantsUpgrade = false
    /// Whether the path holds `.` or `..` segments as they are: then only `normalizedPath` may be matched.
    public internal(set) var hasDotSegments = false
    /// Whether the path holds percent triplets (all of them are valid, and none stands for `/`, `\`, NUL or a dot
    /// segment).
    public internal(set) var hasPercent = false
    /// Content-Length; 0 without one.
    public internal(set) var contentLength = 0

    var hasContentLength = false
    var methodPlace = Place(0, 0)
    /// The target as sent.
    var targetPlace = Place(0, 0)
    var pathPlace = Place(0, 0)
    /// Without the question mark; empty without a query.
    var queryPlace = Place(0, 0)
    var hostPlace = Place(0, 0)
    /// Bytes of the head with its closing empty line.
    var byteCount = 0

    /// Whether a body follows.
    public var hasBody: Bool { isChunked || contentLength > 0 }

    var methodRange: Range<Int> { methodPlace.range }
    var targetRange: Range<Int> { targetPlace.range }
    var pathRange: Range<Int> { pathPlace.range }
    var queryRange: Range<Int> { queryPlace.range }
    var hostRange: Range<Int> { hostPlace.range }
}

/// A place in a message: a range in half the room. Heads are far shorter than 4 GiB.
struct Place: Sendable {
    private let start: UInt32
    private let end: UInt32

    init(_ start: Int, _ end: Int) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: max(start, end))
    }

    var range: Range<Int> { Int(start)..<Int(end) }
}
