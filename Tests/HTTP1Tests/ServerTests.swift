import Bytes
import EventLoop
import Synchronization
import Testing

@testable import HTTP1

/// Echoes what it was asked, at once or later, and notes what it observed.
private final class Echo: HTTPHandler {
    let loop: EventLoop
    let seen: Observed

    init(_ loop: EventLoop, _ seen: Observed) {
        self.loop = loop
        self.seen = seen
    }

    func bodyLimit(for request: borrowing RequestView) -> Int { 100_000 }

    func refuse(_ request: borrowing RequestView, into response: inout ResponseWriter) -> Bool {
        guard Scan.equals(request.path, "/refused") else { return false }
        response.begin(.unauthorized)
        response.end()
        return true
    }

    func respond(to request: borrowing RequestView, into response: inout ResponseWriter) -> Disposition {
        if Scan.equals(request.path, "/later") {
            let copy = request.copy()
            let loop = loop
            return .later {
                await loop.sleep(for: .milliseconds(1))
                return HTTPResponse(loop.isCurrent ? .ok : .badGateway, body: copy.body + [UInt8](copy.query.utf8))
            }
        }
        if Scan.equals(request.path, "/soon") { return .later { HTTPResponse(.created, body: [UInt8]("soon".utf8)) } }
        if Scan.equals(request.path, "/nothing") { return .done }
        if Scan.equals(request.path, "/big") {
            response.begin(.ok)
            response.end(body: [UInt8](repeating: 0x62, count: 1_000_000))
            return .done
        }
        response.begin(.notFound)
        response.begin(.ok)
        response.header("X-Echo", "a\r\nSet-Cookie: b")
        let body = request.body
        let query = request.query
        response.end { out in
            out.append(body)
            out.append(query)
        }
        return .done
    }

    var observes: Bool { true }

    func observe(_ exchange: borrowing ExchangeView) {
        let entry = "\(exchange.status.code) \(exchange.target.text)"
        seen.list.withLock { $0.append(entry) }
    }
}

private final class Observed: Sendable {
    let list = Mutex<[String]>([])
}

