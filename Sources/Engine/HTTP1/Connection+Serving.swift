internal import Bytes
internal import EventLoop

extension Connection {
    private enum BodyStep {
        case needsMore
        /// The body's place in the message, and where the next message begins.
        case complete(Range<Int>, end: Int)
        case failed(HTTPFailure)
        /// An answer was written before the body was read.
        case answered
    }

    /// Serves the requests that are complete in the input, as long as answers are there at once and fit.
    func serve(_ stream: inout Stream, _ bench: inout Workbench) {
        hasBacklog = false
        bench.begin(&stream)
        let isPartial = serve(&stream.input, &bench.parser, &bench.writer)
        if isPartial {
            hasRequest = !bench.parser.isAtStart
            stream.partial = bench.replaceParser(server.sharedLimits)
            stream.isPartial = true
        } else {
            hasRequest = false
            bench.parser.reset()
        }
        swap(&bench.writer.out, &stream.output)
    }

    /// True when the parser holds the beginning of a request.
    private func serve(
        _ buffer: inout ByteBuffer, _ parser: inout HeadParser, _ writer: inout ResponseWriter
    ) -> Bool {
        while !buffer.isEmpty {
            guard writer.out.count < server.outputHighWaterBytes else {
                hasBacklog = true
                return false
            }
            switch parser.parse(buffer.bytes) {
            case .needsMore: return true
            case .failed(let failure):
                refuse(failure, buffer, parser, &writer)
                return false
            case .complete: break
            }
            switch advanceBody(&buffer, &parser, &writer) {
            case .needsMore: return true
            case .failed(let failure):
                refuse(failure, buffer, parser, &writer)
                return false
            case .answered: return false
            case .complete(let body, let end):
                let isOpen = dispatch(body, end, buffer, &parser, &writer)
                buffer.consume(end)
                parser.reset()
                if self.body.isReading { self.body = BodyState() }
                since = server.loop.now
                if isBusy {
                    hasBacklog = !buffer.isEmpty
                    return false
                }
                guard isOpen else { return false }
            }
        }
        return false
    }

    /// Hands a complete request to the handler. False when the connection ends after the answer.
    ///
    /// The parser is only read; as a borrowed parameter it would be copied.
    private func dispatch(
        _ body: Range<Int>, _ end: Int, _ buffer: borrowing ByteBuffer, _ parser: inout HeadParser,
        _ writer: inout ResponseWriter
    ) -> Bool {
        let observes = handler.observes
        let began = observes ? LoopClock.now() : 0
        writer.prepare(for: parser.head, isKeepAlive: parser.head.isKeepAlive && !server.isDraining)
        let view = RequestView(
            head: parser.head, message: buffer.bytes, fields: parser.fields, bodyRange: body, peer: peer)
        switch handler.respond(to: view, into: &writer) {
        case .done:
            finishAnswer(&writer)
            if observes {
                observe(writer, head: parser.head, bytesIn: end, began: began, target: view.target)
            }
            return phase == .open
        case .later(let work):
            takeOff(view, end, began: began)
            start(work)
            return true
        case .within(let limit, let orElse, let work):
            takeOff(view, end, began: began)
            flight.deadline = server.loop.now &+ limit.loopNanoseconds
            flight.orElse = orElse
            start(work)
            return true
        }
    }

    /// Keeps what the end of the exchange needs of its request.
    private func takeOff(_ view: borrowing RequestView, _ end: Int, began: UInt64) {
        flight.head = view.head
        flight.bytesIn = end
        flight.began = began
        flight.target = []
        flight.deadline = 0
        flight.orElse = nil
        guard began != 0 else { return }
        let target = view.target
        flight.target.reserveCapacity(target.count)
        for index in 0..<target.count { flight.target.append(target[index]) }
    }

    /// Writes the answer of a task.
    func answer(_ response: HTTPResponse, _ stream: inout Stream, _ bench: inout Workbench) {
        bench.begin(&stream)
        bench.writer.prepare(for: flight.head, isKeepAlive: flight.head.isKeepAlive && !server.isDraining)
        bench.writer.send(response)
        finishAnswer(&bench.writer)
        if handler.observes {
            let target = flight.target
            observe(
                bench.writer, head: flight.head, bytesIn: flight.bytesIn, began: flight.began, target: target.span)
        }
        swap(&bench.writer.out, &stream.output)
    }

    /// Makes sure that exactly one whole answer stands in the output.
    private func finishAnswer(_ writer: inout ResponseWriter) {
        switch writer.stage {
        case .complete: break
        case .fields: writer.end()
        case .idle:
            writer.begin(.internalServerError)
            writer.end()
        }
        if !writer.isKeepAlive { phase = .closing }
    }

    private func observe(
        _ writer: borrowing ResponseWriter, head: RequestHead, bytesIn: Int, began: UInt64, target: Span<UInt8>
    ) {
        let elapsed = began == 0 ? 0 : LoopClock.now() &- began
        let exchange = ExchangeView(
            method: head.method, status: writer.status, bytesIn: bytesIn, bytesOut: writer.out.count - writer.start,
            nanoseconds: elapsed, peer: peer, target: target, note: writer.note)
        handler.observe(exchange)
    }

