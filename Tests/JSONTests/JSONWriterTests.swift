import Bytes
import JSON
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test("commas, keys and values stand where they must")
    func structure() throws {
        var writer = JSONWriter()
        writer.object { object in
            object.field("s", "x\"y")
            object.field("i", -5)
            object.field("m", UInt64.max)
            object.field("b", true)
            object.key("n")
            object.null()
            object.field("absent", ifPresent: nil as String?)
            object.field("u", UUID.zero)
            object.field("t", Timestamp.epoch)
            object.field("j", JSONText.emptyObject)
            object.field("v", ["a": [1, "x"]] as JSONValue)
            object.key("list")
            object.array { list in
                list.int(1)
                list.string(nil)
                list.array { _ in }
                list.object { _ in }
                list.double(1.5)
                list.double(.nan)
                list.raw(validJSON: Array("[true]".utf8))
            }
            object.key(dynamic: "é\n")
            object.bool(false)
        }
        let text =
            #"{"s":"x\"y","i":-5,"m":18446744073709551615,"b":true,"n":null,"#
            + #""u":"00000000-0000-0000-0000-000000000000","t":"1970-01-01T00:00:00Z","j":{},"v":{"a":[1,"x"]},"#
            + #""list":[1,null,[],{},1.5,null,[true]],"é\n":false}"#
        #expect(writer.text == text)
        #expect(try JSONValue.parse(writer.bytes)["m"]?.number?.literal == "18446744073709551615")
    }

    @Test("a writer can begin behind what is already there")
    func appending() {
        var writer = JSONWriter(appendingTo: Array("data: ".utf8))
        writer.array { $0.int(1) }
        #expect(writer.text == "data: [1]")
    }

    @Test("numbers of every width are written whole")
    func integers() {
        var writer = JSONWriter()
        writer.array { list in
            for value in [0, 9, 10, 99, 100, -1, -9, -10, Int64.min, .max] { list.int(value) }
            list.int(Int8.min)
            list.int(UInt8.max)
        }
        #expect(
            writer.text == "[0,9,10,99,100,-1,-9,-10,-9223372036854775808,9223372036854775807,-128,255]")
    }

    @Test("every scalar comes back, at every place of an eight byte word")
    func scalars() throws {
        let marks: [Unicode.Scalar] =
            (0..<0x180).compactMap { Unicode.Scalar($0 as UInt32) } + [
                "\u{2027}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{E2}", "\u{2228}", "\u{FFFD}", "\u{FFFF}",
                "\u{10000}", "😀",
            ]
        for mark in marks {
            for padding in 0..<10 {
                let text = String(repeating: "a", count: padding) + String(mark) + "bc"
                var writer = JSONWriter()
                writer.string(text)
                #expect(try JSONValue.parse(writer.bytes).string == text)
                #expect(writer.bytes.allSatisfy { $0 >= 0x20 })
                #expect(!writer.text.unicodeScalars.contains { $0 == "\u{2028}" || $0 == "\u{2029}" })
            }
        }
    }

    @Test("sorted keys follow the bytes of the names at every depth")
    func sorted() throws {
        let value = try JSONValue.parse(#"{"b":{"z":1,"a":2},"é":0,"a":[{"d":1,"c":2}],"B":3,"aa":4}"#)
        #expect(
            String(decoding: value.sortedCompact, as: UTF8.self)
                == #"{"B":3,"a":[{"c":2,"d":1}],"aa":4,"b":{"a":2,"z":1},"é":0}"#)
    }

    @Test(
        "doubles are written so that they read back",
        arguments: [0, 1, -1, 0.1, 1e21, 1e-9, 1.7976931348623157e308, -0.0, 123456789.125])
    func doubles(_ value: Double) throws {
        var writer = JSONWriter()
        writer.double(value)
        #expect(try JSONValue.parse(writer.bytes).double == value)
    }
}
