public import EventLoop
internal import Synchronization
public import TLS

/// A client of one server: pooled keep-alive connections on every loop, requests that wait without a thread.
///
/// A request runs on the loop that its task runs on; from elsewhere it goes to one of the loops. Requests are never
/// pipelined: each has a connection for itself while it is under way.
public final class HTTPClient: Sendable {
    public let origin: Origin
    private let pools: [UpstreamPool]
    private let next = Atomic<Int>(0)

    /// - Parameter loops: those of the group that serves; at least one.
    /// - Throws: `TLSError` when the origin is secure and the system's trusted certificates cannot be read.
    public init(
        origin: Origin, loops: [EventLoop], options: HTTPClientOptions = HTTPClientOptions()
    ) throws(TLSError) {
        self.origin = origin
        let secure =
            origin.isSecure
            ? try TLSClient(host: origin.host, trustedAuthoritiesFile: options.trustedAuthoritiesFile) : nil
        let addresses = AddressBook(origin)
        pools = loops.map {
            UpstreamPool(origin: origin, loop: $0, addresses: addresses, secure: secure, options: options)
        }
    }

    /// Sends a request and waits for the whole answer, whatever its status.
    ///
    /// A request that was lost on a connection which had been idle is sent once more over a new one when
    /// ``ClientRequest/isRepeatable`` says so, or when nothing of it had left. Cancelling the task ends the exchange.
    public func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        guard let pool = pools.first(where: { $0.loop.isCurrent }) else { return try await sendFromElsewhere(request) }
        return try await pool.exchange(request).get()
    }

    private func sendFromElsewhere(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        guard !pools.isEmpty else { throw HTTPClientError(.unreachable, "the client has no loop") }
        let number = next.add(1, ordering: .relaxed).newValue
        let pool = pools[Int(UInt(bitPattern: number) % UInt(pools.count))]
        let result = await withTaskExecutorPreference(pool.loop) { await pool.exchange(request) }
        return try result.get()
    }

    /// Connections of all loops, idle ones included.
    public var connectionCount: Int { pools.reduce(0) { $0 + $1.connectionCount } }

    /// Ends idle connections now and busy ones after their answers; later requests fail. From any thread.
    public func shutDown() {
        for pool in pools { pool.shutDown() }
    }
}
