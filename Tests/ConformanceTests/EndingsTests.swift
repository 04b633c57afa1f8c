import Bytes
import JSON
import Synchronization
import Testing

@testable import Conformance

/// A server whose answers are given as bytes, and which can be taken away.
private final class RawServer: Sendable {
    private let listener: BlockingSocket
    let port: Int
    var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter calls: after so many calls nobody answers any more.
    init(_ answer: String, calls: Int = .max) throws {
        let listener: BlockingSocket
        (listener, port) = try BlockingSocket.listen(port: 0)
        self.listener = listener
        Threads.start {
            for _ in 0..<calls {
                guard let caller = listener.accept(), (try? caller.receive()) != nil else { return }
                _ = try? caller.send(Array(answer.utf8))
            }
            listener.stop()
        }
    }

    deinit { listener.stop() }
}

@Suite("Runs that cannot go as they were meant to")
struct EndingsTests {
    private static let healthy = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
    private static let plain = #"{"id":"ID","steps":[{"path":"/health","expect":{"status":200},"partial":true}]}"#

    private static func outcome(
        _ cases: [(file: String, text: String)], _ target: ConformanceOptions.Place,
        _ change: (inout ConformanceOptions, _ folder: String) -> Void = { _, _ in }
    ) throws -> (results: [CaseResult], leftOut: [String]) {
        let folder = try Files.temporaryFolder(below: "/tmp")
        defer { Files.remove(folder) }
        for (file, text) in cases { try Files.write(Array(text.utf8), to: folder + "/" + file) }
        var options = ConformanceOptions(cases: [folder], target: target)
        change(&options, folder)
        let conductor = try Conductor(
            options, environment: ["PATH": "/usr/bin:/bin"], random: SystemRandom(), clock: SystemClock())
        try conductor.reach()
        return (conductor.run { _ in }, conductor.leftOut.map(\.why))
    }

    private static func numbered(_ count: Int) -> [(file: String, text: String)] {
        (1...count).map { ("\($0).json", plain.replacing("ID", with: "user-\($0)")) }
    }

    /// Why a run could not begin.
    private static func refusal(
        _ change: (inout ConformanceOptions, _ folder: String) -> Void
    ) throws -> String {
        do {
            _ = try outcome(numbered(1), .launched(command: "exit 1"), change)
            return ""
        } catch let failure as ConformanceFailure {
            return failure.text
        }
    }

    @Test("a server that goes away half way: the case it failed differs, the others are not run")
    func gone() throws {
        let server = try RawServer(Self.healthy, calls: 3)
        let (results, _) = try Self.outcome(Self.numbered(5), .running(url: server.url))
        #expect(results.map(\.verdict) == [.passed, .passed, .differs, .notRun, .notRun])
        #expect(results.last?.stop?.contains("any more") ?? false)
    }

    @Test("a command that never gives a server says nothing about one")
    func neverStarted() throws {
        let (results, _) = try Self.outcome(
            Self.numbered(5), .launched(command: "echo no database; exit 3"))
        #expect(results.allSatisfy { $0.verdict == .notRun })
        #expect(results[0].stop?.contains("status 3: no database") ?? false, "\(results[0].stop ?? "")")
        #expect(results[4].stop == results[2].stop)
    }

    @Test("answers that are no HTTP differ, whatever they are")
    func brokenAnswers() throws {
        let answers = [
            "\u{0}\u{0}\r\n\r\n", "HTTP/1.1 99 x\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "",
            "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7fffffffffffffff\r\n{}",
        ]
        for answer in answers {
            let server = try RawServer(answer)
            let caller = HTTPCaller()
            let call = HTTPCall(method: "GET", url: server.url + "/", headers: [], body: nil)
            #expect(throws: SocketFailure.self, "\(answer)") { _ = try caller.send(call) }
        }
    }

