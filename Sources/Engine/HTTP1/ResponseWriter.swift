public import Bytes

/// Writes an answer straight into its connection's output: status, fields, then the body, in this order.
///
///     response.begin(.ok)
///     response.add(jsonFields)                 // a HeaderBlock
///     response.header("ETag", tag)
///     response.end(body: bytes)
///
/// `Date`, `Content-Length` and `Connection` are the writer's. For HEAD the same calls send no body. An answer that was
/// begun can be begun again: what was written of it is dropped.
public struct ResponseWriter: ~Copyable {
    enum Stage: UInt8 {
        case idle, fields, complete
    }

    var out = ByteBuffer()
    /// Holds the last fields while the body is put before them.
    private var scratch = ByteBuffer()
    var stage = Stage.idle
    var isHead = false
    var isKeepAlive = true
    var minorVersion: UInt8 = 1
    /// Where the current answer begins in `out`.
    var start = 0
    /// Body bytes of the current answer, sent or (HEAD) not.
    var bodyBytes = 0
    public private(set) var status = HTTPStatus.ok
    /// Comes back in the exchange that `observe` is shown.
    public var note: (any HTTPNote)?
    private var date = DateField()

    init() {}

    /// Whether an answer has been written to its end.
    public var isComplete: Bool { stage == .complete }

    /// Ends the connection after this answer. To be called before `end`.
    public mutating func closeConnection() {
        isKeepAlive = false
    }

    /// Writes the status line and the date.
    public mutating func begin(_ status: HTTPStatus) {
        if stage != .idle { out.truncate(to: start) }
        self.status = status
        stage = .fields
        bodyBytes = 0
        if status == .ok {
            out.append(date.okHead)
            return
        }
        out.append("HTTP/1.1 ")
        out.append(decimal: Int(status.code))
        out.append(" ")
        out.append(status.phrase)
        out.append("\r\n")
        out.append(date.line)
    }

    /// Adds fields that were rendered before.
    public mutating func add(_ block: HeaderBlock) {
        guard stage == .fields else { return }
        out.append(block.bytes)
    }

    /// Adds a field. Control characters in the value are sent as blanks.
    public mutating func header(_ name: StaticString, _ value: Span<UInt8>) {
        guard stage == .fields else { return }
        out.append(name)
        out.append(": ")
        out.append(fieldText: value)
        out.append("\r\n")
    }

    public mutating func header(_ name: StaticString, _ value: String) {
        header(name, value.utf8.span)
    }

    /// Adds a field with an id in its canonical form.
    public mutating func header(_ name: StaticString, _ id: UUID) {
        guard stage == .fields else { return }
        out.append(name)
        out.append(": ")
        out.append(id)
        out.append("\r\n")
    }

    public mutating func header(_ field: HTTPField) {
        guard stage == .fields else { return }
        out.append(field)
    }

    /// Ends the answer without a body (`Content-Length: 0`, where a status may have one).
    public mutating func end() {
        end(body: Span())
    }

    public mutating func end(body: [UInt8]) {
        end(body: body.span)
    }

    /// Ends the answer with `body`.
    public mutating func end(body: Span<UInt8>) {
        guard stage == .fields else { return }
        endFields(bodyCount: body.count)
        bodyBytes = body.count
        if !isHead, !status.hasNoBody { out.append(body) }
    }

    /// Ends the answer with what `body` appends to the connection's output: no copy is made.
    public mutating func end(writing body: (inout ByteBuffer) -> Void) {
        guard stage == .fields else { return }
        let fieldsEnd = out.count
        // The closure gets the buffer itself, not a part of the writer that it might reach in another way.
        var target = ByteBuffer()
        swap(&target, &out)
        body(&target)
        swap(&target, &out)
        let count = max(0, out.count - fieldsEnd)
        bodyBytes = count
        if isHead || status.hasNoBody { out.truncate(to: fieldsEnd) }
        var tail = ByteBuffer()
        swap(&tail, &scratch)
        swap(&tail, &out)
        endFields(bodyCount: count)
        swap(&tail, &out)
        out.insert(tail.bytes, at: fieldsEnd)
        tail.removeAll()
        swap(&tail, &scratch)
    }

    private mutating func endFields(bodyCount: Int) {
        if status.hasNoBody {
            // RFC 9110 section 8.6: no Content-Length with 1xx and 204.
        } else {
            out.append("Content-Length: ")
            out.append(decimal: bodyCount)
            out.append("\r\n")
        }
        if !isKeepAlive {
            out.append("Connection: close\r\n\r\n")
        } else if minorVersion == 0 {
            out.append("Connection: keep-alive\r\n\r\n")
        } else {
            out.append("\r\n")
        }
        stage = .complete
    }

    /// Writes a whole owned answer.
    public mutating func send(_ response: HTTPResponse) {
        if response.closesConnection { closeConnection() }
        note = response.note
        begin(response.status)
        if let block = response.block { add(block) }
        for field in response.fields { header(field) }
        end(body: response.body)
    }

    /// Writes a whole answer that was rendered before.
    public mutating func send(_ answer: PreparedAnswer) {
        note = answer.note
        begin(answer.status)
        if isKeepAlive, minorVersion == 1, !isHead, !status.hasNoBody {
            out.append(answer.rest)
            bodyBytes = answer.body.count
            stage = .complete
        } else {
            add(answer.fields)
            end(body: answer.body)
        }
    }

    // MARK: For the engine

    mutating func prepare(for head: RequestHead, isKeepAlive: Bool) {
        stage = .idle
        start = out.count
        isHead = head.method == .head
        minorVersion = head.minorVersion
        self.isKeepAlive = isKeepAlive
        bodyBytes = 0
        note = nil
    }

    mutating func refreshDate(wallSeconds: Int) {
        if wallSeconds != date.seconds { date = DateField(seconds: wallSeconds) }
    }
}
