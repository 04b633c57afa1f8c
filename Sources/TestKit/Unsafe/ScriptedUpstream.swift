public import EventLoop
import Bytes
import Synchronization

/// A server on a port of its own that does with every request what a script says: answers in parts, closes, resets,
/// sends garbage, says nothing.
public final class ScriptedUpstream: Sendable {
    /// One thing that is done on a connection; they follow each other.
    public enum Act: Sendable {
        case send(String)
        case wait(Duration)
        case close
        /// Ends the connection by a reset.
        case reset
    }

    /// A request as it came.
    public struct Request: Sendable {
        /// Which connection, from 1.
        public let connection: Int
        /// Which request on it, from 1.
        public let number: Int
        public let text: String
    }

    public typealias Script = @Sendable (Request) -> [Act]

    public let address: SocketAddress
    private let loops: EventLoopGroup
    private let kept = Mutex<[Request]>([])
    private let opened = Mutex(0)

    /// - Parameters:
    ///   - greeting: done on every new connection before it is read.
    ///   - port: a free one unless it is said.
    ///   - script: asked for every request that is complete.
    public init(greeting: [Act] = [], port: UInt16 = 0, script: @escaping Script) throws {
        guard let wanted = SocketAddress(host: "127.0.0.1", port: port) else { throw SystemError("address", 22) }
        let listener = try ListeningSocket(wanted, isShared: false)
        address = listener.address
        loops = try EventLoopGroup(count: 1)
        let source = ScriptedListener(listener, loop: loops.loops[0]) { [self] descriptor, loop in
            let number = opened.withLock { opened in
                opened += 1
                return opened
            }
            let connection = ScriptedConnection(
                descriptor, number: number, loop: loop,
                script: { [self] request in
                    kept.withLock { $0.append(request) }
                    return script(request)
                })
            connection.begin(greeting)
        }
        loops.loops[0].execute { source.begin() }
    }

    /// The URL of its root.
    public var url: String { "http://127.0.0.1:\(address.port)" }

    /// Requests so far.
    public var requests: [Request] { kept.withLock { $0 } }

    /// Connections so far.
    public var connectionCount: Int { opened.withLock { $0 } }

    /// Ends all connections and frees the port.
    public func stop() { loops.shutdown() }

    /// A whole answer.
    public static func answer(_ body: String, status: String = "200 OK", fields: String = "") -> String {
        let head = "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(fields)"
        return head + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}

/// `@unchecked Sendable`: touched on its loop only.
private final class ScriptedListener: EventSource, @unchecked Sendable {
    private let socket: ListeningSocket
    private let loop: EventLoop
    private let accepted: @Sendable (Int32, EventLoop) -> Void

    init(_ socket: ListeningSocket, loop: EventLoop, accepted: @escaping @Sendable (Int32, EventLoop) -> Void) {
        self.socket = socket
        self.loop = loop
        self.accepted = accepted
        super.init(descriptor: socket.descriptor)
    }

    deinit {
        socket.close()
    }

    func begin() {
        guard (try? loop.add(self, .level)) != nil else { return }
    }

    override func ready(_ readiness: Readiness) {
        while case .accepted(let descriptor, _) = socket.accept() { accepted(descriptor, loop) }
    }
}

/// `@unchecked Sendable`: touched on its loop only.
private final class ScriptedConnection: EventSource, @unchecked Sendable {
    private let socket: Socket
    private let number: Int
    private let loop: EventLoop
    private let script: ScriptedUpstream.Script
    private var input = ByteBuffer()
    private var output = ByteBuffer()
    private var acts: [ScriptedUpstream.Act] = []
    private var isActing = false
    private var isClosed = false
    private var requests = 0

    init(_ descriptor: Int32, number: Int, loop: EventLoop, script: @escaping ScriptedUpstream.Script) {
        socket = Socket(descriptor: descriptor)
        self.number = number
        self.loop = loop
        self.script = script
        super.init(descriptor: descriptor)
    }

    deinit {
        if !isClosed { socket.close() }
    }

    func begin(_ greeting: [ScriptedUpstream.Act]) {
        guard (try? loop.add(self, .edge)) != nil else { return }
        acts = greeting
        act()
    }

    override func ready(_ readiness: Readiness) {
        flush()
        reading: while !isClosed {
            switch socket.read(into: &input, room: 4096) {
            case .moved: continue
            case .wouldBlock: break reading
            case .end, .failed:
                end(isReset: false)
                return
            }
        }
        takeRequests()
    }

    private func takeRequests() {
        while !isClosed, !isActing, let text = nextRequest() {
            requests += 1
            acts = script(.init(connection: number, number: requests, text: text))
            act()
        }
    }

    /// A head with as much body as it announces.
    private func nextRequest() -> String? {
        let all = String(decoding: input.array(), as: UTF8.self)
        guard let end = all.firstEmptyLine else { return nil }
        let head = all[..<end]
        var length = 0
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length: ") {
            length = Int(line.dropFirst(16)) ?? 0
        }
        let whole = head.utf8.count + 4 + length
        guard input.count >= whole else { return nil }
        let text = String(decoding: input.array(0..<whole), as: UTF8.self)
        input.consume(whole)
        return text
    }

    private func act() {
        isActing = true
        while !acts.isEmpty, !isClosed {
            switch acts.removeFirst() {
            case .send(let text):
                output.append(text)
                flush()
            case .wait(let duration):
                loop.schedule(after: duration) { [self] in act() }
                return
            case .close: end(isReset: false)
            case .reset: end(isReset: true)
            }
        }
        isActing = false
        takeRequests()
    }

    private func flush() {
        while !isClosed, !output.isEmpty {
            guard case .moved = socket.write(from: &output) else { return }
        }
    }

    private func end(isReset: Bool) {
        guard !isClosed else { return }
        isClosed = true
        loop.remove(self)
        socket.close(isReset: isReset)
    }
}

extension String {
    /// Where the empty line after a head begins. (CR LF is one character to Swift.)
    fileprivate var firstEmptyLine: Index? {
        var place = startIndex
        while let found = self[place...].firstIndex(of: "\r\n") {
            let next = index(after: found)
            if next < endIndex, self[next] == "\r\n" { return found }
            place = next
        }
        return nil
    }
}
