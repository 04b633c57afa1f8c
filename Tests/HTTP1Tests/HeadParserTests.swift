import Bytes
import EventLoop
import Testing

@testable import HTTP1

/// A request head and what must become of it.
struct HeadCase: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    let status: Int?

    var testDescription: String { name }

    /// `status` nil: accepted.
    init(_ name: String, _ text: String, _ status: Int? = nil) {
        self.name = name
        // Latin-1, so that "\u{FF}" is the byte 0xFF.
        bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        self.status = status
    }

    init(_ name: String, line: String, _ status: Int? = nil) {
        self.init(name, line + "\r\nHost: gw.test\r\n\r\n", status)
    }

    init(_ name: String, field: String, _ status: Int? = nil) {
        self.init(name, "POST /t HTTP/1.1\r\nHost: gw.test\r\n" + field + "\r\n\r\n", status)
    }

    init(_ name: String, host: String, _ status: Int? = nil) {
        self.init(name, "GET / HTTP/1.1\r\nHost:" + host + "\r\n\r\n", status)
    }

    static let lines: [HeadCase] = [
        HeadCase("plain", line: "GET /a HTTP/1.1"),
        HeadCase("one empty line before", line: "\r\nGET /a HTTP/1.1"),
        HeadCase("five empty lines before", line: "\r\n\r\n\r\n\r\n\r\nGET /a HTTP/1.1", 400),
        HeadCase("space before the method", line: " GET /a HTTP/1.1", 400),
        HeadCase("unknown method", line: "get /a HTTP/1.1"),
        HeadCase("method that is no token", line: "G\"T /a HTTP/1.1", 400),
        HeadCase("long method", line: String(repeating: "A", count: 33) + " /a HTTP/1.1", 501),
        HeadCase("two spaces", line: "GET  /a HTTP/1.1", 400),
        HeadCase("tabs", line: "GET\t/a\tHTTP/1.1", 400),
        HeadCase("text behind the version", line: "GET /a HTTP/1.1 x", 400),
        HeadCase("HTTP/0.9", "GET /a\r\n", 400),
        HeadCase("HTTP/1.2", line: "GET /a HTTP/1.2", 505),
        HeadCase("HTTP/2.0", line: "GET /a HTTP/2.0", 505),
        HeadCase("HTTP/1.10", line: "GET /a HTTP/1.10", 400),
        HeadCase("small letters", line: "GET /a http/1.1", 400),
        HeadCase("preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        HeadCase("bare LF", "GET /a HTTP/1.1\nHost: gw.test\n\n", 400),
        HeadCase("bare CR in the line", line: "GET /a\rHTTP/1.1", 400),
        HeadCase("NUL in the target", line: "GET /a\0b HTTP/1.1", 400),
        HeadCase("eight-bit byte in the target", line: "GET /\u{E9} HTTP/1.1", 400),
        HeadCase("DEL in the target", line: "GET /\u{7F} HTTP/1.1", 400),
        HeadCase("space in the target", line: "GET /a b HTTP/1.1", 400),
        HeadCase("long query", line: "GET /a?" + String(repeating: "q", count: 8000) + " HTTP/1.1"),
        HeadCase("too long a query", line: "GET /a?" + String(repeating: "q", count: 70_000) + " HTTP/1.1", 414),
        HeadCase("too long a path", line: "GET /" + String(repeating: "q", count: 70_000) + " HTTP/1.1", 414),
        HeadCase("absolute form", line: "GET http://gw.test/a HTTP/1.1"),
        HeadCase("absolute form without a path", line: "GET https://GW.test HTTP/1.1"),
        HeadCase("absolute form of another host", line: "GET http://evil.test/a HTTP/1.1", 400),
        HeadCase("absolute form with a user", line: "GET http://u:p@gw.test/a HTTP/1.1", 400),
        HeadCase("other scheme", line: "GET ftp://gw.test/a HTTP/1.1", 400),
        HeadCase("authority form", line: "GET gw.test:443 HTTP/1.1", 400),
        HeadCase("CONNECT", line: "CONNECT gw.test:443 HTTP/1.1", 501),
        HeadCase("asterisk with OPTIONS", line: "OPTIONS * HTTP/1.1"),
        HeadCase("asterisk with GET", line: "GET * HTTP/1.1", 400),
        HeadCase("no slash", line: "GET a HTTP/1.1", 400),
        HeadCase("fragment", line: "GET /a#f HTTP/1.1", 400),
        HeadCase("fragment in the query", line: "GET /a?b#f HTTP/1.1", 400),
        HeadCase("backslash", line: "GET /a\\b HTTP/1.1", 400),
        HeadCase("encoded slash", line: "GET /a%2fb HTTP/1.1", 400),
        HeadCase("encoded backslash", line: "GET /a%5Cb HTTP/1.1", 400),
        HeadCase("encoded NUL", line: "GET /a%00 HTTP/1.1", 400),
        HeadCase("overlong UTF-8", line: "GET /%c0%ae%c0%ae/a HTTP/1.1", 400),
        HeadCase("UTF-8", line: "GET /%C3%A9%e2%82%ac HTTP/1.1"),
        HeadCase("broken triplet", line: "GET /%zz HTTP/1.1", 400),
        HeadCase("short triplet", line: "GET /%4 HTTP/1.1", 400),
        HeadCase("short triplet in the query", line: "GET /a?%4 HTTP/1.1"),
        HeadCase("encoded dot segment", line: "GET /a/%2e%2e/b HTTP/1.1", 400),
        HeadCase("half-encoded dot segment", line: "GET /a/.%2E HTTP/1.1", 400),
        HeadCase("twice encoded dots", line: "GET /a/%252e%252e/b HTTP/1.1"),
        HeadCase("literal dot segments", line: "GET /a/../b HTTP/1.1"),
    ]

    static let hosts: [HeadCase] = [
        HeadCase("no Host", "GET / HTTP/1.1\r\n\r\n", 400),
        HeadCase("no Host in 1.0", "GET / HTTP/1.0\r\n\r\n"),
        HeadCase("equal Hosts", host: " a\r\nHost: a", 400),
        HeadCase("two Hosts", host: " a\r\nHost: b", 400),
        HeadCase("empty Host", host: "", 400), HeadCase("blank in Host", host: " a b", 400),
        HeadCase("port too large", host: " a:65536", 400), HeadCase("largest port", host: " a:65535"),
        HeadCase("port no number", host: " a:8a", 400), HeadCase("empty port", host: " a:"),
        HeadCase("user in Host", host: " u@a", 400), HeadCase("path in Host", host: " a/b", 400),
        HeadCase("IPv6", host: " [::1]:80"), HeadCase("open IPv6", host: " [::1", 400),
        HeadCase("empty IPv6", host: " []", 400), HeadCase("only a port", host: " :80", 400),
        HeadCase("long Host", host: " " + String(repeating: "a", count: 300), 400),
        HeadCase("NUL in Host", host: " a\0b", 400),
    ]

    static let fields: [HeadCase] = [
        HeadCase("space before the colon", field: "Content-Length : 5", 400),
        HeadCase("tab before the colon", field: "Content-Length\t: 5", 400),
        HeadCase("blank line start", "GET / HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n", 400),
        HeadCase("folded field", field: "X: one\r\n two", 400),
        HeadCase("no colon", field: "X one", 400), HeadCase("no name", field: ": x", 400),
        HeadCase("NUL in a value", field: "X: a\0b", 400), HeadCase("CR in a value", field: "X: a\rb", 400),
        HeadCase("LF in a value", field: "X: a\nY: b", 400), HeadCase("control in a value", field: "X: a\u{1}b", 400),
        HeadCase("VT in a value", field: "X: a\u{B}b", 400), HeadCase("DEL in a value", field: "X: a\u{7F}b", 400),
        HeadCase("eight-bit value", field: "X: caf\u{E9}"), HeadCase("delimiter in a name", field: "X(A): 1", 400),
        HeadCase("eight-bit name", field: "X\u{80}: 1", 400), HeadCase("NUL as a name", field: "\0: 1", 400),
        HeadCase("name with NBSP", field: "Content-Length\u{A0}: 5", 400),
        HeadCase("tabs around a value", field: "X:\t v \t"), HeadCase("empty value", field: "X:"),
        HeadCase("end by LF", "GET / HTTP/1.1\r\nHost: a\r\n\n", 400),
        HeadCase("CR CR LF", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n", 400),
        HeadCase("CR and another byte as the end", "GET / HTTP/1.1\r\nHost: a\r\n\rZ", 400),
        HeadCase("100 fields", field: (1...99).map { "X\($0): 1" }.joined(separator: "\r\n")),
        HeadCase("101 fields", field: (1...100).map { "X\($0): 1" }.joined(separator: "\r\n"), 431),
        HeadCase("32 KiB value", field: "X: " + String(repeating: "a", count: 32_768)),
        HeadCase("40 KB value", field: "X: " + String(repeating: "a", count: 40_000), 431),
        HeadCase("long name", field: String(repeating: "N", count: 257) + ": 1", 431),
        HeadCase(
            "large head",
            field: (1...60).map { "X\($0): " + String(repeating: "a", count: 1500) }.joined(separator: "\r\n"), 431),
        HeadCase("two Authorizations", field: "Authorization: a\r\nauthorization: b", 400),
        HeadCase("two apikeys", field: "apikey: a\r\napikey: b", 400),
        HeadCase("two Accepts", field: "Accept: a\r\nAccept: b"),
    ]

    static let framing: [HeadCase] = [
        HeadCase("length", field: "Content-Length: 5"), HeadCase("leading zero", field: "Content-Length: 010"),
        HeadCase("length and chunked", field: "Content-Length: 5\r\nTransfer-Encoding: chunked", 400),
        HeadCase("chunked and length", field: "Transfer-Encoding: chunked\r\nContent-Length: 5", 400),
        HeadCase("equal lengths", field: "Content-Length: 5\r\nContent-Length: 5", 400),
        HeadCase("list of lengths", field: "Content-Length: 5, 5", 400),
        HeadCase("plus", field: "Content-Length: +5", 400), HeadCase("minus", field: "Content-Length: -5", 400),
        HeadCase("hexadecimal", field: "Content-Length: 0x5", 400), HeadCase("two", field: "Content-Length: 5 5", 400),
        HeadCase("prefix", field: "Content-Length: 5a", 400), HeadCase("no digits", field: "Content-Length: ", 400),
        HeadCase("fraction", field: "Content-Length: 5.0", 400), HeadCase("NUL", field: "Content-Length: 5\0", 400),
        HeadCase("2^63", field: "Content-Length: 9223372036854775808", 400),
        HeadCase("2^64 + 5", field: "Content-Length: 18446744073709551621", 400),
        HeadCase("chunked", field: "Transfer-Encoding: ChUnKeD"), HeadCase("tab", field: "Transfer-Encoding:\tchunked"),
        HeadCase("unknown coding", field: "Transfer-Encoding: xchunked", 501),
        HeadCase("two codings", field: "Transfer-Encoding: gzip, chunked", 400),
        HeadCase("chunked twice", field: "Transfer-Encoding: chunked, chunked", 400),
        HeadCase("quoted", field: "Transfer-Encoding: \"chunked\"", 400),
        HeadCase("parameter", field: "Transfer-Encoding: chunked;q=1", 400),
        HeadCase("empty member", field: "Transfer-Encoding: ,chunked", 400),
        HeadCase("VT", field: "Transfer-Encoding: \u{B}chunked", 400),
        HeadCase("empty", field: "Transfer-Encoding: ", 400),
        HeadCase("two lines", field: "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", 400),
        HeadCase("coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        HeadCase("underscore", field: "Transfer_Encoding: chunked\r\nContent-Length: 5"),
        HeadCase("unknown expectation", field: "Expect: the-impossible", 417),
    ]

    static let all = lines + hosts + fields + framing
}

@Suite("Request heads")
struct HeadParserTests {
    @Test("is judged as RFC 9112 and the policy say", arguments: HeadCase.all)
    func verdict(head: HeadCase) {
        expect(HeadParser.parse(head.bytes), head)
    }

    @Test("is judged alike wherever the bytes are split", arguments: HeadCase.all.filter { $0.bytes.count < 400 })
    func everySplit(head: HeadCase) {
        for cut in 0...head.bytes.count {
            var parser = HeadParser()
            let first = parser.parse(head.bytes.span.extracting(0..<cut))
            if first == .needsMore {
                expect(parser.parse(head.bytes.span), head, "cut at \(cut)")
            } else {
                expect(first, head, "cut at \(cut)")
            }
        }
    }

    @Test("is judged alike byte by byte", arguments: HeadCase.all.filter { $0.bytes.count < 5000 })
    func byteByByte(head: HeadCase) {
        var parser = HeadParser()
        var outcome = HeadParser.Outcome.needsMore
        for end in 1...head.bytes.count {
            outcome = parser.parse(head.bytes.span.extracting(0..<end))
            if outcome != .needsMore { break }
        }
        expect(outcome, head)
    }

    private func expect(_ outcome: HeadParser.Outcome, _ head: HeadCase, _ note: String = "") {
        switch outcome {
        case .complete: #expect(head.status == nil, "\(note)")
        case .failed(let failure): #expect(head.status == Int(failure.status.code), "\(failure.reason) \(note)")
        case .needsMore: Issue.record("no verdict \(note)")
        }
    }

    @Test("random changes of a good head never crash the parser, and split reading agrees", arguments: 1...60)
    func random(seed: UInt64) {
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let good = HeadCase.all.filter { $0.bytes.count < 300 }
        for _ in 0..<100 {
            var bytes = good[next(good.count)].bytes
            for _ in 0...next(4) where !bytes.isEmpty { bytes[next(bytes.count)] = UInt8(next(256)) }
            let whole = HeadParser.parse(bytes)
            var parser = HeadParser()
            var outcome = parser.parse(bytes.span.extracting(0..<next(bytes.count + 1)))
            if outcome == .needsMore { outcome = parser.parse(bytes.span) }
            #expect(outcome == whole, "seed \(seed)")
        }
    }
}

@Suite("What a head says")
struct RequestHeadTests {
    private func withView(_ text: String, _ body: (borrowing RequestView) -> Void) throws {
        let bytes = [UInt8](text.utf8)
        var parser = HeadParser()
        let outcome = parser.parse(bytes.span)
        try #require(outcome == .complete)
        let peer = try #require(SocketAddress(host: "127.0.0.1", port: 1))
        let end = parser.byteCount
        let view = RequestView(
            head: parser.head, message: bytes.span, fields: parser.fields, bodyRange: end..<bytes.count, peer: peer)
        body(view)
    }

    @Test("names, values, target and body are found in place")
    func places() throws {
        try withView(
            "PATCH /a/b%20c?x=1&y HTTP/1.1\r\nHost: gw.test:80\r\naPiKeY:  k \r\nX-Own: 7\r\nX_Own: 8\r\n"
                + "Content-Length: 3\r\n\r\nabc"
        ) { view in
            let (method, head, count) = (view.method, view.head, view.fieldCount)
            #expect(method == .patch && count == 4 && head.contentLength == 3 && head.hasPercent)
            let path = view.path.text
            let query = view.query.text
            let target = view.target.text
            let host = view.host.text
            let body = view.body.text
            #expect(path == "/a/b%20c" && query == "x=1&y" && target == "/a/b%20c?x=1&y")
            #expect(host == "gw.test:80" && body == "abc")
            let values = [view.text(.apikey), view.text(named: "x-own"), view.text(named: "x_own"), view.text(.origin)]
            #expect(values == ["k", "7", nil, nil])
            let copy = view.copy()
            #expect(copy.path == "/a/b%20c" && copy.query == "x=1&y" && copy.body == Array("abc".utf8))
            #expect(copy.header(.apikey) == "k" && copy.header(named: "x-own") == "7")
        }
    }

    @Test(
        "a host that was found good once lets no other pass",
        arguments: ["good.example", "a.b.example:8080", "one.two.three.example:65"])
    func hostsAfterOne(host: String) {
        for place in host.utf8.indices {
            var parser = HeadParser()
            let good = [UInt8]("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8)
            #expect(parser.parse(good.span) == .complete)
            parser.reset()
            #expect(parser.parse(good.span) == .complete)
            parser.reset()
            var bytes = good
            bytes[22 + host.utf8.distance(from: host.utf8.startIndex, to: place)] = UInt8(ascii: "@")
            let outcome = parser.parse(bytes.span)
            guard case .failed = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
    }

    @Test("the absolute form yields path and query")
    func absolute() throws {
        try withView("GET http://gw.test/p?q HTTP/1.1\r\nHost: gw.test\r\n\r\n") { view in
            let (path, query) = (view.path.text, view.query.text)
            #expect(path == "/p" && query == "q")
        }
        try withView("GET http://gw.test HTTP/1.1\r\nHost: gw.test\r\n\r\n") { view in
            let (count, path) = (view.path.count, view.normalizedPath())
            #expect(count == 0 && path == [0x2F])
        }
    }

    @Test(
        "connections persist as version and options say",
        arguments: [
            ("1.1", "", true), ("1.0", "", false), ("1.0", "Connection: keep-alive\r\n", true),
            ("1.1", "Connection: close\r\n", false), ("1.1", "Connection: x, CLOSE ,y\r\n", false),
            ("1.0", "Connection: close\r\nConnection: keep-alive\r\n", false), ("1.1", "Connection: closed\r\n", true),
        ])
    func persistence(version: String, field: String, isKept: Bool) throws {
        try withView("GET / HTTP/\(version)\r\nHost: a\r\n\(field)\r\n") { view in
            let head = view.head
            #expect(head.isKeepAlive == isKept)
        }
    }

    @Test(
        "dot segments are taken out of paths",
        arguments: [
            ("/a/../b", "/b"), ("/a/./b", "/a/b"), ("/../../b", "/b"), ("/a/b/..", "/a/"), ("/a/.", "/a/"),
            ("/a//b", "/a//b"), ("/", "/"), ("/..", "/"), ("/a/..b/.c", "/a/..b/.c"),
            ("/auth/v1/verify/../admin", "/auth/v1/admin"),
        ])
    func normalized(path: String, wanted: String) throws {
        try withView("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") { view in
            let (found, head) = (view.normalizedPath(), view.head)
            #expect(String(decoding: found, as: UTF8.self) == wanted)
            #expect(head.hasDotSegments || path == wanted)
        }
    }

    @Test("every known field is found by its name in any case", arguments: KnownHeader.allCases)
    func known(field: KnownHeader) {
        guard field != .other else { return }
        let name = field.name.description
        let spellings = [name, name.uppercased(), name + "x", name.dropLast() + "!"]
        let found = spellings.map { KnownHeader.find([UInt8]($0.utf8).span) }
        #expect(found == [field, field, .other, .other])
    }

    @Test("every method is found by its name", arguments: HTTPMethod.allCases)
    func methods(method: HTTPMethod) {
        let name = method.name.description
        let found = [name, name.lowercased()].map { HTTPMethod([UInt8]($0.utf8).span) }
        #expect(found == [method, .other])
    }

    @Test(
        "dates are written as RFC 9110 wants them",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
        ])
    func dates(seconds: Int, text: String) {
        #expect(String(decoding: DateField(seconds: seconds).line, as: UTF8.self) == "Date: \(text)\r\n")
    }
}
