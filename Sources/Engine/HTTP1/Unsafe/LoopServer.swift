internal import Bytes
internal import EventLoop

/// The part of a server that lives on one loop: its listeners, connections and what they share.
///
/// `@unchecked Sendable`: everything but the constants is touched on the loop's thread only.
@safe
final class LoopServer: @unchecked Sendable {
    let loop: EventLoop
    let limits: HTTPLimits
    let times: TimeLimits
    private let connectionsMax: Int
    /// Connections over all loops, for whoever waits for the end.
    private let openConnections: ConnectionCount
    let sharedLimits: SharedLimits
    /// Used by the connection that works, for as long as it works: see `Connection.work`.
    let bench: UnsafeMutablePointer<Workbench>
    let outputHighWaterBytes: Int
    private(set) var isDraining = false
    private var listeners: [Listener] = []
    private var connections: [ObjectIdentifier: Connection] = [:]

    init(loop: EventLoop, limits: HTTPLimits, connectionsMax: Int, openConnections: ConnectionCount) {
        self.loop = loop
        self.limits = limits
        times = TimeLimits(limits)
        sharedLimits = SharedLimits(limits)
        outputHighWaterBytes = limits.outputHighWaterBytes
        self.connectionsMax = max(1, connectionsMax)
        self.openConnections = openConnections
        unsafe bench = .allocate(capacity: 1)
        unsafe bench.initialize(to: Workbench(sharedLimits))
    }

    deinit {
        unsafe bench.deinitialize(count: 1)
        unsafe bench.deallocate()
    }

    // MARK: Listeners and connections

    func listen(_ socket: ListeningSocket, _ handler: any HTTPHandler) {
        let listener = Listener(socket, server: self, handler: handler)
        listeners.append(listener)
        listener.resume()
    }

    /// Takes over an accepted connection.
    func open(descriptor: Int32, peer: SocketAddress, handler: any HTTPHandler) {
        if connections.count >= connectionsMax { closeLongestIdle() }
        let connection = Connection(descriptor: descriptor, peer: peer, server: self, handler: handler)
        guard connections.count < connectionsMax, (try? loop.add(connection, .edge)) != nil else {
            Socket(descriptor: descriptor).close()
            return
        }
        connections[ObjectIdentifier(connection)] = connection
        openConnections.add(1)
        loop.setDeadline(of: connection, at: loop.now &+ times.head)
    }

    func connectionEnded(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        openConnections.add(-1)
    }

    /// Makes room: ends the connection that has been without a request for the longest time.
    func closeLongestIdle() {
        var oldest: Connection?
        for connection in connections.values where connection.isIdle && connection.since < (oldest?.since ?? .max) {
            oldest = connection
        }
        oldest?.close()
    }

    // MARK: The end

    /// Takes what waits at the listeners and closes them; connections end with their current request.
    func drain() {
        guard !isDraining else { return }
        for listener in listeners { listener.finish() }
        listeners.removeAll()
        isDraining = true
        for connection in Array(connections.values) { connection.endIfIdle() }
    }

    /// Ends every connection at once.
    func cut() {
        drain()
        for connection in Array(connections.values) { connection.close(isReset: true) }
    }
}
