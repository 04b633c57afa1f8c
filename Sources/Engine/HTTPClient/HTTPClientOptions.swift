/// What a client gives one server: connections, sizes, times. Every value can be set; the defaults are the product's.
///
/// Source: reliability-security C ("slow/dead remote backend"), A.1 ("upstream responses").
public struct HTTPClientOptions: Sendable {
    /// Connections of one loop at most, idle ones included; with so many busy, requests wait in a queue.
    public var connectionsMax = 256
    /// Idle connections that one loop keeps at most.
    public var idleMax = 64
    /// Requests of one loop that may wait for a connection; one more fails at once.
    public var queueMax = 1024
    /// Tries to reach the server before a request fails, over all its addresses.
    public var connectTriesMax = 3

    /// Bytes of the answer's status line and fields.
    public var headBytesMax = 64 * 1024
    /// Field lines of an answer.
    public var fieldsMax = 100
    /// Interim (1xx) answers before the final one.
    public var interimsMax = 8
    /// Bytes of an answer's body.
    public var bodyBytesMax = 16 * 1024 * 1024

    /// One try to connect (and to shake hands).
    public var connectTimeout: Duration = .seconds(2)
    /// The pause before the server is tried again; the second is twice as long.
    public var connectPause: Duration = .milliseconds(50)
    /// Waiting for a connection to become free.
    public var queueTimeout: Duration = .seconds(2)
    /// From the sent request to the first byte of the answer, and from then on between its bytes.
    public var answerTimeout: Duration = .seconds(10)
    /// All of a request: waiting, connecting, sending, the whole answer.
    public var totalTimeout: Duration = .seconds(30)
    /// How long an idle connection is kept; shorter when the server says so.
    public var idleTimeout: Duration = .seconds(30)
    /// How long found addresses of a host name count before they are looked up again (meanwhile they still do).
    public var addressTimeout: Duration = .seconds(30)

    /// PEM file of certificates that count in place of the system's, for `https`.
    public var trustedAuthoritiesFile: String?

    public init() {}
}
