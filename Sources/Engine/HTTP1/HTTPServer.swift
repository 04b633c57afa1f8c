public import EventLoop
internal import Synchronization
internal import Glibc

/// Where a server listens.
public struct ListenerConfig: Sendable {
    /// A numeric address, `localhost` or `*`.
    public let host: String
    /// 0: a free port, the same one on every loop.
    public let port: UInt16
    /// What the handler factory is told, to tell listeners apart.
    public let tag: Int

    public init(host: String, port: UInt16, tag: Int = 0) {
        self.host = host
        self.port = port
        self.tag = tag
    }
}

/// Why a server could not start.
public enum ServerStartError: Error, Sendable, CustomStringConvertible {
    case notAnAddress(String)
    case addressInUse(SocketAddress)
    case system(SystemError)

    public var description: String {
        switch self {
        case .notAnAddress(let host): "\(host) is not an address to listen on"
        case .addressInUse(let address): "\(address) is in use"
        case .system(let error): error.description
        }
    }
}

/// An HTTP/1.1 server over the loops of a group: every loop has its own sockets, connections and handlers.
public final class HTTPServer: Sendable {
    /// Makes the handler of one listener on one loop; called once each, on that loop's thread.
    public typealias HandlerFactory = @Sendable (_ loop: EventLoop, _ loopIndex: Int, _ tag: Int) -> any HTTPHandler

    private let group: EventLoopGroup
    private let configs: [ListenerConfig]
    private let limits: HTTPLimits
    private let makeHandler: HandlerFactory
    private let count = ConnectionCount()
    private let state = Mutex(State())

    private struct State {
        var servers: [LoopServer] = []
        var addresses: [SocketAddress] = []
    }

    public init(
        group: EventLoopGroup, listeners: [ListenerConfig], limits: HTTPLimits = HTTPLimits(),
        makeHandler: @escaping HandlerFactory
    ) {
        self.group = group
        configs = listeners
        self.limits = limits
        self.makeHandler = makeHandler
    }

    /// The bound addresses in the order of the listeners; empty before `start`.
    public var addresses: [SocketAddress] { state.withLock { $0.addresses } }

    /// Connections that are open now.
    public var connectionCount: Int { count.value }

    /// Binds all listeners and begins to serve. When it returns, connections are taken.
    /// - Throws: `ServerStartError`; nothing is left bound then.
    public func start() throws(ServerStartError) {
        var sockets: [[ListeningSocket]] = []
        do {
            for config in configs { sockets.append(try Self.bind(config, loops: group.loops.count)) }
        } catch {
            for socket in sockets.joined() { socket.close() }
            throw error
        }
        let perLoop = (limits.connectionsMax + group.loops.count - 1) / group.loops.count
        let servers = group.loops.map {
            LoopServer(loop: $0, limits: limits, connectionsMax: perLoop, openConnections: count)
        }
        state.withLock {
            $0.servers = servers
            $0.addresses = sockets.compactMap { $0.first?.address }
        }
        for (index, server) in servers.enumerated() {
            let own = zip(configs, sockets).map { ($0.tag, $1[index]) }
            server.loop.execute { [makeHandler] in
                for (tag, socket) in own { server.listen(socket, makeHandler(server.loop, index, tag)) }
            }
        }
    }

    /// One socket a loop. With a shared port the kernel would let a second process in silently, so that an exclusive
    /// bind comes first and tells whether the address is free.
    private static func bind(_ config: ListenerConfig, loops: Int) throws(ServerStartError) -> [ListeningSocket] {
        guard let wanted = SocketAddress(host: config.host, port: config.port) else {
            throw .notAnAddress(config.host)
        }
        var sockets: [ListeningSocket] = []
        do {
            var address = wanted
            if wanted.port != 0 { try ListeningSocket.checkFree(wanted) }
            for _ in 0..<loops {
                let socket = try ListeningSocket(address, isShared: true)
                address = socket.address
                sockets.append(socket)
            }
        } catch {
            for socket in sockets { socket.close() }
            throw error.isAddressInUse ? .addressInUse(wanted) : .system(error)
        }
        return sockets
    }

    /// Stops taking connections; idle ones are closed, the others end with their current request.
    public func beginDrain() {
        for server in state.withLock({ $0.servers }) { server.loop.execute { server.drain() } }
    }

    /// Drains, waits until every connection has ended or `grace` has passed, then cuts the rest. Blocks its caller,
    /// which must not be a loop. The group goes on; shutting it down is its owner's.
    /// - Returns: connections that had to be cut.
    @discardableResult
    public func shutdown(grace: Duration) -> Int {
        beginDrain()
        let servers = state.withLock { $0.servers }
        let end = LoopClock.now() &+ grace.loopNanoseconds
        // The loops have drained when they have run what was handed in after it.
        waitForLoops(servers)
        while count.value > 0, LoopClock.now() < end { usleep(2000) }
        let cut = count.value
        for server in servers { server.loop.execute { server.cut() } }
        waitForLoops(servers)
        return cut
    }

    private func waitForLoops(_ servers: [LoopServer]) {
        let waiting = ConnectionCount()
        for server in servers {
            waiting.add(1)
            if !server.loop.execute({ waiting.add(-1) }) { waiting.add(-1) }
        }
        while waiting.value > 0 { usleep(500) }
    }
}
