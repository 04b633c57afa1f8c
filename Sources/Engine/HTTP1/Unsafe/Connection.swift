internal import Bytes
internal import EventLoop

/// One client connection: bytes in, requests to the handler, answers out.
///
/// One request is in flight at a time; those behind it wait in `input`. Answers gather in `output`, which is sent once per
/// turn. Nothing is read while a request is in flight or while `output` is above its high-water mark.
///
/// `@unchecked Sendable`: everything is touched on the loop's thread only; tasks carry it there and back.
final class Connection: EventSource, @unchecked Sendable {
    enum Phase: UInt8 {
        /// Serving requests.
        case open
        /// The last answer is in `output`; then the connection ends.
        case closing
        /// All is sent; what the peer still sends is dropped, so that it can read the answer.
        case lingering
        case closed
    }

    let server: LoopServer
    let handler: any HTTPHandler
    let peer: SocketAddress
    var phase = Phase.open
    var input = ByteBuffer()
    var output = ByteBuffer()
    /// The parser of a request that is not complete yet.
    var parser: HeadParser?
    /// The first byte of a request that is not complete has come.
    var hasRequest = false
    var body = BodyState()
    var isReadable = false
    private var isWritable = true
    /// The kernel has announced the peer's last byte, and it has been read.
    private var endIsNear = false
    private var hasEnded = false
    /// A handler's task has the request.
    private(set) var isBusy = false
    /// `input` holds bytes that were left because `output` was too full or a request was in flight.
    var hasBacklog = false
    /// When the current head, body, idle time or stall began.
    var since: UInt64
    var flight = Flight()
    private var socket: Socket
    private var task: Task<Void, Never>?
    private var isStarted = false
    private var unsentBefore = Int.max
    private var lingered = 0

    init(descriptor: Int32, peer: SocketAddress, server: LoopServer, handler: any HTTPHandler) {
        socket = Socket(descriptor: descriptor)
        self.peer = peer
        self.server = server
        self.handler = handler
        since = server.loop.now
        super.init(descriptor: descriptor)
    }

    /// Whether no request has begun and no answer is waiting.
    var isIdle: Bool { phase == .open && !isBusy && input.isEmpty && output.isEmpty }

    // MARK: Events

    override func ready(_ readiness: Readiness) {
        if readiness.contains(.failed) {
            close()
            return
        }
        if !readiness.isDisjoint(with: [.peerClosed, .hungUp]) { endIsNear = true }
        if endIsNear || readiness.contains(.readable) { isReadable = true }
        if readiness.contains(.writable) { isWritable = true }
        turn()
    }

    override func endOfTurn() {
        turn()
    }

    /// Reads, answers and sends as far as it goes now.
    func turn() {
        if phase == .lingering {
            drain()
            return
        }
        var rounds = 0
        repeat {
            guard pump() else { return }
            flush()
            rounds += 1
        } while hasBacklog && canServe && rounds < server.limits.readsPerTurnMax
        guard phase != .closed else { return }
        if hasBacklog, canServe { server.loop.callAgain(self) }
        settle()
    }

    private var canServe: Bool {
        phase == .open && !isBusy && output.count < server.limits.outputHighWaterBytes
    }

    /// Reads and serves until there is nothing to read or a reason to wait. False when the connection broke.
    private func pump() -> Bool {
        if hasBacklog, canServe { serve() }
        var reads = 0
        while isReadable, canServe {
            guard reads < server.limits.readsPerTurnMax else {
                server.loop.callAgain(self)
                return true
            }
            reads += 1
            let wasEmpty = input.isEmpty
            if wasEmpty { server.pool.fill(&input) }
            switch socket.read(into: &input, room: 2048) {
            case .moved(_, let isShort):
                if isShort, !endIsNear { isReadable = false }
                if wasEmpty, isStarted { since = server.loop.now }
                isStarted = true
                serve()
            case .wouldBlock: isReadable = false
            case .end:
                hasEnded = true
                isReadable = false
            case .failed:
                close()
                return false
            }
        }
        return true
    }

    /// Sends what waits.
    private func flush() {
        while !output.isEmpty, isWritable {
            switch socket.write(from: &output) {
            case .moved(_, let isShort):
                if isShort { isWritable = false }
                unsentBefore = .max
                if !output.isEmpty { since = server.loop.now }
            case .failed:
                close()
                return
            case .wouldBlock, .end: isWritable = false
            }
        }
    }

