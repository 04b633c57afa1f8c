import JSON
import Testing

@testable import Conformance

@Suite("Patterns match whole texts as the cases mean them")
struct PatternTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let pattern: String
        let text: String
        let matches: Bool
        var testDescription: String { "\(pattern) ~ \(text.prefix(40)): \(matches)" }
    }

    static let examples: [Example] = [
        .init(pattern: "[0-9]{6}", text: "123456", matches: true),
        .init(pattern: "[0-9]{6}", text: "1234567", matches: false),
        .init(pattern: "20[04]", text: "204", matches: true),
        .init(pattern: "20[04]", text: "202", matches: false),
        .init(pattern: "[1-9]\\d*", text: "0", matches: false),
        .init(pattern: #"2024-05-01T10:00:00\.50*Z"#, text: "2024-05-01T10:00:00.500000Z", matches: true),
        .init(pattern: "(?s).*PATCH.*", text: "GET,\nPATCH", matches: true),
        .init(pattern: ".*PATCH.*", text: "GET,\nPATCH", matches: false),
        .init(pattern: "(?is)(?=.*\\bapikey\\b)(?=.*\\bx-my-trace\\b).*", text: "ApiKey, x-my-trace", matches: true),
        .init(pattern: "(?is)(?=.*\\bapikey\\b)(?=.*\\bx-my-trace\\b).*", text: "apikeys, x-my-trace", matches: false),
        .init(pattern: "(?is)(?=.*link).*|\\*", text: "*", matches: true),
        .init(pattern: "(?!.*'a').*'b': 2.*", text: "{'b': 2}", matches: true),
        .init(pattern: "(?!.*'a').*'b': 2.*", text: "{'a': 1, 'b': 2}", matches: false),
        .init(pattern: "x{16376}", text: String(repeating: "x", count: 16_376), matches: true),
        .init(pattern: "x{16376}", text: String(repeating: "x", count: 16_375), matches: false),
        .init(pattern: "(a|ab)(c|bcd)(d*)", text: "abcd", matches: true),
        .init(pattern: "(a*)*b", text: String(repeating: "a", count: 200), matches: false),
        .init(pattern: "(?:ab)+?c", text: "ababc", matches: true),
        .init(pattern: "[^a-c]+", text: "xyz", matches: true),
        .init(pattern: "[^a-c]+", text: "xaz", matches: false),
        .init(pattern: "[]x]+", text: "]x", matches: true),
        .init(pattern: "[a-]+", text: "a-", matches: true),
        .init(pattern: "a{,2}", text: "aaa", matches: false),
        .init(pattern: "a{2,}", text: "aaaa", matches: true),
        .init(pattern: "a{x}", text: "a{x}", matches: true),
        .init(pattern: "", text: "", matches: true),
    ]

    @Test("a pattern and a text", arguments: examples)
    func example(_ example: Example) throws {
        #expect(try Pattern(example.pattern).matches(example.text) == example.matches)
    }

    @Test(
        "what is not understood is refused, and what would take forever ends",
        arguments: [
            "(", ")", "[", "*a", "a**", "\\", "\\1", "(?<n>a)", "(?x)a", "a{3,1}", "[z-a]", "((a{1000}){1000}){1000}",
            "(){99999}", String(repeating: "(", count: 5000),
        ])
    func refused(_ pattern: String) {
        #expect(throws: Pattern.Failure.self) { try Pattern(pattern).matches("aaaa") }
    }
}

@Suite("URLs and texts are taken apart tolerantly")
struct URLTextTests {
    @Test(
        "a URL without its query",
        arguments: [
            ("https://app.example.com/x?a=1#b", "https://app.example.com/x"), ("exampleapp://", "exampleapp:"),
            ("exampleapp://host/x", "exampleapp://host/x"), ("http://", "http://"), ("/only/a/path?x", "/only/a/path"),
            ("HTTP://Host", "http://Host"), ("", ""), ("javascript:alert(1)", "javascript:alert(1)"),
        ])
    func withoutQuery(_ pair: (String, String)) {
        #expect(URLText(pair.0).withoutQuery == pair.1)
    }

