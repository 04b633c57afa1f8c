import EventLoop
import HTTP1
import Synchronization
import TestKit
import Testing

@testable import HTTPClient

/// A client on a loop of its own in front of a scripted server.
private struct World {
    let upstream: ScriptedUpstream
    let group: EventLoopGroup
    let client: HTTPClient

    init(
        greeting: [ScriptedUpstream.Act] = [], _ change: (inout HTTPClientOptions) -> Void = { _ in },
        script: @escaping ScriptedUpstream.Script
    ) throws {
        upstream = try ScriptedUpstream(greeting: greeting, script: script)
        group = try EventLoopGroup(count: 1)
        var options = HTTPClientOptions()
        options.connectPause = .milliseconds(1)
        change(&options)
        client = try HTTPClient(origin: try #require(Origin(upstream.url)), loops: group.loops, options: options)
    }

    func get(_ target: String = "/user") async -> Result<ClientResponse, HTTPClientError> {
        await send(ClientRequest(.get, target))
    }

    func post(_ body: String) async -> Result<ClientResponse, HTTPClientError> {
        var request = ClientRequest(.post, "/token")
        request.body = Array(body.utf8)
        return await send(request)
    }

    private func send(_ request: ClientRequest) async -> Result<ClientResponse, HTTPClientError> {
        do throws(HTTPClientError) {
            return .success(try await client.send(request))
        } catch {
            return .failure(error)
        }
    }

    func stop() {
        group.shutdown()
        upstream.stop()
    }
}

extension Result where Success == ClientResponse, Failure == HTTPClientError {
    fileprivate var text: String? { (try? get()).map { String(decoding: $0.body, as: UTF8.self) } }
    fileprivate var status: Int? { (try? get()).map { Int($0.status.code) } }
    fileprivate var kind: HTTPClientError.Kind? {
        if case .failure(let error) = self { error.kind } else { nil }
    }
}

@Suite("Answers of every kind", .timeLimit(.minutes(1)))
struct AnswerTests {
    @Test(
        "A whole answer is read, however it is framed",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"),
            ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", ""),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nT: v\r\n\r\n",
                "hello"
            ),
            (
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"
            ),
            ("HTTP/1.1 204 No Content\r\n\r\n", ""),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", ""),
        ])
    func framing(_ answer: String, _ body: String) async throws {
        let world = try World { _ in [.send(answer)] }
        defer { world.stop() }
        #expect(await world.get().text == body)
        #expect(await world.get().text == body)
        #expect(world.upstream.connectionCount == 1)
    }

    @Test("An answer that comes byte by byte is the same answer")
    func drip() async throws {
        let answer = ScriptedUpstream.answer("{\"a\":1}", fields: "X-A:  b \r\n")
        let world = try World { _ in answer.map { .send(String($0)) }.flatMap { [$0, .wait(.microseconds(300))] } }
        defer { world.stop() }
        let response = try await world.get().get()
        #expect(response.body == Array("{\"a\":1}".utf8))
        #expect(response["x-a"] == "b")
    }

    @Test("A body that only the end of the connection ends is read, and the connection is not used again")
    func untilClose() async throws {
        let world = try World { _ in [.send("HTTP/1.1 200 OK\r\n\r\nall of "), .send("it"), .close] }
        defer { world.stop() }
        #expect(await world.get().text == "all of it")
        #expect(await world.get().text == "all of it")
        #expect(world.upstream.connectionCount == 2)
    }

    @Test("What follows an answer unasked ends the connection and never answers another request")
    func junk() async throws {
        let world = try World { request in
            [.send(ScriptedUpstream.answer("right") + ScriptedUpstream.answer("wrong"))]
        }
        defer { world.stop() }
        for _ in 0..<4 { #expect(await world.get().text == "right") }
        #expect(world.upstream.connectionCount == 4)
    }

    @Test("The head of a HEAD answer announces a body that does not come")
    func head() async throws {
        let world = try World { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")] }
        defer { world.stop() }
        let response = try await world.client.send(ClientRequest(.head, "/"))
        #expect(response["content-length"] == "500")
        #expect(response.body.isEmpty)
    }
}

@Suite("Answers that are none", .timeLimit(.minutes(1)))
struct GarbageTests {
    @Test(
        "Garbage is refused at once",
        arguments: [
            "<html>", "SSH-2.0-x\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "HTTP/1.1 200 OK\r\nA b: c\r\n\r\n",
            "HTTP/1.1 200 OK\r\n folded: x\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\u{0}\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n",
            String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 20),
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 70_000),
            "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 200),
        ])
    func garbage(_ answer: String) async throws {
        let world = try World { _ in [.send(answer)] }
        defer { world.stop() }
        #expect(await world.get().kind == .malformed)
        #expect(world.client.connectionCount == 0)
    }

    @Test(
        "An answer that ends early is a loss and is not asked for again",
        arguments: ["HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func partial(_ answer: String) async throws {
        let world = try World { _ in [.send(answer), .close] }
        defer { world.stop() }
        #expect(await world.get().kind == .connectionLost)
        #expect(world.upstream.requests.count == 1)
    }

    @Test("Silence, and an answer that stops, end with the time-out", arguments: ["", "HTTP/1.1 200 OK\r\n"])
    func silence(_ start: String) async throws {
        let world = try World({ $0.answerTimeout = .milliseconds(50) }) { _ in [.send(start)] }
        defer { world.stop() }
        #expect(await world.get().kind == .timedOut)
        #expect(world.client.connectionCount == 0)
    }
}

