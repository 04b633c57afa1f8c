internal import Bytes
internal import EventLoop
internal import HTTP1
internal import TLS

/// One connection to the server: a request goes out, its answer comes in, then the next.
///
/// `@unchecked Sendable`: everything is touched on the pool's loop only.
final class UpstreamConnection: EventSource, @unchecked Sendable {
    private enum Phase: UInt8 {
        case connecting, shakingHands, busy, idle, closed
    }

    /// Receive calls in one turn of the loop.
    private static let readsPerTurnMax = 16
    /// Bytes that are read at a time at least.
    private static let readBytes = 4096

    private let pool: UpstreamPool
    private let socket: Socket
    private var tls: TLSSession?
    private var phase = Phase.connecting
    private var exchange: Exchange?
    private var output = ByteBuffer()
    private var input = ByteBuffer()
    private var parser: ResponseParser
    private var decoder: ChunkDecoder?
    /// The data of a chunked body so far.
    private var body: [UInt8] = []
    private var isHeadKnown = false
    private var interims = 0
    /// Where the bytes begin that the decoder has not seen.
    private var rawStart = 0
    private var isWritable = false
    /// The kernel has announced the server's last byte.
    private var endIsNear = false
    /// Answers that were read on it.
    private var uses = 0
    private var sentBytes = 0
    private var hasAnswer = false
    private var idleLimit: UInt64

    init(_ socket: consuming Socket, pool: UpstreamPool, for exchange: Exchange) {
        let descriptor = socket.descriptor
        self.socket = socket
        self.pool = pool
        self.exchange = exchange
        parser = ResponseParser(headBytesMax: pool.options.headBytesMax, fieldsMax: pool.options.fieldsMax)
        idleLimit = pool.times.idle
        super.init(descriptor: descriptor)
        exchange.connection = self
    }

    /// Lets the loop watch it, which tells when it is connected.
    func watch() {
        do {
            try pool.loop.add(self, .edge)
        } catch {
            refused(error.description)
            return
        }
        pool.loop.setDeadline(of: self, at: LoopClock.now() &+ pool.times.connect)
    }

    /// Whether nothing has come that nobody asked for.
    var isQuiet: Bool { tls?.isQuiet ?? socket.isQuiet }

    // MARK: Events

