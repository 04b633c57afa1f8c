import Foundation
import Outgoing
import Testing

@Suite("Calls to HTTP servers")
struct WebTests {
    let client: OutgoingClient

    init() throws {
        client = try OutgoingClient()
    }

    /// Reads one request, notes its head and body, and answers.
    private func server(_ answer: String) throws -> ScriptedServer {
        try ScriptedServer { peer in
            while let request = peer.line() {
                peer.note(request)
                var length = 0
                while let line = peer.line(), !line.isEmpty {
                    peer.note(line)
                    if line.lowercased().hasPrefix("content-length:") {
                        length = Int(line.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) ?? 0
                    }
                }
                if length > 0, let body = peer.bytes(length) {
                    peer.note("BODY " + String(decoding: body, as: UTF8.self))
                }
                peer.write(answer)
            }
        }
    }

    private func request(_ port: Int, _ method: String = "GET", body: String? = nil) -> WebRequest {
        var request = WebRequest(
            method: method, url: "http://127.0.0.1:\(port)/a?b=c", body: body.map { Array($0.utf8) })
        request.totalTimeout = .seconds(5)
        return request
    }

    private func failure(_ request: WebRequest, of other: OutgoingClient? = nil) async -> OutgoingError.Kind? {
        do {
            _ = try await (other ?? client).send(request)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("a GET gives status, headers and body")
    func get() async throws {
        let peer = try server("HTTP/1.1 201 Made\r\nX-One:  two \r\nContent-Length: 2\r\n\r\nhi")
        defer { peer.stop() }
        var call = request(peer.port)
        call.headers = [("X-Mine", "a b"), ("X-Empty", "")]
        let answer = try await client.send(call)
        #expect(answer.status == 201 && answer.body == Array("hi".utf8) && answer.header("x-one") == "two")
        #expect(peer.notes.contains("GET /a?b=c HTTP/1.1") && peer.notes.contains("X-Mine: a b"))
        #expect(peer.notes.contains("X-Empty:") && peer.notes.contains("User-Agent: Drawbridge"))
    }

    @Test(
        "bodies go out with any method, and nothing is added to the headers",
        arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func bodies(method: String) async throws {
        let peer = try server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        defer { peer.stop() }
        _ = try await client.send(request(peer.port, method, body: "{\"a\": 1}"))
        _ = try await client.send(request(peer.port, method, body: ""))
        #expect(peer.notes.contains("\(method) /a?b=c HTTP/1.1") && peer.notes.contains("BODY {\"a\": 1}"))
        #expect(peer.notes.contains("Content-Length: 0"))
        #expect(!peer.notes.contains { $0.hasPrefix("Content-Type") || $0.hasPrefix("Expect") })
    }

    @Test("an answer larger than allowed is refused")
    func tooLarge() async throws {
        let peer = try server("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world")
        defer { peer.stop() }
        var call = request(peer.port)
        call.responseBytesMax = 10
        #expect(await failure(call) == .tooLarge)
        call.responseBytesMax = 11
        #expect(await failure(call) == nil)
    }

    @Test("a redirect is an answer unless following is asked for")
    func redirects() async throws {
        let target = try server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let peer = try server(
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(target.port)/\r\nContent-Length: 0\r\n\r\n")
        let file = try server("HTTP/1.1 302 Found\r\nLocation: file:///etc/hostname\r\nContent-Length: 0\r\n\r\n")
        defer { [target, peer, file].forEach { $0.stop() } }
        #expect(try await client.send(request(peer.port)).status == 302)
        var call = request(peer.port)
        call.redirectsMax = 1
        #expect(try await client.send(call).status == 200)
        call = request(file.port)
        call.redirectsMax = 1
        #expect(await failure(call) == .invalid)
    }

    @Test("nobody there, silence, hanging up and unknown names are told apart")
    func failures() async throws {
        let silent = try ScriptedServer { $0.staySilent() }
        let closing = try ScriptedServer { _ = $0.line() }
        let gone = try ScriptedServer { _ in }
        gone.stop()
        defer { [silent, closing].forEach { $0.stop() } }
        #expect(await failure(request(gone.port)) == .refused)
        #expect(await failure(request(closing.port)) == .closed)
        var call = request(silent.port)
        call.totalTimeout = .milliseconds(200)
        #expect(await failure(call) == .timedOut)
        call = request(silent.port)
        call.url = "https://127.0.0.1:\(closing.port)/"
        #expect(await failure(call) == .tls)
        call.url = "http://no-such-host.invalid/"
        #expect(await failure(call) == .dns)
    }

    @Test(
        "other schemes, blanks and line breaks never reach the wire",
        arguments: [
            "file:///etc/passwd", "ftp://127.0.0.1/", "", "http://a b/", "http://a/\r\nX: y", "gopher://x", "http:/x",
        ])
    func invalid(url: String) async throws {
        #expect(await failure(WebRequest(url: url)) == .invalid)
        #expect(await failure(WebRequest(url: "http://127.0.0.1:1/", headers: [("X", "a\r\nY: b")])) == .invalid)
        #expect(await failure(WebRequest(url: "http://127.0.0.1:1/", headers: [("X Y", "a")])) == .invalid)
        #expect(await failure(WebRequest(method: "GET /", url: "http://127.0.0.1:1/")) == .invalid)
    }

    @Test("cancelling the task ends the call, before and while it runs")
    func cancels() async throws {
        let peer = try ScriptedServer {
            $0.note($0.line() ?? "")
            $0.staySilent()
        }
        defer { peer.stop() }
        var call = request(peer.port)
        call.totalTimeout = .seconds(60)
        await withTaskGroup(of: OutgoingError.Kind?.self) { [call] group in
            group.addTask { await failure(call) }
            while peer.notes.isEmpty { await Task.yield() }
            group.cancelAll()
            group.addTask { await failure(call) }
            for await kind in group { #expect(kind == .cancelled) }
        }
    }

    @Test("many calls at once all get their answer")
    func many() async throws {
        let peer = try server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        defer { peer.stop() }
        await withTaskGroup(of: OutgoingError.Kind?.self) { group in
            for _ in 0..<300 { group.addTask { await failure(request(peer.port)) } }
            for await kind in group { #expect(kind == nil) }
        }
    }

    @Test("a full queue refuses at once, and what waits too long times out")
    func bounded() async throws {
        let peer = try ScriptedServer { $0.staySilent() }
        defer { peer.stop() }
        var limits = OutgoingClient.Limits()
        (limits.webInFlightMax, limits.webQueueMax) = (1, 2)
        let client = try OutgoingClient(limits: limits)
        var call = request(peer.port)
        call.totalTimeout = .milliseconds(600)
        let kinds = await withTaskGroup(of: OutgoingError.Kind?.self) { [call] group in
            for _ in 0..<20 {
                group.addTask { await failure(call, of: client) }
            }
            return await group.reduce(into: [OutgoingError.Kind?]()) { $0.append($1) }
        }
        #expect(!kinds.contains(nil))
        #expect(kinds.contains(.overloaded) && kinds.contains(.timedOut))
    }

    @Test("shutting down lets calls finish, ends those that do not, and refuses new ones")
    func shutsDown() async throws {
        let peer = try ScriptedServer {
            $0.note($0.line() ?? "")
            $0.staySilent()
        }
        defer { peer.stop() }
        var call = request(peer.port)
        call.totalTimeout = .seconds(60)
        async let kind = failure(call)
        while peer.notes.isEmpty { await Task.yield() }
        await client.shutDown(within: .milliseconds(50))
        #expect(await kind == .shutDown)
        #expect(await failure(call) == .shutDown)
        await client.shutDown(within: .seconds(1))
    }
}
