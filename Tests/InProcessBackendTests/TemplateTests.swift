import JSON
import Testing

@testable import InProcessBackend

/// A template and what it becomes over ``TemplateTests/values``; nil when it cannot be read.
struct TemplateCase: Sendable, CustomTestStringConvertible {
    let source: String
    let rendered: String?
    var testDescription: String { source }

    init(_ source: String, _ rendered: String?) {
        self.source = source
        self.rendered = rendered
    }
}

@Suite("Mail templates")
struct TemplateTests {
    static let values: JSONObject = [
        "Email": "a@b.co", "SendingTo": "a@b.co", "Token": "012345", "SiteURL": "https://app.example.com",
        "ConfirmationURL": "https://x.example/verify?token=ab&type=signup&redirect_to=https%3A%2F%2Fy",
        "Data": [
            "nickname": "Al <b>", "age": 41, "tags": ["x", "y"], "none": [], "admin": true, "zero": 0, "css": "red;x:1",
            "link": "javascript:alert(1)", "o": ["b": 2, "a": 1],
        ],
    ]

    private static func render(_ source: String, _ form: TemplateRenderer.Form = .html) -> String? {
        do throws(TemplateError) {
            return try TemplateRenderer.render(try TemplateParser.parse(source), values, as: form)
        } catch {
            return nil
        }
    }

    static let languageCases: [TemplateCase] = [
        TemplateCase("plain", "plain"),
        TemplateCase("{{ .Token }}", "012345"),
        TemplateCase("{{.Token}}{{/* a comment with }} in it */}}", "012345"),
        TemplateCase("[{{ .Nonsense }}][{{ .Data.nothing.deep }}]", "[][]"),
        TemplateCase("a {{- .Token -}} b", "a012345b"),
        TemplateCase("{{ if eq .Email .SendingTo }}same{{ else }}other{{ end }}", "same"),
        TemplateCase("{{ if ne .Email .SendingTo }}a{{ else if .Data.zero }}b{{ else if .Data.admin }}c{{ end }}", "c"),
        TemplateCase("{{ if and .Data.admin (not .Data.zero) }}y{{ end }}", "y"),
        TemplateCase("{{ or .Data.nothing \"there\" }}", "there"),
        TemplateCase("{{ range .Data.tags }}<{{ . }}>{{ end }}", "<x><y>"),
        TemplateCase("{{ range $i, $t := .Data.tags }}{{ $i }}{{ $t }}{{ end }}", "0x1y"),
        TemplateCase("{{ range $k, $v := .Data.o }}{{ $k }}{{ $v }}{{ end }}", "a1b2"),
        TemplateCase("{{ range .Data.none }}x{{ else }}none{{ end }}", "none"),
        TemplateCase("{{ with .Data }}{{ .age }}{{ end }}{{ with .Nope }}x{{ else }}-{{ end }}", "41-"),
        TemplateCase("{{ $x := .Token }}{{ if true }}{{ $x = \"z\" }}{{ end }}{{ $x }}", "z"),
        TemplateCase("{{ len .Data.tags }}{{ index .Data.tags 1 }}{{ index .Data.tags 9 }}", "2y"),
        TemplateCase("{{ printf \"%s is %d%%\" .Token .Data.age }}", "012345 is 41%"),
        TemplateCase("{{ .Data.age | printf \"<%v>\" }}", "&lt;41&gt;"),
        TemplateCase("{{ if gt .Data.age 40 }}old{{ end }}{{ if lt .Data.age 40 }}young{{ end }}", "old"),
        TemplateCase("{{ (index .Data.tags 0) }}", "x"),
        TemplateCase("{{ $.Token }}", "012345"),
        TemplateCase("<p>{{ .Token </p>", nil),
        TemplateCase("{{ if .Token }}x", nil),
        TemplateCase("{{ end }}", nil),
        TemplateCase("{{ else }}", nil),
        TemplateCase("{{ }}", nil),
        TemplateCase("{{ launch .Token }}", nil),
        TemplateCase("{{ .Token | }}", nil),
        TemplateCase("{{ ((.Token) }}", nil),
        TemplateCase("{{ \"open }}", nil),
        TemplateCase("{{ template \"x\" }}", nil),
    ]

    @Test("the language", arguments: languageCases)
    func language(_ template: TemplateCase) {
        #expect(Self.render(template.source) == template.rendered)
    }

