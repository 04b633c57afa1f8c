internal import Bytes
internal import EventLoop

/// One client connection: bytes in, requests to the handler, answers out.
///
/// One request is in flight at a time; those behind it wait in `input`. Answers gather in `output`, which is sent once
/// per turn. Nothing is read while a request is in flight or while `output` is above its high-water mark.
///
/// `@unchecked Sendable`: everything is touched on the loop's thread only; tasks carry it there and back.
@safe
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
    /// Reached through `work` only. Allocated apart, because a stored property would be checked and moved on every
    /// access.
    private let stream: UnsafeMutablePointer<Stream>
    /// The first byte of a request that is not complete has come.
    var hasRequest = false
    var body = BodyState()
    /// A handler's task has the request.
    private(set) var isBusy = false
    /// `input` holds bytes that were left because `output` was too full or a request was in flight.
    var hasBacklog = false
    /// The engine has refused a request: what follows cannot be told from it, and is read and dropped.
    var isRefused = false
    /// When the current head, body, idle time or stall began.
    var since: UInt64
    var flight = Flight()
    private var task: Task<Void, Never>?
    private var isStarted = false
    private var unsentBefore = Int.max
    private var lingered = 0

    init(descriptor: Int32, peer: SocketAddress, server: LoopServer, handler: any HTTPHandler) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: Stream(descriptor: descriptor))
        self.peer = peer
        self.server = server
        self.handler = handler
        since = server.loop.now
        super.init(descriptor: descriptor)
    }

    deinit {
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Whether no request has begun and no answer is waiting.
    var isIdle: Bool {
        guard phase == .open, !isBusy else { return false }
        return unsafe stream.pointee.input.isEmpty && stream.pointee.output.isEmpty
    }

    /// Does `body` with the stream and the loop's bench in hand. Exclusive: the loop calls one source at a time, and
    /// nothing that runs in `body` (parser, handler, writer) can reach a connection or the bench.
    @inline(__always)
    private func work(_ body: (inout Stream, inout Workbench) -> Void) {
        unsafe body(&stream.pointee, &server.bench.pointee)
    }

    // MARK: Events

    override func ready(_ readiness: Readiness) {
        work { stream, bench in
            if readiness.contains(.failed) {
                close(&stream, &bench)
                return
            }
            if !readiness.isDisjoint(with: [.peerClosed, .hungUp]) { stream.endIsNear = true }
            if stream.endIsNear || readiness.contains(.readable) { stream.isReadable = true }
            if readiness.contains(.writable) { stream.isWritable = true }
            turn(&stream, &bench)
        }
    }

    override func endOfTurn() {
        work { stream, bench in turn(&stream, &bench) }
    }

    /// Reads, answers and sends as far as it goes now.
    private func turn(_ stream: inout Stream, _ bench: inout Workbench) {
        if phase == .lingering {
            drain(&stream, &bench)
            return
        }
        var rounds = 0
        repeat {
            guard pump(&stream, &bench) else { return }
            flush(&stream, &bench)
            rounds += 1
        } while hasBacklog && canServe(stream) && rounds < server.limits.readsPerTurnMax
        guard phase != .closed else { return }
        if hasBacklog, canServe(stream) { server.loop.callAgain(self) }
        settle(&stream, &bench)
    }

    private func canServe(_ stream: borrowing Stream) -> Bool {
        phase == .open && !isBusy && stream.output.count < server.outputHighWaterBytes
    }

    /// Reads and serves until there is nothing to read or a reason to wait. False when the connection broke.
    private func pump(_ stream: inout Stream, _ bench: inout Workbench) -> Bool {
        if hasBacklog, canServe(stream) { serve(&stream, &bench) }
        var reads = 0
        while stream.isReadable, canServe(stream) {
            guard reads < server.limits.readsPerTurnMax else {
                server.loop.callAgain(self)
                return true
            }
            reads += 1
            let wasEmpty = stream.input.isEmpty
            if wasEmpty { bench.pool.fill(&stream.input) }
            switch stream.socket.read(into: &stream.input, room: 2048) {
            case .moved(_, let isShort):
                if isShort, !stream.endIsNear { stream.isReadable = false }
                if wasEmpty, isStarted { since = server.loop.now }
                isStarted = true
                serve(&stream, &bench)
            case .wouldBlock: stream.isReadable = false
            case .end:
                stream.hasEnded = true
                stream.isReadable = false
            case .failed:
                close(&stream, &bench)
                return false
            }
        }
        return true
    }

    /// Sends what waits.
    private func flush(_ stream: inout Stream, _ bench: inout Workbench) {
        while !stream.output.isEmpty, stream.isWritable {
            switch stream.socket.write(from: &stream.output) {
            case .moved(_, let isShort):
                if isShort { stream.isWritable = false }
                unsentBefore = .max
                if !stream.output.isEmpty { since = server.loop.now }
            case .failed:
                close(&stream, &bench)
                return
            case .wouldBlock, .end: stream.isWritable = false
            }
        }
    }

    /// After the work of a turn: ends the connection if it is over, else gives buffers back and sets the deadline.
    private func settle(_ stream: inout Stream, _ bench: inout Workbench) {
        if stream.output.isEmpty {
            if phase == .open, stream.hasEnded, !isBusy, !hasBacklog {
                close(&stream, &bench)
                return
            }
            if phase == .closing {
                finish(&stream, &bench)
                return
            }
            bench.pool.recycle(&stream.output)
        }
        if stream.input.isEmpty { bench.pool.recycle(&stream.input) }
        arm(hasInput: !stream.input.isEmpty, hasOutput: !stream.output.isEmpty)
    }

    // MARK: Deadlines

    private func arm(hasInput: Bool, hasOutput: Bool) {
        let deadline: UInt64
        if hasOutput {
            deadline = since &+ server.times.write
        } else if isBusy {
            guard flight.deadline != 0 else {
                server.loop.clearDeadline(of: self)
                return
            }
            deadline = flight.deadline
        } else if body.isReading {
            deadline = bodyDeadline
        } else if hasInput || !isStarted {
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
        var isLate = false
        work { stream, bench in
            switch phase {
            case .closed: return
            case .lingering: close(&stream, &bench)
            case .closing: close(&stream, &bench, isReset: true)
            case .open:
                if !stream.output.isEmpty {
                    close(&stream, &bench, isReset: true)
                } else if isBusy {
                    isLate = flight.deadline != 0 && server.loop.now >= flight.deadline
                    if !isLate { arm(hasInput: !stream.input.isEmpty, hasOutput: false) }
                } else if body.isReading, bodyDeadline > server.loop.now {
                    arm(hasInput: !stream.input.isEmpty, hasOutput: false)
                } else if body.isReading || !stream.input.isEmpty {
                    timeOut(&stream, &bench)
                } else if !isStarted {
                    close(&stream, &bench)
                } else {
                    checkIdle(&stream, &bench)
                }
            }
        }
        if isLate { expire() }
    }

    /// Ends an idle connection, or one whose peer takes nothing of what the kernel still holds for it.
    private func checkIdle(_ stream: inout Stream, _ bench: inout Workbench) {
        let now = server.loop.now
        let unsent = stream.socket.unsentBytes
        if unsent > 0, unsent == unsentBefore {
            close(&stream, &bench, isReset: true)
            return
        }
        unsentBefore = unsent
        let end = since &+ server.times.idle
        if now >= end {
            close(&stream, &bench)
        } else {
            server.loop.setDeadline(of: self, at: unsent > 0 ? now &+ server.times.write / 2 : end)
        }
    }

    /// 408, unless nothing but an empty line has come: then there is no request that could be answered.
    private func timeOut(_ stream: inout Stream, _ bench: inout Workbench) {
        guard hasRequest else {
            close(&stream, &bench)
            return
        }
        fail(HTTPFailure(.timeout, "the request took too long"), &stream, &bench)
        flush(&stream, &bench)
        guard phase != .closed else { return }
        settle(&stream, &bench)
    }

    // MARK: Asynchronous answers

    /// Starts the task of a handler that answers later: the one place in the engine that makes tasks.
    func start(_ work: @escaping @Sendable () async -> HTTPResponse) {
        isBusy = true
        flight.number &+= 1
        let number = flight.number
        task = Task(executorPreference: server.loop) { [self] in
            let response = await work()
            complete(response, flight: number)
        }
    }

    /// Answers in place of a task that takes too long.
    private func expire() {
        guard let orElse = flight.orElse else { return }
        let late = task
        complete(orElse(), flight: flight.number)
        late?.cancel()
    }

    private func complete(_ response: HTTPResponse, flight number: UInt64) {
        guard phase == .open, isBusy, number == flight.number else { return }
        task = nil
        flight.orElse = nil
        isBusy = false
        work { stream, bench in
            answer(response, &stream, &bench)
            hasBacklog = !stream.input.isEmpty
            if hasBacklog {
                if canServe(stream) { serve(&stream, &bench) }
            } else {
                // Nothing can join this answer: the peer goes on while the turn's other tasks are answered.
                flush(&stream, &bench)
            }
        }
        server.loop.callAtEndOfTurn(self)
    }

    // MARK: The end

    /// All answers are sent: close at once if the peer has nothing more for us, else wait for it a little.
    ///
    /// After a refusal the peer may be in the middle of a message; closing at once could destroy the answer on its way.
    private func finish(_ stream: inout Stream, _ bench: inout Workbench) {
        if stream.hasEnded || stream.input.isEmpty && !stream.isReadable && !isRefused {
            close(&stream, &bench)
            return
        }
        bench.pool.recycle(&stream.output)
        stream.socket.shutdownWriting()
        phase = .lingering
        server.loop.setDeadline(of: self, at: server.loop.now &+ server.times.linger)
        drain(&stream, &bench)
    }

    private func drain(_ stream: inout Stream, _ bench: inout Workbench) {
        while stream.isReadable, lingered <= server.limits.lingerBytesMax {
            stream.input.removeAll()
            bench.pool.fill(&stream.input)
            switch stream.socket.read(into: &stream.input, room: 2048) {
            case .moved(let count, _): lingered += count
            case .wouldBlock: stream.isReadable = false
            case .end, .failed:
                close(&stream, &bench)
                return
            }
        }
        stream.input.removeAll()
        bench.pool.recycle(&stream.input)
        if lingered > server.limits.lingerBytesMax { close(&stream, &bench) }
    }

    /// When a server drains: ends the connection unless it has, or may be about to get, a request.
    func endIfIdle() {
        work { stream, bench in
            stream.isReadable = true
            turn(&stream, &bench)
        }
        guard isIdle else { return }
        if isStarted {
            close()
        } else {
            server.loop.setDeadline(of: self, at: server.loop.now &+ server.times.linger)
        }
    }

    /// Ends the connection at once.
    func close(isReset: Bool = false) {
        work { stream, bench in close(&stream, &bench, isReset: isReset) }
    }

    private func close(_ stream: inout Stream, _ bench: inout Workbench, isReset: Bool = false) {
        guard phase != .closed else { return }
        phase = .closed
        task?.cancel()
        task = nil
        server.loop.remove(self)
        stream.socket.close(isReset: isReset)
        stream.input.removeAll()
        stream.output.removeAll()
        bench.pool.recycle(&stream.input)
        bench.pool.recycle(&stream.output)
        stream.partial = nil
        stream.isPartial = false
        server.connectionEnded(self)
    }
}
