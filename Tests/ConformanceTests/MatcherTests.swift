import Bytes
import JSON
import Testing

@testable import Conformance

struct FixedClock: WallClock {
    func now() -> Timestamp { Timestamp(unixSeconds: 1_700_000_000) }
}

@Suite("What differs from run to run becomes comparable")
struct NormalizerTests {
    static func normalizer() -> Normalizer {
        Normalizer(
            base: "http://127.0.0.1:9", prefix: "/auth/v1", issuer: "http://127.0.0.1:7/realms/test",
            hooks: "http://127.0.0.1:8", tag: "0a1b2c3d", clock: FixedClock())
    }

    @Test("equal values stay equal, in the order of their keys")
    func numbering() throws {
        var normalizer = Self.normalizer()
        let one = "00000000-0000-4000-8000-000000000001", two = "00000000-0000-4000-8000-000000000002"
        let value: JSONValue = ["z": .string(one), "a": .string("x \(two) y"), "m": [.string(one), .string(two)]]
        let shown = try normalizer.plain(value)
        #expect(Matcher.isEqual(shown, ["a": "x <uuid:1> y", "m": ["<uuid:2>", "<uuid:1>"], "z": "<uuid:2>"]))
    }

    @Test("times by their distance from now")
    func times() {
        var normalizer = Self.normalizer()
        #expect(normalizer.text("2023-11-14T22:13:20Z") == "<time:now>")
        #expect(normalizer.text("at 2023-11-14 23:13:40.123456+00:00.") == "at <time:+3600>.")
        #expect(normalizer.text("2023-11-13T22:13:20+0000") == "<time:-86400>")
        #expect(normalizer.text("0001-01-01T00:00:00Z") == "0001-01-01T00:00:00Z")
        #expect(normalizer.text("2023-13-41T22:13:20Z") == "<time>")
        #expect(normalizer.text("only request this after 58 seconds.") == "only request this after <n> seconds.")
    }

    @Test("keys that say what their values are")
    func keys() throws {
        var normalizer = Self.normalizer()
        let value: JSONValue = [
            "expires_at": 1_700_003_600, "iat": 1_700_000_001, "exp": "1700000059", "refresh_token": "abc",
            "expires_in": 3600, "n": 1_700_003_600,
        ]
        let wanted: JSONValue = [
            "expires_at": "<unix:+3600>", "iat": "<unix:now>", "exp": "<unix:now>", "refresh_token": "<refresh:1>",
            "expires_in": 3600, "n": 1_700_003_600,
        ]
        #expect(Matcher.isEqual(try normalizer.plain(value), wanted))
    }

    @Test("a web token opens, in a text it is numbered")
    func tokens() throws {
        var normalizer = Self.normalizer()
        let token = try TestTokens.hs256(["sub": "x", "exp": 1_700_003_600], secret: "s")
        let shown = try normalizer.plain(.string(token))
        let wanted: JSONValue = [
            "$jwt": ["header": ["alg": "HS256", "typ": "JWT"], "claims": ["sub": "x", "exp": "<unix:+3600>"]]
        ]
        #expect(Matcher.isEqual(shown, wanted))
        #expect(normalizer.text("Bearer \(token)!") == "Bearer <jwt:1>!")
    }

    @Test("hashes, addresses of the run, and a location")
    func others() throws {
        var normalizer = Self.normalizer()
        normalizer.remember("a b@example.com", as: "{{email:a}}")
        let hash = String(repeating: "ab", count: 28)
        #expect(normalizer.text("pkce_\(hash) x\(hash) \(hash)") == "pkce_<hash:1> x\(hash) <hash:2>")
        #expect(normalizer.text("http://127.0.0.1:9/auth/v1/verify") == "{{base}}/verify")
        #expect(
            normalizer.text("to=http%3A%2F%2F127.0.0.1%3A9&m=a+b%40example.com 0a1b2c3d")
                == "to={{base}}&m={{email:a}} <tag>")
        let shown = try normalizer.location("https://app.example.com/x?type=signup#expires_at=1700003600&e=a%2Bb")
        let wanted: JSONValue = [
            "to": "https://app.example.com/x", "query": ["type": "signup"],
            "fragment": ["expires_at": "<unix:+3600>", "e": "a+b"],
        ]
        #expect(Matcher.isEqual(shown, wanted))
    }
}