    override func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) || tls != nil { isWritable = true }
        if !readiness.isDisjoint(with: [.peerClosed, .hungUp, .failed]) { endIsNear = true }
        switch phase {
        case .connecting: finishConnecting(readiness)
        case .shakingHands: shakeHands()
        case .busy:
            if readiness.contains(.readable) || endIsNear { receive() }
            if phase == .busy, !output.isEmpty { flush() }
        case .idle:
            if endIsNear || readiness.contains(.readable) && !(tls?.isQuiet ?? false) { close() }
        case .closed: break
        }
    }

    private func finishConnecting(_ readiness: Readiness) {
        let fault = socket.connectError
        guard fault == nil, readiness.contains(.writable), !readiness.contains(.failed) else {
            if fault != nil || endIsNear { refused(fault?.description ?? "the connection was refused") }
            return
        }
        do {
            guard let session = try pool.secure?.session(on: descriptor) else {
                begin()
                return
            }
            tls = session
            phase = .shakingHands
            shakeHands()
        } catch {
            refused(error.description)
        }
    }

    private func shakeHands() {
        switch tls?.shakeHands() {
        case .done: begin()
        case .waits: break
        case .failed(let reason): refused(reason)
        case nil: close()
        }
    }

    /// The connection stands.
    private func begin() {
        guard let exchange else {
            close()
            return
        }
        pool.connected(after: exchange.connectTries)
        start(exchange)
    }

    private func refused(_ reason: String) {
        let waiting = exchange
        exchange = nil
        waiting?.connection = nil
        close()
        if let waiting { pool.connectFailed(waiting, reason) }
    }

    override func deadlinePassed() {
        switch phase {
        case .connecting, .shakingHands: refused("connecting took too long")
        case .busy:
            let late = exchange
            exchange = nil
            close()
            late?.fail(.timedOut, hasAnswer ? "the answer came too slowly" : "the server did not answer in time")
        case .idle: close()
        case .closed: break
        }
    }

    // MARK: Sending

    /// Sends a request; the connection must be new or idle.
    func start(_ exchange: Exchange) {
        self.exchange = exchange
        exchange.connection = self
        phase = .busy
        hasAnswer = false
        sentBytes = 0
        pool.buffers.fill(&output)
        exchange.request.render(into: &output, host: pool.host, prefix: pool.prefix)
        arm()
        flush()
    }

    private func arm() {
        guard let exchange else { return }
        pool.loop.setDeadline(of: self, at: min(pool.loop.now &+ pool.times.answer, exchange.deadline))
    }

    private func flush() {
        while !output.isEmpty, isWritable {
            switch tls?.write(from: &output) ?? socket.write(from: &output) {
            case .moved(let count, let isShort):
                sentBytes &+= count
                if isShort { isWritable = false }
            case .wouldBlock, .end: isWritable = false
            case .failed:
                // What the server has said before it closed is read first.
                receive()
                if phase == .busy { lost("the connection broke while the request was sent") }
                return
            }
        }
        if output.isEmpty { pool.buffers.recycle(&output) }
    }

    // MARK: Receiving

    private func receive() {
        var reads = 0
        while phase == .busy {
            guard reads < Self.readsPerTurnMax else {
                pool.loop.callAgain(self)
                return
            }
            reads += 1
            if input.isEmpty { pool.buffers.fill(&input) }
            switch tls?.read(into: &input, room: Self.readBytes) ?? socket.read(into: &input, room: Self.readBytes) {
            case .moved(_, let isShort):
                hasAnswer = true
                arm()
                advance()
                if isShort, !endIsNear { return }
            case .wouldBlock: return
            case .end:
                finishAtEnd()
                return
            case .failed:
                lost("the connection broke")
                return
            }
        }
    }

    private func advance() {
        guard let exchange else { return }
        while !isHeadKnown {
            switch parser.parse(input.bytes, method: exchange.request.method) {
            case .needsMore: return
            case .failed(let reason):
                refuse(reason)
                return
            case .complete:
                if parser.status < 200 {
                    guard takeInterim() else { return }
                } else if !beginBody() {
                    return
                }
            }
        }
        advanceBody()
    }

    private func takeInterim() -> Bool {
        interims += 1
        guard interims <= pool.options.interimsMax else {
            refuse("too many interim answers")
            return false
        }
        input.consume(parser.byteCount)
        parser.reset()
        return !input.isEmpty
    }

    private func beginBody() -> Bool {
        isHeadKnown = true
        switch parser.framing {
        case .length(let length):
            guard length <= pool.options.bodyBytesMax else {
                refuse("the body is too large")
                return false
            }
        case .chunked:
            decoder = ChunkDecoder(bodyBytesMax: pool.options.bodyBytesMax)
            rawStart = parser.byteCount
        case .none, .untilClose: break
        }
        return true
    }

    private func advanceBody() {
        let start = parser.byteCount
        switch parser.framing {
        case .none: finish(body: [], end: start)
        case .length(let length):
            if input.count - start >= length { finish(body: bytes(start..<start + length), end: start + length) }
        case .chunked: decode()
        case .untilClose:
            if input.count - start > pool.options.bodyBytesMax { refuse("the body is too large") }
        }
    }

    private func bytes(_ range: Range<Int>) -> [UInt8] {
        input.array(range)
    }

    /// Decodes what has come; of the input only the head is kept.
    private func decode() {
        guard var decoder else { return }
        while true {
            switch decoder.feed(input.bytes, from: rawStart) {
            case .needsMore:
                input.truncate(to: parser.byteCount)
                rawStart = parser.byteCount
                self.decoder = decoder
                return
            case .data(let range):
                body.append(contentsOf: bytes(range))
                rawStart = range.upperBound
            case .end(let end):
                let whole = body
                body = []
                finish(body: whole, end: end)
                return
            case .failed(let failure):
                refuse("\(failure.reason)")
                return
            }
        }
    }

    /// The server has closed: the end of a body that nothing else ends, or a loss.
    private func finishAtEnd() {
        endIsNear = true
        if isHeadKnown, parser.framing == .untilClose {
            finish(body: bytes(parser.byteCount..<input.count), end: input.count)
        } else {
            lost(hasAnswer ? "the answer ended early" : "the server closed the connection")
        }
    }

    /// Hands the answer over and gives the connection back, or ends it.
    private func finish(body: [UInt8], end: Int) {
        guard let exchange else { return }
        let keepsHead = parser.status != 200 || exchange.request.wantsFields
        let response = ClientResponse(
            status: HTTPStatus(parser.status), body: body, head: keepsHead ? bytes(0..<parser.byteCount) : [],
            fields: keepsHead ? parser.fields : [])
        self.exchange = nil
        uses += 1
        let isReusable = parser.isKeptAlive && input.count == end && output.isEmpty && !endIsNear
        if let seconds = parser.idleSeconds {
            idleLimit = min(pool.times.idle, UInt64(max(0, seconds - 1)) &* 1_000_000_000)
        }
        if isReusable, idleLimit > 0 {
            rest()
        } else {
            close()
        }
        exchange.end(.success(response))
    }

    private func rest() {
        phase = .idle
        input.removeAll()
        pool.buffers.recycle(&input)
        parser.reset()
        decoder = nil
        isHeadKnown = false
        interims = 0
        pool.loop.setDeadline(of: self, at: pool.loop.now &+ idleLimit)
        pool.becameIdle(self)
    }

    // MARK: The end

    /// What came is no answer.
    private func refuse(_ reason: String) {
        let refused = exchange
        exchange = nil
        close()
        refused?.fail(.malformed, reason)
    }

    /// The connection broke under a request: it is sent again if that can do no harm.
    private func lost(_ reason: String) {
        guard let lost = exchange else {
            close()
            return
        }
        exchange = nil
        let isUnsent = sentBytes == 0 && !hasAnswer
        let wasIdle = uses > 0
        close()
        if !lost.isRepeated, !lost.isOver, isUnsent || wasIdle && !hasAnswer && lost.request.isRepeatable {
            pool.again(lost)
        } else {
            lost.fail(.connectionLost, reason)
        }
    }

    /// Nobody waits for the answer any more.
    func abandon() {
        exchange = nil
        close()
    }

    func close() {
        guard phase != .closed else { return }
        if phase == .busy || phase == .idle { tls?.finish() }
        tls = nil
        phase = .closed
        pool.loop.remove(self)
        socket.close()
        output.removeAll()
        input.removeAll()
        pool.buffers.recycle(&output)
        pool.buffers.recycle(&input)
        pool.ended(self)
    }
}
