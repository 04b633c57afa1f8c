import Bytes
import Testing

@Suite("Percent-encoding and forms")
struct FormTests {
    @Test(
        "texts are escaped as Go escapes them",
        arguments: [
            ("", "", ""), ("a b", "a+b", "a%20b"), ("a+b", "a%2Bb", "a+b"), ("a/b", "a%2Fb", "a%2Fb"),
            ("-_.~", "-_.~", "-_.~"), ("é", "%C3%A9", "%C3%A9"), ("a&b=c", "a%26b%3Dc", "a&b=c"),
            ("100%", "100%25", "100%25"),
            ("?#", "%3F%23", "%3F%23"), ("a@b:c", "a%40b%3Ac", "a@b:c"), ("\0", "%00", "%00"),
        ])
    func escape(text: String, query: String, path: String) {
        #expect(PercentCoding.encode(text, as: .queryValue) == query)
        #expect(PercentCoding.encode(text, as: .pathSegment) == path)
        #expect(PercentCoding.decode(query, as: .queryValue) == text)
        #expect(PercentCoding.decode(path, as: .pathSegment) == text)
    }

    @Test("broken escapes are refused", arguments: ["%", "%1", "a%", "%zz", "%1g", "%%", "%e9", "a%C3"])
    func broken(_ text: String) {
        #expect(PercentCoding.decode(text, as: .queryValue) == nil)
    }

    @Test("a form's fields are read in order, the first of a name is its value")
    func form() throws {
        let form = try #require(FormFields(parsing: "a=1&b=x+y%21&&a=2&c&=d&e=f=g&%C3%A9=%C3%A9"))
        #expect(form["a"] == "1")
        #expect(form.all("a") == ["1", "2"])
        #expect(form["b"] == "x y!")
        #expect(form["c"] == "")
        #expect(form[""] == "d")
        #expect(form["e"] == "f=g")
        #expect(form["é"] == "é")
        #expect(form["nothing"] == nil)
        #expect(form.encoded == "a=1&b=x+y%21&a=2&c=&=d&e=f%3Dg&%C3%A9=%C3%A9")
        #expect(FormFields(parsing: form.encoded) == form)
        #expect(FormFields(parsing: "")?.fields.isEmpty == true)
    }

    @Test("bytes that are no UTF-8 are replaced")
    func replaced() {
        #expect(FormFields(parsing: "a=%ff")?["a"] == "\u{FFFD}")
    }

    @Test("a broken form is refused", arguments: ["a=%", "%g0=1", "a=1;b=2", "a=1&b=%f"])
    func refused(_ text: String) {
        #expect(FormFields(parsing: text) == nil)
    }

    @Test("a form of too many fields is refused")
    func limit() {
        let field = "a=1"
        let most = [String](repeating: field, count: FormFields.countMax).joined(separator: "&")
        #expect(FormFields(parsing: most)?.fields.count == FormFields.countMax)
        #expect(FormFields(parsing: most + "&" + field) == nil)
    }

    @Test("random bytes never crash the readers, and what is written is read", arguments: [1, 2] as [UInt64])
    func random(seed: UInt64) {
        let source = SeededRandom(seed)
        for _ in 0..<2000 {
            let bytes = source.fill(Int(source.next() % 40))
            let text = String(decoding: bytes, as: UTF8.self)
            _ = FormFields(parsing: text)
            for part in [PercentCoding.Part.queryValue, .pathSegment] {
                #expect(PercentCoding.decode(PercentCoding.encode(text, as: part), as: part) == text, "seed \(seed)")
            }
            var form = FormFields()
            form.append(text, text)
            #expect(FormFields(parsing: form.encoded) == form, "seed \(seed)")
        }
    }
}