    @Test("fields of a query: plus, broken escapes, no value, twice the same name")
    func fields() {
        let fields = URLText.fields("a=1+2&b=%zz&c&&d=%C3%A9&a=3")
        #expect(fields.map(\.name) == ["a", "b", "c", "d", "a"])
        #expect(fields.map(\.value) == ["1 2", "%zz", "", "é", "3"])
        #expect(URLText.field("a", in: "a=1&a=2") == "2")
    }

    @Test("host and port")
    func hosts() {
        #expect(URLText("http://127.0.0.1:8000/x").hostAndPort?.port == 8000)
        #expect(URLText("http://[::1]:80").hostAndPort?.host == "::1")
        #expect(URLText("http://user:pass@Example.com").hostAndPort?.host == "example.com")
        #expect(URLText("http://host:99999").hostAndPort == nil)
        #expect(URLText("nonsense").hostAndPort == nil)
    }

    @Test("paths into JSON find members, items, and items by a member")
    func paths() throws {
        let value = try JSONValue.parse(#"{"a":[{"p":"x","v":1},{"p":"y","v":2}],"b":null}"#)
        #expect(JSONPath("a[1].v").find(in: value) == 2)
        #expect(JSONPath("a[p=x].v").find(in: value) == 1)
        #expect(JSONPath("a[-1].v").find(in: value) == 2)
        #expect(JSONPath("b").find(in: value) == .some(.null))
        for path in ["a[2]", "a[p=z]", "c.d", "b.x", "a.v", "a[-3]", "a[99999999999999999999]"] {
            #expect(JSONPath(path).find(in: value) == nil, "\(path)")
        }
    }

    @Test("values inside texts are spelled as the patterns expect")
    func spelling() throws {
        let value = try JSONValue.parse(#"{"a":1,"b":[true,null,"it's"],"c":{"d":"x"}}"#)
        #expect(ValueText.plain(value) == #"{'a': 1, 'b': [True, None, "it's"], 'c': {'d': 'x'}}"#)
        #expect(ValueText.spacedJSON(["a": "é\n", "b": [1, 2]]) == #"{"a": "\u00e9\n", "b": [1, 2]}"#)
    }
}

@Suite("Mails are read as a person would")
struct MailTests {
    @Test("a message in two parts, encoded three ways")
    func parts() {
        let lines = [
            "From: \"Example\" <auth@example.com>", "Subject: =?UTF-8?Q?Best=C3=A4tigen?= =?utf-8?b?w6k=?=",
            "Content-Type: multipart/alternative;", " boundary=\"b1\"", "", "--b1", "Content-Type: text/plain",
            "Content-Transfer-Encoding: base64", "", "SGVsbG8=", "--b1", "Content-Type: text/html; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable", "", "<a href=3D\"https://x.test/?a=3D1&amp;b=",
            "=3D2\">x</a>", "--b1--", "",
        ]
        let mail = MailReader.mail(Array(lines.joined(separator: "\r\n").utf8), recipients: ["a@example.com"])
        #expect(mail.from == "Example <auth@example.com>")
        #expect(mail.subject == "Bestätigené")
        #expect(mail.text == "Hello")
        #expect(mail.html == #"<a href="https://x.test/?a=1&amp;b=2">x</a>"#)
        #expect(MailText.links(mail.html) == ["https://x.test/?a=1&b=2"])
    }

    @Test("codes stand alone, and not in tags")
    func codes() {
        #expect(MailText.codes(#"<p id="111111">Your code 123456, not 12345 or 1-234567</p>x999999"#) == ["123456"])
        #expect(MailText.codes("<>123456<") == ["123456"])
    }

    @Test("random bytes are read to some end")
    func noise() {
        var state: UInt64 = 42
        for _ in 0..<300 {
            let bytes = (0..<200).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let alphabet = Array("=?-:;\"<>\r\n abcQB\u{E9}".utf8)
                return alphabet[Int(state >> 33) % alphabet.count]
            }
            let mail = MailReader.mail(bytes, recipients: [])
            _ = MailText.links(mail.text)
            _ = MailText.codes(mail.text)
        }
    }
}