    @Test("what cannot be done is said before the run")
    func refusals() throws {
        #expect(try Self.refusal { options, _ in options.faketime = "/nonexistent.so" }.hasPrefix("--faketime: "))
        #expect(try Self.refusal { options, _ in options.target = .running(url: "http://") }.contains("no address"))
        let port = "http://127.0.0.1:99999"
        #expect(try Self.refusal { options, _ in options.target = .running(url: port) }.contains("no address"))
        #expect(
            try Self.refusal { options, folder in
                try? Files.write([10], to: folder + "/list")
                options.list = folder + "/list"
            }.contains("has no id"))
        #expect(
            try Self.refusal { options, _ in
                options.target = .running(url: "http://127.0.0.1:1")
                options.store = "postgres"
                options.only = "nothing"
            } == "there is no case to run")
    }

    @Test("a report that cannot be written is refused before a server is called")
    func reportPaths() throws {
        let folder = try Files.temporaryFolder(below: "/tmp")
        defer { Files.remove(folder) }
        let file = folder + "/case.json"
        try Files.write(Array(Self.plain.utf8), to: file)
        func refusal(_ report: String, _ summary: String? = nil) -> String {
            var options = ConformanceOptions(cases: [file], target: .running(url: "http://127.0.0.1:1"))
            (options.report, options.summary) = (report, summary)
            do {
                _ = try Conformance.run(
                    options, version: "1", environment: [:], random: SystemRandom(), clock: SystemClock()
                ) { _ in }
                return ""
            } catch {
                return error.text
            }
        }
        #expect(refusal(folder + "/none/x").contains("cannot be written"))
        #expect(refusal(file + "/x").contains("cannot be written"))
        #expect(refusal(folder + "/r", folder + "//r.json").contains("the same file"))
        #expect(refusal(folder + "/r").contains("no server answers"))
        #expect(!Files.exists(folder + "/r.json"))
    }

    @Test("an id of the list that no case has is told, and of two cases with one id the second is not run")
    func ids() throws {
        let server = try RawServer(Self.healthy)
        let cases = Self.numbered(2) + [("3.json", Self.plain.replacing("ID", with: "user-1"))]
        let (results, leftOut) = try Self.outcome(cases, .running(url: server.url)) { options, folder in
            try? Files.write(Array("user-1 user-2 user-9".utf8), to: folder + "/list")
            options.list = folder + "/list"
            options.cases += [folder + "/./1.json", folder + "//2.json"]
        }
        #expect(results.map(\.verdict) == [.notRun, .passed, .passed])
        #expect(results[0].stop?.contains("user-1 is taken by") ?? false)
        #expect(leftOut == ["stands in the list, but in no case file"])
    }

    @Test("the clock and the store of a running server cannot be reached; a command that fails says nothing of it")
    func reach() throws {
        let server = try RawServer(Self.healthy)
        let cases = [
            ("1.json", #"{"id":"user-1","steps":[{"do":"sql","sql":"x"}]}"#),
            ("2.json", Self.plain.replacing("ID", with: "user-2")),
        ]
        let (results, leftOut) = try Self.outcome(cases, .running(url: server.url)) { options, _ in
            options.sql = "cat"
        }
        #expect(results.map(\.id) == ["user-2"])
        #expect(leftOut == ["changes rows in the store (--launch with --sql)"])
        #expect {
            try ChildProcess.run("echo no table; exit 4", input: "x", environment: [:], folder: "/tmp")
        } throws: {
            "\($0)".contains("status 4: no table")
        }
    }

    @Test("two calls are never closer than the shortest interval between mails")
    func paced() throws {
        let times = Mutex<[Double]>([])
        let server = try PeerServer(port: 0)
        server.start { _ in
            times.withLock { $0.append(Threads.clock()) }
            return PeerAnswer(status: 200, body: Array("{}".utf8))
        }
        let text = #"{"id":"user-1","steps":[{"path":"/a","repeat":20},{"path":"/b"}]}"#
        _ = try Self.outcome([("1.json", text)], .running(url: "http://127.0.0.1:\(server.port)"))
        // The first call asks whether the server is there.
        let seen = times.withLock { Array($0.dropFirst()) }
        #expect(seen.count == 21)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $1 - $0 >= 0.0015 })
    }

    @Test("settings for a server name the ports that the peers will have")
    func environment() throws {
        func file(_ url: String, _ ports: [Int]) throws(ConformanceFailure) -> String {
            var options = ConformanceOptions(cases: [], target: .running(url: url))
            (options.mailPort, options.hookPort, options.openIDPort) = (ports[0], ports[1], ports[2])
            return try Conformance.environmentFile(
                url: url, options: options, random: SystemRandom(), clock: SystemClock())
        }
        let ports = try (0..<3).map { _ in try BlockingSocket.freePort() }
        let text = try file("http://127.0.0.1:9999", ports)
        #expect(text.contains("GOTRUE_SMTP_PORT=\(ports[0])\n") && text.contains("\nPORT=9999\n"))
        #expect(text.contains("GOTRUE_EXTERNAL_KEYCLOAK_URL=http://127.0.0.1:\(ports[2])"))
        #expect(throws: ConformanceFailure.self) { try file("http://", ports) }
        #expect(throws: ConformanceFailure.self) { try file("http://127.0.0.1:9999", [ports[0], 0, ports[2]]) }
    }

    @Test("long values that begin alike are shown where they part")
    func longValues() {
        let start = String(repeating: "a", count: 500)
        let pair = Difference.shortPair(.string(start + "bcd"), .string(start + "xyz"), lengthMax: 48)
        #expect(pair.expected == "..." + String(repeating: "a", count: 16) + "bcd\"")
        #expect(pair.got.hasSuffix("xyz\"") && pair.got.count <= 48)
        let early = Difference.shortPair(.string("b" + start), .string("c"), lengthMax: 48)
        #expect(early.expected.hasPrefix("\"baaa") && early.expected.count == 48 && early.got == "\"c\"")
        let cut = Difference.shortPair(.string(start), .string(start + start), lengthMax: 48)
        #expect(cut.expected != cut.got)
        #expect(Difference.shortPair(nil, .string("c"), lengthMax: 48) == ("nothing", "\"c\""))
        let line = Difference(path: "json.a", expected: .string(start + "b"), got: .string(start + "c")).line
        #expect(line.contains("ab\", got ") && line.hasSuffix("ac\""))
    }
}
