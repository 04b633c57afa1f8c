import Bytes
import JSON
import Synchronization
import Testing

@testable import Conformance

/// A server of a few lines that cases are run against.
final class FakeServer: Sendable {
    private let server: PeerServer
    private let counter = Mutex(0)
    var url: String { "http://127.0.0.1:\(server.port)" }

    init(role: String) throws {
        server = try PeerServer(port: 0)
        server.start { [self] request in
            switch request.path {
            case "/user":
                return Self.json(#"{"id":"00000000-0000-4000-8000-000000000001","role":"\#(role)","n":1}"#)
            case "/noisy":
                let count = counter.withLock { count in
                    count += 1
                    return count
                }
                return Self.json(#"{"count":\#(count),"role":"\#(role)"}"#)
            case "/echo": return PeerAnswer(status: 200, body: request.body)
            case "/close": return nil
            default: return Self.json(#"{"msg":"<script>alert(1)</script>"}"#, status: 404)
            }
        }
    }

    private static func json(_ text: String, status: Int = 200) -> PeerAnswer {
        PeerAnswer(status: status, body: Array(text.utf8))
    }
}

@Suite("Runs against servers on the loopback interface")
struct RunTests {
    /// Runs one case, given as JSON, and returns its result.
    private static func run(_ text: String, _ change: (inout ConformanceOptions) -> Void) throws -> [CaseResult] {
        let folder = try Files.temporaryFolder(below: "/tmp")
        defer { Files.remove(folder) }
        try Files.write(Array(text.utf8), to: folder + "/case.json")
        var options = ConformanceOptions(cases: [folder + "/case.json"], target: .running(url: "http://127.0.0.1:1"))
        change(&options)
        let conductor = try Conductor(options, environment: [:], random: SystemRandom(), clock: SystemClock())
        try conductor.reach()
        return conductor.run { _ in }
    }

    private static func one(_ steps: String) -> String { #"{"id":"user-one","steps":["# + steps + "]}" }

    @Test("an answer as recorded passes, another differs by field")
    func recorded() throws {
        let text = Self.one(
            #"{"path":"/user","expect":{"status":200,"headers":{"content-type":"application/json"},"#
                + #""json":{"id":"<uuid:1>","role":"a","n":1}}}"#
        )
        let good = try FakeServer(role: "a"), bad = try FakeServer(role: "b")
        #expect(try Self.run(text) { $0.target = .running(url: good.url) }[0].verdict == .passed)
        let result = try Self.run(text) { $0.target = .running(url: bad.url) }[0]
        #expect(result.verdict == .differs)
        #expect(result.lines == [#"step 1 request /user: json.role: want "a", got "b""#])
    }

    @Test("two servers are compared live; what differs by itself is noise")
    func live() throws {
        let text = Self.one(#"{"path":"/noisy"},{"path":"/user"}"#)
        let one = try FakeServer(role: "a"), same = try FakeServer(role: "a"), other = try FakeServer(role: "b")
        func verdict(_ target: FakeServer) throws -> CaseResult {
            try Self.run(text) {
                $0.target = .running(url: target.url)
                $0.reference = .running(url: one.url)
            }[0]
        }
        _ = try verdict(same)  // so that the two counters are apart
        let equal = try verdict(same)
        #expect(equal.verdict == .passed)
        #expect(equal.noiseCount == 1)
        let different = try verdict(other)
        #expect(different.verdict == .differs)
        let counted = different.findings.flatMap(\.differences).filter { $0.standing == .counts }
        #expect(counted.map(\.path) == ["json.role", "json.role"])
    }

    @Test("what cannot be run is not run, and what the server does not answer differs")
    func ends() throws {
        let server = try FakeServer(role: "a")
        func result(_ steps: String) throws -> CaseResult {
            try Self.run(Self.one(steps)) { $0.target = .running(url: server.url) }[0]
        }
        #expect(try result(#"{"path":"/user"},{"do":"dance"}"#).verdict == .notRun)
        #expect(try result(#"{"path":"/close"}"#).verdict == .differs)
        #expect(try result(#"{"path":"/user","as":"token"}"#).verdict == .differs)
        #expect(try result(#"{"path":"/user","match":{"json:role":"("},"expect":"<any>"}"#).verdict == .notRun)
        let sent = #"{"do":"race","times":8,"method":"POST","path":"/echo","raw":"{\"a\":1}","expect":"<any>"}"#
        #expect(try result(sent).verdict == .passed)
        #expect(try result(#"{"path":"/user","headers":{"x":"a\nb"}}"#).verdict == .differs)
        #expect(try result(#"{"path":"/user","headers":{"x y":"a"}}"#).verdict == .notRun)
        let doubled = Array(repeating: #"{"do":"make","var":"a","text":"{{a}}{{a}}"}"#, count: 40)
        let first = #"{"do":"make","var":"a","text":"{{fill:1000000}}"},"#
        #expect(try result(first + doubled.joined(separator: ",")).verdict == .notRun)
        for time in ["now--9223372036854775808", "now+-1", "now+99999999999999999999", "now-x"] {
            let made = #"{"do":"make","var":"a","jwt":{"exp":"\#(time)"}}"#
            #expect(try result(made).verdict == .notRun)
        }
        let filled =
            #"{"method":"POST","path":"/echo","raw":"\"{{fill:5:é}}{{tag}}\"","expect":{"status":200,"#
            + #""headers":{"content-type":"application/json"},"json":"ééééé<tag>"}}"#
        #expect(try result(filled).verdict == .passed)
    }

    @Test("no server, no case, no file: a sentence, and nothing is run")
    func unable() {
        let text = Self.one(#"{"path":"/user"}"#)
        #expect(throws: ConformanceFailure.self) { try Self.run(text) { _ in } }
        #expect(throws: ConformanceFailure.self) { try Self.run(text) { $0.only = "nothing" } }
        #expect(throws: ConformanceFailure.self) { try Self.run(text) { $0.cases = ["/nonexistent"] } }
        #expect(throws: ConformanceFailure.self) { try Self.run(text) { $0.list = "/nonexistent" } }
    }

    @Test("reports are escaped, whole, and agree with the outcome")
    func reports() throws {
        let server = try FakeServer(role: "a")
        let text = Self.one(#"{"path":"/<b>missing","expect":{"status":404,"json":{"msg":"\u001b[2J"}}}"#)
        var options = ConformanceOptions(cases: [], target: .running(url: server.url + "/\"><i>"))
        let results = try Self.run(text) { $0.target = .running(url: server.url) }
        options.prefix = "/auth/v1"
        let report = Report(
            version: "1", options: options, madeAt: "2026-01-01T00:00:00Z", results: results, leftOut: [("x<", "y>")])
        #expect(report.outcome == .differs)
        let page = HTMLReport.page(report)
        #expect(page.contains("&lt;script&gt;") && !page.contains("<script"))
        #expect(!page.contains("<i>") && !page.contains("\u{1B}") && !page.contains("src=") && !page.contains("url("))
        #expect(page.hasSuffix("</main></body></html>\n"))
        let json = try JSONValue.parse(JSONReport.bytes(report))
        #expect(json["summary"]?["differs"] == 1)
        #expect(json["cases"]?.array?.first?["steps"]?.array?.first?["differences"]?.array?.isEmpty == false)
        let lines = try JSONValue.parse(JSONReport.summary(report))["user-one"]?.array
        #expect(lines?.isEmpty == false)
        let ending = TextReport.ending(report)
        #expect(ending.contains("0 passed, 1 differ") && !ending.contains("\u{1B}"))
    }

    @Test("codes of second factors are those of RFC 6238")
    func codes() {
        // The RFC's secret; its eight digits end in these six.
        let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        let examples: [(Int64, String)] = [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")]
        for (time, code) in examples { #expect(TestTokens.totp(secret: secret, unixSeconds: time) == code) }
        #expect(TestTokens.totp(secret: "0", unixSeconds: 0) == nil)
    }
}
