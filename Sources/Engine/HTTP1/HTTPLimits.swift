/// What a server takes from its peers. Every value can be set; the defaults are those of the product.
///
/// Source: reliability-security A.1 (limits), C (time-outs).
public struct HTTPLimits: Sendable {
    /// Bytes of the method (501 beyond).
    public var methodBytesMax = 32
    /// Bytes of the request target (414 beyond).
    public var targetBytesMax = 64 * 1024
    /// Bytes of one field line (431 beyond).
    public var fieldBytesMax = 36 * 1024
    /// Bytes of a field name (431 beyond).
    public var fieldNameBytesMax = 256
    /// Field lines of a request (431 beyond).
    public var fieldsMax = 100
    /// Bytes of the whole field section, and of the trailers (431 beyond).
    public var headBytesMax = 64 * 1024
    /// Bytes of the Host value.
    public var hostBytesMax = 255
    /// Empty lines skipped before a request line (400 beyond).
    public var emptyLinesMax = 4
    /// Bytes of one chunk extension (400 beyond).
    public var chunkExtensionBytesMax = 1024
    /// Hexadecimal digits of a chunk size (400 beyond).
    public var chunkSizeDigitsMax = 16
    /// Framing bytes of a chunked body allowed for each byte of data (413 beyond) ...
    public var chunkOverheadFactor = 16
    /// ... and framing bytes that are allowed whatever the data.
    public var chunkOverheadBytesMin = 16 * 1024

    /// Connections over all loops. A new one beyond takes the place of the one that has been idle longest.
    public var connectionsMax = 10_000
    /// Unsent response bytes of a connection at which no further pipelined request is answered and nothing is read.
    public var outputHighWaterBytes = 256 * 1024
    /// Bytes that are read and dropped after a final answer, so that the peer can read it before the socket ends.
    /// Twice the largest body that is taken: a client that sends a little too much can still read why it was refused.
    public var lingerBytesMax = 2 * 1024 * 1024
    /// Receive calls of one connection in one turn of the loop.
    public var readsPerTurnMax = 16

    /// From the first byte of a request (or from the connection's start) to the end of its head.
    public var headTimeout: Duration = .seconds(10)
    /// A connection without a request.
    public var idleTimeout: Duration = .seconds(75)
    /// A body may take this long, and on top of it as long as its received bytes take at `bodyBytesPerSecondMin`.
    public var bodyGrace: Duration = .seconds(10)
    /// The slowest sending of a body that is borne, in bytes a second.
    public var bodyBytesPerSecondMin = 240
    /// How long a peer may take no byte of a response that is waiting to be sent.
    public var writeTimeout: Duration = .seconds(30)
    /// How long a connection is read from and ignored after its last answer.
    public var lingerTimeout: Duration = .seconds(2)
    /// How long accepting rests when descriptors have run out.
    public var acceptPause: Duration = .milliseconds(100)

    public init() {}
}
