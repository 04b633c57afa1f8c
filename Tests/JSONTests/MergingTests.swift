import JSON
import Testing

@Suite("Merging a change into a stored object")
struct MergingTests {
    /// Both ways must agree: what is spliced, and what the tree says.
    @Test(
        "agrees with the tree to the byte",
        arguments: [
            ("{}", #"{"a":1}"#), (#"{"a":1}"#, "{}"), (#"{"a":1,"b":[1,{"a":2}],"c":"x"}"#, #"{"b":null}"#),
            (#"{"a":1,"b":2,"c":3}"#, #"{"c":{"d":[]},"a":null,"e":"é\"\n"}"#),
            (#"{"a":1}"#, #"{"x":null}"#), (#"{"a":1}"#, #"{"a":null}"#),
            (#"{"a\"b":1,"c":2}"#, #"{"a\"b":3,"c":null}"#), (#"{"ä":1,"n":1e400}"#, #"{"ä":2}"#),
            (#"{"é":1}"#, #"{"e\u0301":2}"#), ("null", #"{"a":1}"#), ("[1]", #"{"a":1}"#),
        ])
    func agrees(stored: String, patch: String) throws {
        let stored = try JSONText(stored)
        let patch = try #require(try JSONText(patch).value.object)
        #expect(stored.merging(patch).bytes == JSONText(stored.object.merging(patch)).bytes)
    }

    @Test("keeps one of a key that stands there twice, and takes rows with blanks")
    func odd() throws {
        let patch = try #require(try JSONText(#"{"a":9}"#).value.object)
        #expect(JSONText(trusted: Array(#"{"a":1,"b":2,"a":3}"#.utf8)).merging(patch).description == #"{"a":9,"b":2}"#)
        #expect(JSONText(trusted: Array(#" { "b" : 2 } "#.utf8)).merging(patch).description.contains(#""a":9"#))
        #expect(JSONText(trusted: Array(#"{"b":"#.utf8)).merging(patch).description == #"{"a":9}"#)
    }

    /// "é" can be one character or an "e" with an accent: two keys, as they are for the reference.
    @Test(
        "removes no key that is only a Unicode equivalent",
        arguments: [#"{"\u00e9":1,"e\u0301":2}"#, #"{"a\"":0,"\u00e9":1,"e\u0301":2}"#])
    func equivalents(stored: String) throws {
        let patch = try #require(try JSONText(#"{"\u00e9":null}"#).value.object)
        let merged = try JSONText(stored).merging(patch).object
        #expect(merged["\u{e9}"] == nil)
        #expect(merged["e\u{301}"] == .number(JSONNumber(2)))
        var object = try JSONText(stored).object
        object.merge(patch)
        #expect(object == merged)
    }

    @Test("takes a change of many members")
    func many() throws {
        var patch = JSONObject()
        for number in 0..<40 { patch["k\(number)"] = .number(JSONNumber(number)) }
        let stored = try JSONText(#"{"k3":"old","z":true}"#)
        #expect(stored.merging(patch) == JSONText(stored.object.merging(patch)))
    }
}