@Suite("Connections that are lost", .timeLimit(.minutes(1)))
struct LossTests {
    @Test("A reset before the answer: nobody knows, so nothing is asked twice", arguments: [true, false])
    func reset(_ isReset: Bool) async throws {
        let world = try World { _ in [isReset ? .reset : .close] }
        defer { world.stop() }
        #expect(await world.get().kind == .connectionLost)
        #expect(await world.post("{}").kind == .connectionLost)
        #expect(world.upstream.requests.count == 2)
    }

    @Test("A reading request that was lost on an idle connection is sent once more over a new one")
    func staleGet() async throws {
        let world = try World { request in
            request.number == 1 ? [.send(ScriptedUpstream.answer("\(request.connection)"))] : [.close]
        }
        defer { world.stop() }
        #expect(await world.get().text == "1")
        #expect(await world.get().text == "2")
        #expect(world.upstream.requests.map(\.connection) == [1, 1, 2])
    }

    @Test("A writing request that was lost on an idle connection is not sent again")
    func stalePost() async throws {
        let world = try World { request in
            request.number == 1 ? [.send(ScriptedUpstream.answer("ok"))] : [.reset]
        }
        defer { world.stop() }
        #expect(await world.post("{}").text == "ok")
        #expect(await world.post("{}").kind == .connectionLost)
        #expect(world.upstream.requests.count == 2)
    }

    @Test("A connection that the server has closed is noticed before a writing request goes to it")
    func closedWhileIdle() async throws {
        let world = try World { _ in [.send(ScriptedUpstream.answer("ok")), .close] }
        defer { world.stop() }
        for _ in 0..<20 {
            #expect(await world.post("{}").text == "ok")
            while world.client.connectionCount > 0 { await Task.yield() }
        }
        #expect(world.upstream.requests.count == 20)
    }

    @Test("A server that is not there is unreachable after as many tries as are allowed")
    func refused() async throws {
        let world = try World { _ in [] }
        world.upstream.stop()
        defer { world.group.shutdown() }
        #expect(await world.get().kind == .unreachable)
        #expect(await world.post("{}").kind == .unreachable)
    }

