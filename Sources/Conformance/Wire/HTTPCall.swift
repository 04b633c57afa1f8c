import Bytes

/// One HTTP request as it will be sent, complete but for the connection.
struct HTTPCall: Sendable {
    var method: String
    var url: String
    /// Lines in order; names and values as the case gave them.
    var headers: [(name: String, value: String)]
    var body: [UInt8]?
}

/// What came back.
struct HTTPAnswer: Sendable {
    var status: Int
    /// Lines in order, names in lower case.
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    func first(_ name: String) -> String? {
        headers.first { ExactText.isEqual($0.name, name) }?.value
    }
}

/// What makes calls to `https` addresses, handed in by whoever has a TLS library.
public struct SecureCaller: Sendable {
    /// An answer: status, header lines (names in lower case, in order), and body.
    public typealias Answer = (status: Int, headers: [(name: String, value: String)], body: [UInt8])

    /// Begins a call and says later what came of it; a failure is words for a person.
    public typealias Send =
        @Sendable (
            _ method: String, _ url: String, _ headers: [(name: String, value: String)], _ body: [UInt8]?,
            _ done: @escaping @Sendable (Result<Answer, ConformanceFailure>) -> Void
        ) -> Void

    let send: Send

    public init(send: @escaping Send) { self.send = send }
}

/// Sends calls, each on a connection of its own, and follows no redirect.
struct HTTPCaller: Sendable {
    /// How long one wait may take, and the whole call.
    static let seconds = 30
    static let wholeSecondsMax = 60.0
    static let headBytesMax = 1 << 20
    static let bodyBytesMax = 64 << 20

    var secure: SecureCaller?
    var wholeSeconds = HTTPCaller.wholeSecondsMax

    /// - Throws: why there was no answer, in words for a person.
    func send(_ call: HTTPCall) throws(SocketFailure) -> HTTPAnswer {
        let url = URLText(call.url)
        guard let (host, port) = url.hostAndPort else { throw SocketFailure("\(call.url): names no host") }
        guard url.scheme == "http" || url.scheme == "https" else {
            throw SocketFailure("\(call.url): only http and https are spoken")
        }
        if url.scheme == "https" { return try sendSecurely(call) }
        let socket = try BlockingSocket.connect(host: host, port: port ?? 80, seconds: Self.seconds)
        try socket.send(try Self.bytes(of: call, url, host: host, port: port ?? 80))
        var reader = AnswerReader(socket, seconds: wholeSeconds)
        return try reader.answer(toHead: call.method == "HEAD")
    }

    private func sendSecurely(_ call: HTTPCall) throws(SocketFailure) -> HTTPAnswer {
        guard let secure else { throw SocketFailure("\(call.url): https is not spoken here") }
        let outcome = Watched<Result<HTTPAnswer, SocketFailure>?>(nil)
        secure.send(call.method, call.url, call.headers, call.body) { result in
            let found = result.map { HTTPAnswer(status: $0.status, headers: $0.headers, body: $0.body) }
                .mapError { SocketFailure($0.text) }
            outcome.change { $0 = found }
        }
        guard let found = outcome.wait(seconds: Double(Self.seconds * 2), { $0 }) else {
            throw SocketFailure("timed out")
        }
        return try found.get()
    }

    private static func bytes(
        of call: HTTPCall, _ url: URLText, host: String, port: Int
    ) throws(SocketFailure) -> [UInt8] {
        let target = (url.path.isEmpty ? "/" : url.path) + (url.query.isEmpty ? "" : "?" + url.query)
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw SocketFailure("\(target): has characters that no request line may have")
        }
        guard !call.method.isEmpty, call.method.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw SocketFailure("\"\(call.method)\" is no method")
        }
        var lines = ["\(call.method) \(target) HTTP/1.1"]
        let names = Set(call.headers.map { ExactText.lowercased($0.name) })
        if !names.contains("host") {
            let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
            lines.append("Host: " + shown + (port == 80 ? "" : ":\(port)"))
        }
        if !names.contains("accept-encoding") { lines.append("Accept-Encoding: identity") }
        if !names.contains("connection") { lines.append("Connection: close") }
        if !names.contains("content-length"), !names.contains("transfer-encoding") {
            if let body = call.body {
                lines.append("Content-Length: \(body.count)")
            } else if ["POST", "PUT", "PATCH"].contains(call.method) {
                lines.append("Content-Length: 0")
            }
        }
        var out: [UInt8] = []
        for line in lines + call.headers.map({ "\($0.name): \($0.value)" }) {
            // A value's characters are single bytes, as header fields have been since HTTP began.
            for scalar in line.unicodeScalars {
                guard scalar.value <= 0xFF, scalar.value != 10, scalar.value != 13 else {
                    throw SocketFailure("a header has a character that no header may have")
                }
                out.append(UInt8(scalar.value))
            }
            out += [13, 10]
        }
        return out + [13, 10] + (call.body ?? [])
    }
}