    static let contextCases: [TemplateCase] = [
        TemplateCase("<p>{{ .Data.nickname }}</p>", "<p>Al &lt;b&gt;</p>"),
        TemplateCase("<p title=\"{{ .Data.nickname }}\">x</p>", "<p title=\"Al &lt;b&gt;\">x</p>"),
        TemplateCase("<p title={{ .Data.nickname }}>x</p>", "<p title=Al&#32;&lt;b&gt;>x</p>"),
        TemplateCase(
            "<a href=\"{{ .ConfirmationURL }}\">x</a>",
            "<a href=\"https://x.example/verify?token=ab&amp;type=signup&amp;redirect_to=https%3A%2F%2Fy\">x</a>"),
        TemplateCase(
            "<a href=\"{{ .SiteURL }}/l?h={{ .Data.nickname }}&amp;k=1\">",
            "<a href=\"https://app.example.com/l?h=Al%20%3cb%3e&amp;k=1\">"),
        TemplateCase("<a href=\"{{ .Data.link }}\">", "<a href=\"#ZgotmplZ\">"),
        TemplateCase("<a href='/x/{{ .Data.link }}'>", "<a href='/x/javascript:alert%281%29'>"),
        TemplateCase("<script>var a = {{ .Data.nickname }};</script>{{ .Token }}", "<script>var a = ;</script>012345"),
        TemplateCase("<b onclick=\"f({{ .Token }})\">", "<b onclick=\"f()\">"),
        TemplateCase("<b style=\"color:{{ .Data.css }}\">", "<b style=\"color:ZgotmplZ\">"),
        TemplateCase("<!-- {{ .Token }} -->{{ .Token }}", "<!--  -->012345"),
        TemplateCase("<title>{{ .Data.nickname }}</title>", "<title>Al &lt;b&gt;</title>"),
        TemplateCase("1 < 2 {{ .Data.nickname }}", "1 < 2 Al &lt;b&gt;"),
    ]

    @Test("values are escaped for where they stand", arguments: contextCases)
    func contexts(_ template: TemplateCase) {
        #expect(Self.render(template.source) == template.rendered)
    }

    @Test("plain text is not escaped")
    func plain() {
        #expect(Self.render("Hi {{ .Data.nickname }}", .plain) == "Hi Al <b>")
    }

    @Test("a template that would cost much is given up")
    func limits() {
        let nested = String(repeating: "{{ if true }}", count: 100) + String(repeating: "{{ end }}", count: 100)
        #expect(Self.render(nested) == nil)
        let parentheses = "{{ " + String(repeating: "(", count: 200) + "1" + String(repeating: ")", count: 200) + " }}"
        #expect(Self.render(parentheses) == nil)
        let loops = String(repeating: "{{ range $.Many }}", count: 4) + "x" + String(repeating: "{{ end }}", count: 4)
        let many: JSONObject = ["Many": .array(Array(repeating: .int(1), count: 100))]
        #expect(throws: TemplateError.self) {
            try TemplateRenderer.render(try TemplateParser.parse(loops), many, as: .plain)
        }
        #expect(Self.render(String(repeating: "x", count: 2_000_001)) == nil)
    }

    @Test("any bytes are read or refused, never more", arguments: 0..<200)
    func noise(_ seed: Int) {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        let words = [
            "{{", "}}", "if", "end", "range", " ", ".", "$x", ":=", "\"", "`", "(", ")", "|", "<a href=", "'",
            "<!--", "-->", "<script>", ".Data.tags", "-", "/*", "*/", "eq", "1", "é", "\u{0}", ",", "else",
        ]
        var source = ""
        for _ in 0..<40 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            source += words[Int(state >> 33) % words.count]
        }
        _ = Self.render(source)
        _ = Self.render("{{ if true }}" + source + "{{ end }}")
    }

    @Test("every built-in mail can be rendered", arguments: MailKind.allCases)
    func builtIn(_ kind: MailKind) throws {
        let html = try TemplateRenderer.render(TemplateParser.parse(BuiltInMails.html(kind)), Self.values, as: .html)
        #expect(html.contains("</html>") && !html.contains("{{"))
        let text = try TemplateRenderer.render(TemplateParser.parse(BuiltInMails.text(kind)), Self.values, as: .plain)
        #expect(!text.isEmpty && !text.contains("{{"))
        let subject = try TemplateParser.parse(BuiltInMails.subject(kind))
        #expect(try !TemplateRenderer.render(subject, Self.values, as: .plain).isEmpty)
    }
}
