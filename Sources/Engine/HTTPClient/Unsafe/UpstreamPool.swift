internal import Bytes
internal import EventLoop
internal import HTTP1
internal import Synchronization
internal import TLS

/// The connections of one loop to one server, and the requests that wait for one.
///
/// `@unchecked Sendable`: everything but `count` and the constants is touched on the loop's thread only.
final class UpstreamPool: @unchecked Sendable {
    let loop: EventLoop
    let options: HTTPClientOptions
    let times: Times
    /// nil: connections are plain.
    let secure: TLSClient?
    /// The `Host` line.
    let host: [UInt8]
    let prefix: String
    private let addresses: AddressBook
    private let count = Atomic<Int>(0)

    // The rest belongs to the loop's thread.
    var buffers = BlockPool()
    /// Idle connections, the one used last at the end: the others may become old and end.
    private var idle: [UpstreamConnection] = []
    private var open = 0
    private var queue: [Exchange] = []
    /// What of `queue` has been served.
    private var queueStart = 0
    private var isWatchingQueue = false
    /// Which of the addresses answered last.
    private var goodAddress = 0
    private var isShut = false

    /// The time-outs in nanoseconds.
    struct Times {
        let connect, queue, answer, total, idle, address: UInt64

        init(_ options: HTTPClientOptions) {
            connect = options.connectTimeout.loopNanoseconds
            queue = options.queueTimeout.loopNanoseconds
            answer = options.answerTimeout.loopNanoseconds
            total = options.totalTimeout.loopNanoseconds
            idle = options.idleTimeout.loopNanoseconds
            address = options.addressTimeout.loopNanoseconds
        }
    }

    init(
        origin: Origin, loop: EventLoop, addresses: AddressBook, secure: TLSClient?, options: HTTPClientOptions
    ) {
        self.secure = secure
        self.loop = loop
        self.addresses = addresses
        self.options = options
        times = Times(options)
        host = Array("Host: \(origin.authority)\r\n".utf8)
        prefix = origin.prefix
    }

    var connectionCount: Int { count.load(ordering: .relaxed) }

    /// Sends a request and waits for its answer. The caller's task must run on the loop.
    func exchange(_ request: ClientRequest) async -> Exchange.Outcome {
        let slot = ExchangeSlot()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let exchange = Exchange(request, pool: self, deadline: loop.now &+ times.total, waiter: waiter)
                slot.exchange = exchange
                begin(exchange)
            }
        } onCancel: {
            loop.execute { slot.exchange?.cancel() }
        }
    }

    private func begin(_ exchange: Exchange) {
        guard !isShut else {
            exchange.fail(.unreachable, "the client has been shut down")
            return
        }
        if let connection = takeIdle(for: exchange.request) {
            connection.start(exchange)
        } else if open < options.connectionsMax {
            connect(exchange)
        } else if queue.count - queueStart < options.queueMax {
            exchange.queueDeadline = loop.now &+ times.queue
            queue.append(exchange)
            watchQueue()
        } else {
            exchange.fail(.overloaded, "too many requests wait for the server")
        }
    }

    /// What may be sent once only goes to a connection that is surely still open.
    private func takeIdle(for request: ClientRequest) -> UpstreamConnection? {
        while let connection = idle.popLast() {
            if request.isRepeatable || connection.isQuiet { return connection }
            connection.close()
        }
        return nil
    }

    // MARK: Connecting

    private func connect(_ exchange: Exchange) {
        guard !exchange.isOver else { return }
        guard let known = addresses.known(now: LoopClock.now(), lifetime: times.address) else {
            addresses.lookUp { [self] found in
                loop.execute { [self] in
                    if found.isEmpty {
                        exchange.fail(.unreachable, "the server's name is not known")
                    } else {
                        connect(exchange)
                    }
                }
            }
            return
        }
        let address = known[(goodAddress &+ exchange.connectTries) % max(1, known.count)]
        exchange.connectTries += 1
        do {
            let connection = UpstreamConnection(try Socket.connecting(to: address), pool: self, for: exchange)
            open += 1
            count.store(open, ordering: .relaxed)
            connection.watch()
        } catch {
            connectFailed(exchange, error.description)
        }
    }

    /// Another try at once while there are addresses that were not tried, else after a pause.
    func connectFailed(_ exchange: Exchange, _ reason: String) {
        guard !exchange.isOver else { return }
        guard exchange.connectTries < options.connectTriesMax, loop.now < exchange.deadline, !isShut else {
            exchange.fail(.unreachable, reason)
            return
        }
        let known = addresses.known(now: LoopClock.now(), lifetime: times.address)?.count ?? 0
        if exchange.connectTries < known {
            connect(exchange)
        } else {
            let pause = options.connectPause * (1 << min(exchange.connectTries - 1, 8))
            loop.schedule(after: pause) { [self] in if !exchange.isOver { begin(exchange) } }
        }
    }

    /// A connection stands: its address is the one to begin with.
    func connected(after tries: Int) {
        if tries > 1 { goodAddress &+= tries - 1 }
    }

    /// Sends a request once more, over a connection that is new.
    func again(_ exchange: Exchange) {
        exchange.isRepeated = true
        exchange.connection = nil
        connect(exchange)
    }

    // MARK: What connections tell

    func becameIdle(_ connection: UpstreamConnection) {
        if let next = takeQueued() {
            connection.start(next)
            return
        }
        guard !isShut else {
            connection.close()
            return
        }
        idle.append(connection)
        if idle.count > options.idleMax { idle.removeFirst().close() }
    }

    func ended(_ connection: UpstreamConnection) {
        open -= 1
        count.store(open, ordering: .relaxed)
        if let place = idle.lastIndex(where: { $0 === connection }) { idle.remove(at: place) }
        if let next = takeQueued() { connect(next) }
    }

    private func takeQueued() -> Exchange? {
        while queueStart < queue.count {
            let next = queue[queueStart]
            queueStart += 1
            if queueStart == queue.count {
                queue.removeAll(keepingCapacity: true)
                queueStart = 0
            } else if queueStart >= 1024 {
                queue.removeFirst(queueStart)
                queueStart = 0
            }
            if !next.isOver { return next }
        }
        return nil
    }

    private func watchQueue() {
        guard !isWatchingQueue else { return }
        isWatchingQueue = true
        loop.schedule(after: options.queueTimeout / 8) { [self] in
            isWatchingQueue = false
            for exchange in queue[queueStart...] where exchange.queueDeadline <= loop.now {
                exchange.fail(.overloaded, "no connection became free")
            }
            if queueStart < queue.count { watchQueue() }
        }
    }

    func shutDown() {
        loop.execute { [self] in
            isShut = true
            for exchange in queue[queueStart...] { exchange.fail(.unreachable, "the client has been shut down") }
            for connection in idle { connection.close() }
        }
    }
}