/// Reads one answer from a connection.
private struct AnswerReader {
    private let socket: BlockingSocket
    private var buffer: [UInt8] = []
    private var index = 0
    private let end: Double

    init(_ socket: BlockingSocket, seconds: Double) {
        self.socket = socket
        end = Threads.clock() + seconds
    }

    mutating func answer(toHead: Bool) throws(SocketFailure) -> HTTPAnswer {
        while true {
            let (status, headers) = try head()
            if status == 100 { continue }
            var answer = HTTPAnswer(status: status, headers: headers, body: [])
            if toHead || status == 204 || status == 304 || status < 200 { return answer }
            if answer.first("transfer-encoding").map({ ExactText.lowercased($0) == "chunked" }) ?? false {
                answer.body = try chunks()
            } else if let text = answer.first("content-length") {
                guard ExactText.isDigits(text), let length = Int(text) else {
                    throw SocketFailure("the answer has a content-length of \"\(text.prefix(20))\"")
                }
                answer.body = try take(length)
            } else {
                answer.body = try rest()
            }
            return answer
        }
    }

    private mutating func head() throws(SocketFailure) -> (Int, [(name: String, value: String)]) {
        let first = try line()
        let parts = ExactText.split(first, at: " ", cutsMax: 2)
        guard ExactText.hasPrefix(first, "HTTP/1."), parts.count >= 2, let status = Int(parts[1]),
            (100...999).contains(status)
        else { throw SocketFailure("the answer is no HTTP: \(first.prefix(60))") }
        var headers: [(name: String, value: String)] = []
        while true {
            let line = try line()
            if line.isEmpty { return (status, headers) }
            let halves = ExactText.split(line, at: ":", cutsMax: 1)
            guard halves.count == 2, headers.count < 200 else { throw SocketFailure("the answer has no good headers") }
            headers.append((ExactText.lowercased(halves[0]), ExactText.trimmed(halves[1])))
        }
    }

    private mutating func chunks() throws(SocketFailure) -> [UInt8] {
        var out: [UInt8] = []
        while true {
            let size = ExactText.trimmed(ExactText.split(try line(), at: ";", cutsMax: 1)[0])
            guard let count = Int(size, radix: 16), count >= 0, out.count &+ count <= HTTPCaller.bodyBytesMax else {
                throw SocketFailure("the answer has a chunk of the size \"\(size.prefix(20))\"")
            }
            if count == 0 {
                while !(try line().isEmpty) { continue }
                return out
            }
            out += try take(count)
            _ = try line()
        }
    }

    private mutating func take(_ count: Int) throws(SocketFailure) -> [UInt8] {
        guard count <= HTTPCaller.bodyBytesMax else { throw SocketFailure("the answer is over 64 MiB") }
        while buffer.count - index < count {
            guard try more() else { throw SocketFailure("the answer ended too early") }
        }
        defer { index += count }
        return Array(buffer[index..<(index + count)])
    }

    private mutating func rest() throws(SocketFailure) -> [UInt8] {
        while try more() {
            guard buffer.count - index <= HTTPCaller.bodyBytesMax else {
                throw SocketFailure("the answer is over 64 MiB")
            }
        }
        return Array(buffer[index...])
    }

    /// A line without its end, each byte a character.
    private mutating func line() throws(SocketFailure) -> String {
        var from = index
        while true {
            if let end = buffer[from...].firstIndex(of: 10) {
                var line = buffer[index..<end]
                if line.last == 13 { line.removeLast() }
                index = end + 1
                return String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
            }
            from = buffer.count
            guard buffer.count - index <= HTTPCaller.headBytesMax else {
                throw SocketFailure("the answer has a line over 1 MiB")
            }
            guard try more() else {
                throw SocketFailure(
                    buffer.isEmpty ? "the connection was closed without an answer" : "the answer ended too early")
            }
        }
    }

    private mutating func more() throws(SocketFailure) -> Bool {
        guard Threads.clock() < end else {
            throw SocketFailure("the answer is not whole yet, and no longer waited for")
        }
        let bytes = try socket.receive()
        buffer += bytes
        return !bytes.isEmpty
    }
}