@Suite("The matcher says what differs, and only that")
struct MatcherTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let want: String
        let got: String
        var isPartial = false
        let paths: [String]
        var testDescription: String { "\(want) ~ \(got)\(isPartial ? " (partial)" : "")" }
    }

    static let examples: [Example] = [
        .init(want: #"{"a":1}"#, got: #"{"a":1}"#, paths: []),
        .init(want: #"{"a":1}"#, got: #"{"a":1.0}"#, paths: []),
        .init(want: #"{"a":1}"#, got: #"{"a":"1"}"#, paths: ["a"]),
        .init(want: #"{"a":1}"#, got: #"{"a":true}"#, paths: ["a"]),
        .init(want: #"{"a":null}"#, got: "{}", paths: ["a"]),
        .init(want: "{}", got: #"{"a":null}"#, paths: ["a"]),
        .init(want: "{}", got: #"{"a":1}"#, isPartial: true, paths: []),
        .init(want: #"{"a":"<absent>"}"#, got: "{}", paths: []),
        .init(want: #"{"a":"<absent>"}"#, got: #"{"a":1}"#, paths: ["a"]),
        .init(want: #"{"a":"<absent>"}"#, got: #"{"a":null}"#, paths: []),
        .init(want: #"{"a":"<any>"}"#, got: #"{"a":[1]}"#, paths: []),
        .init(want: #"{"a":"<any>"}"#, got: "{}", paths: ["a"]),
        .init(want: #"{"a":"<one of> [1, \"x\"]"}"#, got: #"{"a":"x"}"#, paths: []),
        .init(want: #"{"a":"<one of> [1, \"x\"]"}"#, got: #"{"a":2}"#, paths: ["a"]),
        .init(want: #"{"a":[1,2]}"#, got: #"{"a":[1,3]}"#, paths: ["a[1]"]),
        .init(want: #"{"a":[1,2]}"#, got: #"{"a":[1]}"#, paths: ["a"]),
        .init(want: #"{"j":{"expires_in":3600}}"#, got: #"{"j":{"expires_in":3599}}"#, paths: []),
        .init(want: #"{"j":{"expires_in":3600}}"#, got: #"{"j":{"expires_in":3598}}"#, paths: ["j.expires_in"]),
        .init(want: #"{"j":{"expires_in":3600}}"#, got: #"{"j":{"expires_in":"3599"}}"#, paths: ["j.expires_in"]),
        .init(want: #"{"a":"\u00e9"}"#, got: #"{"a":"e\u0301"}"#, paths: ["a"]),
        .init(want: #"{"a":12345678901234567890123}"#, got: #"{"a":12345678901234567890124}"#, paths: ["a"]),
        .init(want: #"{"b":1,"a":{"x":1}}"#, got: #"{"a":{"x":2},"b":2}"#, paths: ["a.x", "b"]),
        .init(want: #""x?a=1""#, got: #"{"to":"x","query":{"a":"1"},"fragment":{}}"#, paths: []),
        .init(want: #""x?a=1""#, got: #"{"to":"x","query":{"a":"2"},"fragment":{}}"#, paths: ["query.a"]),
        .init(want: "{}", got: "[]", paths: [""]),
    ]

    @Test("two values", arguments: examples)
    func example(_ example: Example) throws {
        let found = Matcher.differences(
            try JSONValue.parse(example.want), try JSONValue.parse(example.got), isPartial: example.isPartial)
        #expect(found.map(\.path) == example.paths)
    }

    struct Tolerance: Sendable, CustomTestStringConvertible {
        let want: String
        let got: String
        var ignore: [String] = []
        /// What still counts.
        let counted: [String]
        var testDescription: String { "\(want) ~ \(got)" }
    }

    static let tolerances: [Tolerance] = [
        .init(
            want: #"{"status":404,"headers":{"content-type":"text/plain"},"text":"404 page not found"}"#,
            got: #"{"status":404,"headers":{"content-type":"application/json"},"json":{"code":404}}"#, counted: []),
        .init(
            want: #"{"status":404,"headers":{"content-type":"text/plain"},"text":"x"}"#,
            got: #"{"status":405,"headers":{"content-type":"application/json"},"json":{}}"#,
            counted: ["headers.content-type", "json", "status", "text"]),
        .init(
            want: #"{"status":404,"headers":{},"json":{"code":404}}"#, got: #"{"status":404,"headers":{}}"#,
            counted: ["json"]),
        .init(
            want: #"{"status":429,"headers":{},"json":{}}"#,
            got: #"{"status":429,"headers":{"retry-after":"5"},"json":{}}"#, counted: []),
        .init(
            want: #"{"status":200,"headers":{},"json":{}}"#,
            got: #"{"status":200,"headers":{"retry-after":"5"},"json":{}}"#, counted: ["headers.retry-after"]),
        .init(
            want: #"{"status":303,"headers":{"location":"<any>","content-type":"text/html"},"text":"See Other"}"#,
            got: #"{"status":303,"headers":{"location":{}}}"#, counted: []),
        .init(
            want: #"{"status":200,"json":{"a":{"b":1},"c":1}}"#, got: #"{"status":200,"json":{"a":{"b":2},"c":2}}"#,
            ignore: ["json.a"], counted: ["json.c"]),
    ]

    @Test("what the format or the case does not compare is found, and does not count", arguments: tolerances)
    func tolerance(_ example: Tolerance) throws {
        let step = try CaseStep(
            ["path": "/x", "ignore": .array(example.ignore.map { .string($0) })], number: 1)
        let found = Matcher.compare(
            step, want: try JSONValue.parse(example.want), seen: try JSONValue.parse(example.got), isPartial: false)
        #expect(found.filter { $0.standing == .counts }.map(\.path) == example.counted)
    }

    @Test("known deviations: built in and of a list")
    func known() throws {
        let list = #"[{"case":"user-*","path":"json.role","why":"ticket 7"},{"endpoint":"GET /y","why":"all of it"}]"#
        let known = try KnownDeviations(Array(list.utf8))
        let step = try CaseStep(["path": "/x", "method": "POST"], number: 1)
        func reason(_ path: String, _ id: String, want: JSONValue = ["status": 200], seen: JSONValue = ["status": 200])
            -> String?
        {
            known.reason(Difference(path: path, expected: nil, got: 1), id: id, step: step, want: want, seen: seen)
        }
        #expect(reason("json.role", "user-get") == "ticket 7")
        #expect(reason("json.role", "token-x") == nil)
        #expect(reason("json.detail.field", "token-x") != nil)
        #expect(reason("status", "x", want: ["status": 500], seen: ["status": 422]) != nil)
        #expect(reason("status", "x", want: ["status": 422], seen: ["status": 500]) == nil)
        for broken in ["{}", "[1]", #"[{"path":"x"}]"#, #"[{"why":"x","whom":"y"}]"#, #"[{"why":1}]"#, "["] {
            #expect(throws: CaseProblem.self) { try KnownDeviations(Array(broken.utf8)) }
        }
    }
}