    // MARK: Bodies

    private func advanceBody(
        _ buffer: inout ByteBuffer, _ parser: inout HeadParser, _ writer: inout ResponseWriter
    ) -> BodyStep {
        let head = parser.head
        let start = head.byteCount
        guard head.hasBody else { return .complete(start..<start, end: start) }
        if !body.isReading {
            if let step = beginBody(buffer, parser, &writer) { return step }
        }
        let step = head.isChunked ? decodeChunks(&buffer, start) : awaitLength(buffer, start, head.contentLength)
        if case .needsMore = step, head.expectsContinue, !body.hasContinued, body.received == 0 {
            body.hasContinued = true
            writer.out.append("HTTP/1.1 100 Continue\r\n\r\n")
        }
        return step
    }

    /// Judges the head of a request with a body; nil when the body may come.
    private func beginBody(
        _ buffer: borrowing ByteBuffer, _ parser: borrowing HeadParser, _ writer: inout ResponseWriter
    ) -> BodyStep? {
        let head = parser.head
        let start = head.byteCount
        body = BodyState()
        body.isReading = true
        body.began = server.loop.now
        body.decodedEnd = start
        body.rawStart = start
        let view = RequestView(
            head: head, message: buffer.bytes, fields: parser.fields, bodyRange: start..<start, peer: peer)
        let limit = max(0, handler.bodyLimit(for: view))
        guard head.contentLength <= limit else { return .failed(HTTPFailure(.bodyTooLarge, "the body is too large")) }
        let isHere = !head.isChunked && buffer.count - start >= head.contentLength
        if !isHere {
            writer.prepare(for: head, isKeepAlive: false)
            if handler.refuse(view, into: &writer) {
                finishAnswer(&writer)
                if handler.observes {
                    observe(writer, head: head, bytesIn: start, began: 0, target: view.target)
                }
                phase = .closing
                isRefused = true
                return .answered
            }
        }
        if head.isChunked { body.decoder = ChunkDecoder(bodyBytesMax: limit, shared: server.sharedLimits) }
        return nil
    }

    private func awaitLength(_ buffer: borrowing ByteBuffer, _ start: Int, _ length: Int) -> BodyStep {
        let end = start + length
        body.received = min(buffer.count, end) - start
        return buffer.count >= end ? .complete(start..<end, end: end) : .needsMore
    }

    /// Decodes in place: the data slides down to the end of the data before it.
    private func decodeChunks(_ buffer: inout ByteBuffer, _ start: Int) -> BodyStep {
        guard var decoder = body.decoder else { return .failed(.malformed("no chunk decoder")) }
        body.received += buffer.count - body.rawStart
        while true {
            switch decoder.feed(buffer.bytes, from: body.rawStart) {
            case .needsMore:
                buffer.truncate(to: body.decodedEnd)
                body.rawStart = body.decodedEnd
                body.decoder = decoder
                return .needsMore
            case .data(let range):
                buffer.move(from: range.lowerBound, to: body.decodedEnd, count: range.count)
                body.decodedEnd += range.count
                body.rawStart = range.upperBound
            case .end(let end): return .complete(start..<body.decodedEnd, end: end)
            case .failed(let failure): return .failed(failure)
            }
        }
    }

    // MARK: Refusals

    /// Answers a request that is refused by the engine itself; the connection ends after it.
    private func refuse(
        _ failure: HTTPFailure, _ buffer: borrowing ByteBuffer, _ parser: borrowing HeadParser,
        _ writer: inout ResponseWriter
    ) {
        var head = parser.head
        let whole = buffer.count
        if head.byteCount == 0 { head.minorVersion = 1 }
        writer.prepare(for: head, isKeepAlive: false)
        let view = RequestView(
            head: head, message: buffer.bytes, fields: parser.fields, bodyRange: whole..<whole, peer: peer)
        handler.failure(failure, request: view, into: &writer)
        writer.closeConnection()
        finishAnswer(&writer)
        if handler.observes { observe(writer, head: head, bytesIn: whole, began: 0, target: view.target) }
        phase = .closing
        isRefused = true
    }

    /// Refuses the request that is being read.
    func fail(_ failure: HTTPFailure, _ stream: inout Stream, _ bench: inout Workbench) {
        bench.begin(&stream)
        refuse(failure, stream.input, bench.parser, &bench.writer)
        bench.parser.reset()
        swap(&bench.writer.out, &stream.output)
    }
}

extension Workbench {
    /// Makes the writer continue the output of `stream`, and the parser its unfinished request.
    mutating func begin(_ stream: inout Stream) {
        if stream.isPartial, let parser = stream.partial.take() {
            self.parser = parser
            stream.isPartial = false
        }
        swap(&writer.out, &stream.output)
        if writer.out.isEmpty { pool.fill(&writer.out) }
        writer.refreshDate(wallSeconds: LoopClock.wallSeconds())
    }

    /// Hands the parser out and takes a new one.
    mutating func replaceParser(_ limits: SharedLimits) -> HeadParser {
        var fresh = HeadParser(shared: limits)
        swap(&fresh, &parser)
        return fresh
    }
}