    /// After the work of a turn: ends the connection if it is over, else gives buffers back and sets the deadline.
    private func settle() {
        if phase == .open, hasEnded, !isBusy, !hasBacklog, output.isEmpty {
            close()
            return
        }
        if phase == .closing, output.isEmpty {
            finish()
            return
        }
        if output.isEmpty { server.pool.recycle(&output) }
        if input.isEmpty { server.pool.recycle(&input) }
        arm()
    }

    // MARK: Deadlines

    private func arm() {
        let deadline: UInt64
        if !output.isEmpty {
            deadline = since &+ server.times.write
        } else if isBusy {
            server.loop.clearDeadline(of: self)
            return
        } else if body.isReading {
            deadline = bodyDeadline
        } else if !input.isEmpty || !isStarted {
            deadline = since &+ server.times.head
        } else {
            since = server.loop.now
            deadline = since &+ min(server.times.idle, server.times.write / 2)
        }
        server.loop.setDeadline(of: self, at: deadline)
    }

    /// The grace and the time that the bytes so far may have taken at the lowest rate.
    private var bodyDeadline: UInt64 {
        let rate = UInt64(max(1, server.limits.bodyBytesPerSecondMin))
        return body.began &+ server.times.bodyGrace &+ UInt64(max(0, body.received)) &* 1_000_000_000 / rate
    }

    override func deadlinePassed() {
        switch phase {
        case .closed: return
        case .lingering: close()
        case .closing: close(isReset: true)
        case .open:
            if !output.isEmpty {
                close(isReset: true)
            } else if isBusy {
                return
            } else if body.isReading {
                if bodyDeadline > server.loop.now { arm() } else { timeOut() }
            } else if !input.isEmpty {
                timeOut()
            } else if !isStarted {
                close()
            } else {
                checkIdle()
            }
        }
    }

    /// Ends an idle connection, or one whose peer takes nothing of what the kernel still holds for it.
    private func checkIdle() {
        let now = server.loop.now
        let unsent = socket.unsentBytes
        if unsent > 0, unsent == unsentBefore {
            close(isReset: true)
            return
        }
        unsentBefore = unsent
        let end = since &+ server.times.idle
        if now >= end {
            close()
        } else {
            server.loop.setDeadline(of: self, at: unsent > 0 ? now &+ server.times.write / 2 : end)
        }
    }

    /// 408, unless nothing but an empty line has come: then there is no request that could be answered.
    private func timeOut() {
        guard hasRequest else {
            close()
            return
        }
        fail(HTTPFailure(.timeout, "the request took too long"))
        flush()
        guard phase != .closed else { return }
        settle()
    }

    // MARK: Asynchronous answers

    /// Starts the task of a handler that answers later: the one place in the engine that makes tasks.
    func start(_ work: @escaping @Sendable () async -> HTTPResponse) {
        isBusy = true
        task = Task(executorPreference: server.loop) { [self] in
            let response = await work()
            complete(response)
        }
    }

    private func complete(_ response: HTTPResponse) {
        task = nil
        guard phase == .open, isBusy else { return }
        isBusy = false
        answer(response)
        hasBacklog = !input.isEmpty
        if hasBacklog, canServe { serve() }
        server.loop.callAtEndOfTurn(self)
    }

    // MARK: The end

    /// All answers are sent: close at once if the peer has nothing more for us, else wait for it a little.
    private func finish() {
        if hasEnded || input.isEmpty && !isReadable && !body.isReading {
            close()
            return
        }
        server.pool.recycle(&output)
        socket.shutdownWriting()
        phase = .lingering
        server.loop.setDeadline(of: self, at: server.loop.now &+ server.times.linger)
        drain()
    }

    private func drain() {
        while isReadable, lingered <= server.limits.lingerBytesMax {
            input.removeAll()
            server.pool.fill(&input)
            switch socket.read(into: &input, room: 2048) {
            case .moved(let count, _): lingered += count
            case .wouldBlock: isReadable = false
            case .end, .failed:
                close()
                return
            }
        }
        input.removeAll()
        server.pool.recycle(&input)
        if lingered > server.limits.lingerBytesMax { close() }
    }

    /// When a server drains: ends the connection unless it has, or may be about to get, a request.
    func endIfIdle() {
        isReadable = true
        turn()
        guard isIdle else { return }
        if isStarted {
            close()
        } else {
            server.loop.setDeadline(of: self, at: server.loop.now &+ server.times.linger)
        }
    }

    func close(isReset: Bool = false) {
        guard phase != .closed else { return }
        phase = .closed
        task?.cancel()
        task = nil
        server.loop.remove(self)
        socket.close(isReset: isReset)
        input.removeAll()
        output.removeAll()
        server.pool.recycle(&input)
        server.pool.recycle(&output)
        parser = nil
        server.connectionEnded(self)
    }
}
