import JSON
import Testing

@Suite("JSON values, objects and texts")
struct JSONValueTests {
    @Test("numbers keep their text and say what they can be (FR-06)")
    func numbers() throws {
        let big = try JSONValue.parse("9007199254740993123456789")
        #expect(big.number?.literal == "9007199254740993123456789")
        #expect(big.int64 == nil)
        #expect(big.double == 9007199254740993123456789.0)
        #expect(try JSONValue.parse("9223372036854775807").int64 == .max)
        #expect(try JSONValue.parse("-9223372036854775808").int64 == .min)
        #expect(try JSONValue.parse("1.0").int64 == nil)
        #expect(try JSONValue.parse("1e999").double == nil)
        #expect(JSONNumber("1.50")?.literal == "1.50")
        for text in ["", " 1", "1 ", "01", "abc", "\"1\"", "1,2"] { #expect(JSONNumber(text) == nil) }
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(2.0)?.literal == "2")
    }

    @Test("accessors answer only for their own kind")
    func accessors() {
        let values: [JSONValue] = [.null, true, 1, "x", [1], ["a": 1]]
        #expect(values.map(\.typeName) == ["null", "bool", "number", "string", "array", "object"])
        #expect(values.map { $0.bool != nil } == [false, true, false, false, false, false])
        #expect(values.map { $0.number != nil } == [false, false, true, false, false, false])
        #expect(values.map { $0.string != nil } == [false, false, false, true, false, false])
        #expect(values.map { $0.array != nil } == [false, false, false, false, true, false])
        #expect(values.map { $0.object != nil } == [false, false, false, false, false, true])
        #expect(values.map(\.isNull) == [true, false, false, false, false, false])
        #expect(values[5]["a"] == 1)
        #expect(values[5]["b"] == nil)
        #expect(values[4]["a"] == nil)
    }

    @Test("an object keeps its order through changes, small or large", arguments: [3, 12, 13, 40])
    func order(count: Int) {
        var object = JSONObject()
        for index in 0..<count { object["k\(index)"] = .int(index) }
        #expect(object.count == count)
        object["k1"] = "changed"
        object["k0"] = nil
        object["new"] = true
        object.remove("nothing")
        #expect(object.keys == (1..<count).map { "k\($0)" } + ["new"])
        #expect(object["k1"] == "changed")
        #expect(object["k0"] == nil)
        #expect(object["k\(count - 1)"] == (count == 2 ? "changed" : .int(count - 1)))
        #expect(object["new"] == true)
    }

    @Test(
        "metadata is merged as Supabase merges it: whole keys, null removes",
        arguments: [
            (#"{}"#, #"{}"#, #"{}"#), (#"{"a":1}"#, #"{}"#, #"{"a":1}"#), (#"{"a":1}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#),
            (#"{"a":1,"b":2}"#, #"{"a":null}"#, #"{"b":2}"#), (#"{"a":1}"#, #"{"x":null}"#, #"{"a":1}"#),
            (#"{"a":{"x":1,"y":2}}"#, #"{"a":{"z":3}}"#, #"{"a":{"z":3}}"#),
            (#"{"a":1}"#, #"{"a":{"n":null}}"#, #"{"a":{"n":null}}"#),
        ])
    func merge(old: String, patch: String, merged: String) throws {
        let object = try #require(try JSONValue.parse(old).object)
        let change = try #require(try JSONValue.parse(patch).object)
        #expect(JSONText(object.merging(change)).description == merged)
    }

    @Test("a large object is merged with a large one")
    func largeMerge() {
        var object = JSONObject()
        var patch = JSONObject()
        for index in 0..<100 {
            object["k\(index)"] = .int(index)
            patch["k\(index * 2)"] = index % 2 == 0 ? .null as JSONValue : .int(-index)
        }
        for index in stride(from: 0, to: 100, by: 4) { patch["k\(index)"] = .null }
        object.merge(patch)
        #expect(object["k0"] == nil)
        #expect(object["k1"] == 1)
        #expect(object["k2"] == -1)
        #expect(object["k198"] == -99)
    }

    @Test("a text is kept compact and spliced as it is")
    func texts() throws {
        let text = try JSONText(" { \"a\" : [ 1.50 , \"\\u0041\" ] } ")
        #expect(text.description == #"{"a":[1.50,"A"]}"#)
        #expect(text.isObject)
        #expect(text.object["a"]?.array?.count == 2)
        #expect(text == JSONText(text.value))
        #expect(JSONText.emptyObject.description == "{}")
        #expect(JSONText.null.isNull)
        #expect(!JSONText.emptyArray.isObject)
        #expect(JSONText.emptyArray.object.isEmpty)
        #expect(JSONText(trusted: [0x7B]).value == .null)
        #expect(throws: JSONError.self) { try JSONText("{") }
    }
}
