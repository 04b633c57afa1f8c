/// A request to one of the peers.
struct PeerRequest: Sendable {
    var method: String
    /// Path and query as they came.
    var target: String
    /// Names in lower case; of equal names the last counts.
    var headers: [String: String]
    var body: [UInt8]

    var path: String { URLText(target).path }
    var query: String { URLText(target).query }
}

/// What a peer answers.
struct PeerAnswer: Sendable {
    var status: Int
    var headers: [(name: String, value: String)] = [("content-type", "application/json")]
    var body: [UInt8] = []
}

/// A small HTTP server for the peers: a thread a connection, answers that may take their time.
final class PeerServer: Sendable {
    /// Connections beyond this number are hung up on.
    static let connectionsMax = 256
    static let bodyBytesMax = 16 << 20

    let port: Int
    private let listener: BlockingSocket
    private let open = Watched(0)

    /// Listens on 127.0.0.1; port 0 takes a free one.
    init(port: Int) throws(SocketFailure) {
        (listener, self.port) = try BlockingSocket.listen(port: port)
    }

    deinit { listener.stop() }

    /// - Parameter handler: answers on the connection's thread; nil hangs up.
    func start(_ handler: @escaping @Sendable (PeerRequest) -> PeerAnswer?) {
        let listener = listener, open = open
        Threads.start {
            while let caller = listener.accept() { Self.take(caller, open, handler) }
        }
    }

    private static func take(
        _ caller: BlockingSocket, _ open: Watched<Int>, _ handler: @escaping @Sendable (PeerRequest) -> PeerAnswer?
    ) {
        let isTaken = open.change { count in
            count += 1
            return count <= connectionsMax
        }
        let hasThread =
            isTaken
            && Threads.start {
                caller.limit(seconds: 60)
                var connection = PeerConnection(caller)
                while let request = connection.request(), let answer = handler(request) {
                    guard connection.send(answer) else { break }
                }
                open.change { $0 -= 1 }
            }
        if !hasThread { open.change { $0 -= 1 } }
    }
}

/// One connection to a peer: reads requests, writes answers. Whatever is broken ends it.
private struct PeerConnection {
    private let socket: BlockingSocket
    private var buffer: [UInt8] = []

    init(_ socket: BlockingSocket) { self.socket = socket }

    mutating func request() -> PeerRequest? {
        guard let end = upTo(Array("\r\n\r\n".utf8)) else { return nil }
        let lines = ExactText.split(String(decoding: buffer[..<end], as: UTF8.self), at: "\r\n")
        buffer.removeFirst(end + 4)
        let first = ExactText.split(lines[0], at: " ")
        guard first.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let halves = ExactText.split(line, at: ":", cutsMax: 1)
            guard halves.count == 2 else { return nil }
            headers[ExactText.lowercased(halves[0])] = ExactText.trimmed(halves[1])
        }
        if headers["expect"] != nil, !sendBytes(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) { return nil }
        guard let body = body(headers) else { return nil }
        return PeerRequest(method: first[0], target: first[1], headers: headers, body: body)
    }

    private mutating func body(_ headers: [String: String]) -> [UInt8]? {
        if headers["transfer-encoding"].map(ExactText.lowercased) == "chunked" { return chunks() }
        guard let length = Int(headers["content-length"] ?? "0"), (0...PeerServer.bodyBytesMax).contains(length) else {
            return nil
        }
        return take(length)
    }

    private mutating func chunks() -> [UInt8]? {
        var out: [UInt8] = []
        while true {
            guard let end = upTo([13, 10]),
                let count = Int(String(decoding: buffer[..<end], as: UTF8.self), radix: 16),
                (0...PeerServer.bodyBytesMax).contains(count), out.count + count <= PeerServer.bodyBytesMax
            else { return nil }
            buffer.removeFirst(end + 2)
            guard let part = take(count), take(2) != nil else { return nil }
            if count == 0 { return out }
            out += part
        }
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard more() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private mutating func upTo(_ mark: [UInt8]) -> Int? {
        var from = 0
        while true {
            if let found = ExactText.first(mark, in: buffer, from: from) { return found }
            from = max(0, buffer.count - mark.count)
            guard buffer.count < 1 << 20, more() else { return nil }
        }
    }

    private mutating func more() -> Bool {
        guard let bytes = try? socket.receive(), !bytes.isEmpty else { return false }
        buffer += bytes
        return true
    }

    func send(_ answer: PeerAnswer) -> Bool {
        var head = "HTTP/1.1 \(answer.status) \(answer.status == 200 ? "OK" : "Answer")\r\n"
        for (name, value) in answer.headers where !value.isEmpty { head += "\(name): \(value)\r\n" }
        head += "content-length: \(answer.body.count)\r\n\r\n"
        return sendBytes(Array(head.utf8) + answer.body)
    }

    private func sendBytes(_ bytes: [UInt8]) -> Bool {
        do {
            try socket.send(bytes)
            return true
        } catch {
            return false
        }
    }
}