@Suite("A server on a real socket")
struct ServerTests {
    private func withServer(
        _ change: (inout HTTPLimits) -> Void = { _ in }, loops: Int = 1,
        _ body: (HTTPServer, SocketAddress, Observed) throws -> Void
    ) throws {
        var limits = HTTPLimits()
        change(&limits)
        let group = try EventLoopGroup(count: loops)
        let seen = Observed()
        let server = HTTPServer(group: group, listeners: [ListenerConfig(host: "127.0.0.1", port: 0)], limits: limits) {
            loop, _, _ in Echo(loop, seen)
        }
        defer {
            server.shutdown(grace: .seconds(0))
            group.shutdown()
        }
        try server.start()
        try body(server, try #require(server.addresses.first), seen)
    }

    /// Answers without their dates.
    private func plain(_ text: String) -> String {
        text.split(separator: "\r\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("Date: ") }
            .joined(separator: "\n")
    }

    @Test("answers, keeps the connection, and lets no field value add a line")
    func simple() throws {
        try withServer { _, address, seen in
            let client = try RawClient(address)
            client.send("POST /x?q HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
            let first = client.read(until: "abcq")
            #expect(plain(first) == "HTTP/1.1 200 OK\nX-Echo: a  Set-Cookie: b\nContent-Length: 4\n\nabcq")
            client.send("HEAD /x?q HTTP/1.1\r\nHost: a\r\n\r\n")
            let second = client.read(until: "\r\n\r\n")
            #expect(plain(second) == "HTTP/1.1 200 OK\nX-Echo: a  Set-Cookie: b\nContent-Length: 1\n\n")
            client.send("GET /nothing HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let third = client.read(until: "\r\n\r\n")
            #expect(
                plain(third) == "HTTP/1.1 500 Internal Server Error\nContent-Length: 0\nConnection: keep-alive\n\n")
            client.send("GET /x HTTP/1.0\r\n\r\nGET /never HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(client.readToEnd().hasSuffix("Connection: close\r\n\r\n"))
            #expect(seen.list.withLock { $0 } == ["200 /x?q", "200 /x?q", "500 /nothing", "200 /x"])
        }
    }

    @Test("pipelined requests are answered in order, also when answers take a while")
    func pipelining() throws {
        try withServer { _, address, _ in
            let client = try RawClient(address)
            var requests = ""
            for index in 0..<60 {
                let path = ["/now", "/later", "/soon"][index % 3]
                requests += "GET \(path)?<\(index)> HTTP/1.1\r\nHost: a\r\n\r\n"
            }
            client.send(requests + "GET /x?end HTTP/1.1\r\nHost: a\r\n\r\n")
            let all = client.read(until: "\r\n\r\nend")
            var place = all.startIndex
            for index in 0..<60 {
                let wanted = index % 3 == 2 ? "\r\n\r\nsoon" : "\r\n\r\n<\(index)>"
                let found = all[place...].firstRange(of: wanted)
                #expect(found != nil, "answer \(index)")
                if let found { place = found.upperBound }
            }
        }
    }

    @Test("chunked bodies are put together, whatever the pieces")
    func chunked() throws {
        try withServer { _, address, _ in
            let client = try RawClient(address)
            let request =
                "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n5;x=y\r\ndefgh\r\n0\r\nT: v\r\n\r\n"
            client.send(request + request + request)
            let once = client.read(until: "abcdefgh")
            #expect(plain(once).hasPrefix("HTTP/1.1 200 OK\n"))
            for byte in request { client.send(String(byte)) }
            client.send("GET /x?end HTTP/1.1\r\nHost: a\r\n\r\n")
            let all = once + client.read(until: "end")
            #expect(all.ranges(of: "\r\n\r\nabcdefgh").count == 4)
        }
    }

    @Test("100 Continue is sent when the body is awaited, and not when the request is refused first")
    func expectation() throws {
        try withServer { _, address, _ in
            let client = try RawClient(address)
            client.send("POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("{}")
            #expect(plain(client.read(until: "{}")).hasPrefix("HTTP/1.1 200"))
            client.send("POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 100001\r\n\r\n")
            let tooLarge = client.readToEnd()
            #expect(tooLarge.hasPrefix("HTTP/1.1 413") && tooLarge.contains("Connection: close"))
            let other = try RawClient(address)
            other.send("POST /refused HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(plain(other.readToEnd()).hasPrefix("HTTP/1.1 401"))
        }
    }

    @Test(
        "a refused request is answered once and ends the connection",
        arguments: ["GET /a", "BAD\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"])
    func refusal(text: String) throws {
        try withServer { _, address, _ in
            let client = try RawClient(address)
            client.send("GET /x?1 HTTP/1.1\r\nHost: a\r\n\r\n" + text + "\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n")
            client.finishSending()
            let all = client.readToEnd()
            #expect(all.ranges(of: "HTTP/1.1 ").count == 2 && all.contains("HTTP/1.1 400"))
            #expect(all.contains("\"error_code\":\"bad_request\""))
        }
    }

    @Test("a half-closed client still gets its answer")
    func halfClose() throws {
        try withServer { _, address, _ in
            let client = try RawClient(address)
            client.send("GET /later?half HTTP/1.1\r\nHost: a\r\n\r\n")
            client.finishSending()
            #expect(client.readToEnd().hasSuffix("half"))
        }
    }

    @Test("large answers wait for a slow reader and arrive whole")
    func backPressure() throws {
        try withServer { _, address, _ in
            let client = try RawClient(address)
            client.send(String(repeating: "GET /big HTTP/1.1\r\nHost: a\r\n\r\n", count: 10))
            client.send("GET /x?end HTTP/1.1\r\nHost: a\r\n\r\n")
            let all = client.read(until: "\r\n\r\nend")
            #expect(all.utf8.count > 10_000_000 && all.ranges(of: "HTTP/1.1 200 OK").count == 11)
        }
    }

    @Test("slow heads are answered with 408, silent connections are closed silently")
    func timeOuts() throws {
        try withServer {
            $0.headTimeout = .milliseconds(300)
            $0.bodyGrace = .milliseconds(300)
            $0.idleTimeout = .milliseconds(600)
        } _: { _, address, _ in
            let silent = try RawClient(address)
            let head = try RawClient(address)
            let body = try RawClient(address)
            let idle = try RawClient(address)
            head.send("GET /a HTT")
            body.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
            idle.send("GET /x?idle HTTP/1.1\r\nHost: a\r\n\r\n\r\n")
            #expect(silent.readToEnd() == "")
            #expect(head.readToEnd().hasPrefix("HTTP/1.1 408"))
            #expect(body.readToEnd().hasPrefix("HTTP/1.1 408"))
            #expect(idle.readToEnd().hasSuffix("idle"))
        }
    }

    @Test("beyond the connection limit the longest idle one gives way")
    func connectionLimit() throws {
        try withServer {
            $0.connectionsMax = 2
        } _: { server, address, _ in
            let clients = try (0..<3).map { index in
                let client = try RawClient(address)
                client.send("GET /x?\(index) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(client.read(until: "\r\n\r\n\(index)").hasPrefix("HTTP/1.1 200"))
                return client
            }
            #expect(clients[0].readToEnd() == "")
            #expect(server.connectionCount == 2)
        }
    }

    @Test("an address in use is reported, although the sockets of a server share theirs")
    func addressInUse() throws {
        try withServer(loops: 2) { _, address, _ in
            let group = try EventLoopGroup(count: 1)
            defer { group.shutdown() }
            let config = ListenerConfig(host: "127.0.0.1", port: address.port)
            let second = HTTPServer(group: group, listeners: [config]) { loop, _, _ in Echo(loop, Observed()) }
            #expect(throws: ServerStartError.self) { try second.start() }
            let client = try RawClient(address)
            client.send("GET /x?still HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(client.read(until: "still").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("draining ends idle connections, finishes requests in flight and refuses new ones")
    func draining() throws {
        try withServer { server, address, _ in
            let idle = try RawClient(address)
            idle.send("GET /x?idle HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = idle.read(until: "idle")
            let busy = try RawClient(address)
            busy.send("POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
            _ = busy.read(until: "\r\n\r\n")
            server.beginDrain()
            #expect(idle.readToEnd() == "")
            busy.send("last")
            let answer = busy.readToEnd()
            #expect(answer.hasSuffix("last") && answer.contains("Connection: close"))
            #expect(server.shutdown(grace: .seconds(10)) == 0)
            #expect(throws: (any Error).self) { try RawClient(address) }
        }
    }
}