    @Test("A server that comes back while tries are left gets the request")
    func comesBack() async throws {
        let first = try ScriptedUpstream { _ in [] }
        let port = first.address.port
        first.stop()
        let group = try EventLoopGroup(count: 1)
        defer { group.shutdown() }
        var options = HTTPClientOptions()
        options.connectPause = .milliseconds(100)
        let client = try HTTPClient(
            origin: try #require(Origin("http://127.0.0.1:\(port)")), loops: group.loops, options: options)
        async let answer = client.send(ClientRequest(.get, "/"))
        let second = try ScriptedUpstream(port: port) { _ in [.send(ScriptedUpstream.answer("back"))] }
        defer { second.stop() }
        #expect(try await answer.body == Array("back".utf8))
    }

    @Test("A caller that does not wait any more ends the exchange")
    func cancelled() async throws {
        let world = try World { _ in [] }
        defer { world.stop() }
        let kind = await withTaskGroup(of: HTTPClientError.Kind?.self) { group in
            group.addTask { await world.get().kind }
            while world.upstream.requests.isEmpty { await Task.yield() }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(kind == .cancelled)
        #expect(world.client.connectionCount == 0)
    }
}

@Suite("Many at once", .timeLimit(.minutes(1)))
struct LoadTests {
    @Test("Every one of many requests in flight gets its own answer")
    func many() async throws {
        let world = try World({ $0.connectionsMax = 16 }) { request in
            let target = request.text.split(separator: " ")[1]
            return [.wait(.milliseconds(1)), .send(ScriptedUpstream.answer(String(target)))]
        }
        defer { world.stop() }
        let wrong = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<500 { group.addTask { await world.get("/\(number)").text != "/\(number)" } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wrong == 0)
        #expect(world.upstream.connectionCount <= 16)
    }

    @Test("Beyond the connections and the queue there is no room, and that is said at once")
    func overload() async throws {
        let world = try World({
            $0.connectionsMax = 1
            $0.queueMax = 1
            $0.queueTimeout = .milliseconds(80)
            $0.answerTimeout = .milliseconds(300)
        }) { _ in [] }
        defer { world.stop() }
        let kinds = await withTaskGroup(of: HTTPClientError.Kind?.self) { group in
            for _ in 0..<3 { group.addTask { await world.get().kind } }
            return await group.reduce(into: [HTTPClientError.Kind?]()) { $0.append($1) }
        }
        #expect(kinds.filter { $0 == .overloaded }.count == 2)
        #expect(kinds.filter { $0 == .timedOut }.count == 1)
    }

    @Test("A large body goes out and comes back whole")
    func large() async throws {
        let text = String(repeating: "0123456789", count: 200_000)
        let world = try World { request in
            [.send(ScriptedUpstream.answer(String(request.text.suffix(2_000_000))))]
        }
        defer { world.stop() }
        #expect(await world.post(text).text == text)
    }

    @Test("No value of a field or target can add a line to the request")
    func injection() async throws {
        let world = try World { _ in [.send(ScriptedUpstream.answer("ok"))] }
        defer { world.stop() }
        var request = ClientRequest(.get, "/a\r\nX: y b\u{7F}é")
        request.add("A", "b\r\nEvil: c\n\u{0}d")
        _ = try await world.client.send(request)
        let text = try #require(world.upstream.requests.first).text
        #expect(text.hasPrefix("GET /a%0d%0aX:%20y%20b%7f%c3%a9 HTTP/1.1\r\n"))
        #expect(text.contains("\r\nA: b  Evil: c  d\r\n"))
    }
}

@Suite("Origins")
struct OriginTests {
    @Test(
        "A URL is taken apart",
        arguments: [
            ("http://127.0.0.1:9999", "127.0.0.1:9999", ""), ("HTTP://Example.COM", "example.com", ""),
            ("http://example.com:80/auth/v1/", "example.com", "/auth/v1"), ("http://[::1]:81", "[::1]:81", ""),
            ("https://a.b", "a.b", ""), ("https://a.b:80", "a.b:80", ""),
        ])
    func good(_ url: String, _ authority: String, _ prefix: String) throws {
        let origin = try #require(Origin(url))
        #expect(origin.authority == authority)
        #expect(origin.prefix == prefix)
    }

    @Test(
        "What is no such URL is refused",
        arguments: [
            "", "example.com", "ftp://a", "http://", "http://:80", "http://u@a", "http://a:0", "http://a:99999",
            "http://a:x", "http://a?b", "http://a/#c", "http://a b", "http://[::1", "http://[x]", "http://a/\u{e9}",
        ])
    func bad(_ url: String) {
        #expect(Origin(url) == nil)
    }
}
