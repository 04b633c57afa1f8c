import JSON
import Testing

@Suite("Reading JSON")
struct JSONParserTests {
    @Test(
        "valid texts are read",
        arguments: [
            ("null", "null"), (" true ", "true"), ("false", "false"), ("0", "0"), ("-0", "-0"), ("-0.0", "-0.0"),
            ("12", "12"), ("1.5", "1.5"), ("1e5", "1e5"), ("1E+5", "1E+5"), ("1e-5", "1e-5"), ("-1.25E-3", "-1.25E-3"),
            ("123456789012345678901234567890", "123456789012345678901234567890"), ("1e999", "1e999"),
            ("0.1000", "0.1000"), (#""""#, #""""#), (#""a""#, #""a""#), (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\b\f\n\r\t""#),
            (#""\u0041\u00e9\u20AC""#, #""Aé€""#), (#""\ud83d\ude00""#, #""😀""#), (#""\u0000""#, #""\u0000""#),
            (#""\u001f\u007f""#, "\"\\u001f\u{7F}\""), ("\"\u{7F}\"", "\"\u{7F}\""), (#""é😀""#, #""é😀""#),
            ("\"\u{2028}\u{2029}\"", #""\u2028\u2029""#), ("\"\u{2027}\u{202A}\"", "\"\u{2027}\u{202A}\""),
            ("[]", "[]"),
            ("[ ]", "[]"), ("[1,2 , 3]", "[1,2,3]"), ("{}", "{}"), ("{ }", "{}"), (#"{"a":1}"#, #"{"a":1}"#),
            ("\t\r\n {\"a\" :\n[ {} ] }\n", #"{"a":[{}]}"#), (#"{"":""}"#, #"{"":""}"#),
            (#"{"b":1,"a":2}"#, #"{"b":1,"a":2}"#), (#"{"a":1,"b":2,"a":3}"#, #"{"a":3,"b":2}"#),
            (#"{"\u0061":1,"a":2}"#, #"{"a":2}"#), (#"[[[[1]]]]"#, #"[[[[1]]]]"#),
        ])
    func accepted(text: String, compact: String) throws {
        let value = try JSONValue.parse(text)
        #expect(String(decoding: value.compact, as: UTF8.self) == compact)
        #expect(value.compactSize == compact.utf8.count)
        #expect(try JSONValue.parse(value.compact) == value)
    }

    @Test(
        "half a surrogate pair becomes U+FFFD, as in Go",
        arguments: [
            (#""\ud83d""#, "\u{FFFD}"), (#""\ude00""#, "\u{FFFD}"), (#""\ud83d\ud83d""#, "\u{FFFD}\u{FFFD}"),
            (#""\ud83dx""#, "\u{FFFD}x"), (#""\ud83d\n""#, "\u{FFFD}\n"), (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
            (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
            (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
        ])
    func surrogates(text: String, expected: String) throws {
        #expect(try JSONValue.parse(text).string == expected)
    }

    @Test("invalid texts are refused in Go's words", arguments: JSONFault.all)
    func refused(_ fault: JSONFault) {
        let error = #expect(throws: JSONError.self) { try JSONValue.parse(fault.bytes) }
        #expect(error?.description == fault.message)
        #expect(error?.offset == fault.offset)
        if fault.bytes.first != UInt8(ascii: "\"") || !fault.message.contains("UTF-8") {
            // The scanner judges every text as the parser does.
            let scanned = #expect(throws: JSONError.self) { try JSONScanner(["a"]).scan(fault.bytes) }
            if !fault.message.contains("UTF-8") { #expect(scanned == error) }
        }
    }

    @Test(
        "bytes that are no UTF-8 are refused wherever they stand",
        arguments: [
            [0xFF], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8(_ bytes: [UInt8]) {
        let quote: [UInt8] = [0x22]
        for text in [
            quote + bytes + quote, quote + [0x5C, 0x6E] + bytes + quote,
            Array("{\"k\":\"aaaaaaaaaaaaaaaa".utf8) + bytes + Array("\"}".utf8),
            Array("{\"k".utf8) + bytes + Array("\":1}".utf8),
        ] {
            let error = #expect(throws: JSONError.self) { try JSONValue.parse(text) }
            #expect(error?.reason == .invalidUTF8)
            #expect(throws: JSONError.self) { try JSONScanner(["k"]).scan(text) }
        }
    }

    @Test("depth and length are limited")
    func limits() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            #expect(throws: Never.self) { try JSONValue.parse(nested(128, open, close)) }
            let error = #expect(throws: JSONError.self) { try JSONValue.parse(nested(129, open, close)) }
            #expect(error?.reason == .tooDeep)
            #expect(throws: JSONError.self) { try JSONValue.parse(nested(100_000, open, "")) }
            #expect(throws: Never.self) {
                try JSONValue.parse(nested(512, open, close), limits: JSONLimits(depth: 10_000)).compact
            }
            #expect(throws: JSONError.self) {
                try JSONValue.parse(nested(513, open, close), limits: JSONLimits(depth: 10_000))
            }
        }
        #expect(throws: Never.self) { try JSONValue.parse("[1]", limits: JSONLimits(bytes: 3)) }
        let error = #expect(throws: JSONError.self) { try JSONValue.parse("[1] ", limits: JSONLimits(bytes: 3)) }
        #expect(error?.reason == .tooLong)
    }

    @Test("a large object finds its keys, and many equal keys cost no more than others")
    func largeObject() throws {
        let members = (0..<5000).map { "\"k\($0 % 2500)\":\($0)" }
        let object = try #require(try JSONValue.parse("{" + members.joined(separator: ",") + "}").object)
        #expect(object.count == 2500)
        #expect(object["k0"]?.int64 == 2500)
        #expect(object["k2499"]?.int64 == 4999)
        #expect(object["k2500"] == nil)
    }

    @Test("every prefix of a text is refused and no change of a byte crashes")
    func prefixes() throws {
        let text = Array(#"{"a":[1,-2.5e+3,"x\u00e9\n",true,false,null,{"b":{}}],"c":"é€😀"}"#.utf8)
        let scanner = JSONScanner(["a", "c"])
        for end in text.indices {
            #expect(throws: JSONError.self) { try JSONValue.parse(Array(text[..<end])) }
            #expect(throws: JSONError.self) { try scanner.scan(Array(text[..<end])) }
        }
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[index] = byte
                Self.expectAgreement(scanner, changed)
            }
        }
    }

    @Test("parser and scanner agree about random texts", arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) {
        var generator = SplitMix(state: seed)
        let alphabet = Array("{}[]\":,0123456789.eE+-truefalsn\\u \n\u{E9}".utf8)
        let scanner = JSONScanner(["a", "c"])
        for _ in 0..<5000 {
            let length = Int(generator.next() % 24)
            let bytes = (0..<length).map { _ in alphabet[Int(generator.next() % UInt64(alphabet.count))] }
            Self.expectAgreement(scanner, bytes)
            Self.expectAgreement(scanner, Array("{\"a\":".utf8) + bytes + Array("}".utf8))
        }
    }

    private static func expectAgreement(_ scanner: JSONScanner, _ bytes: [UInt8]) {
        let value = try? JSONValue.parse(bytes)
        let found = try? scanner.scan(bytes)
        #expect((found != nil) == (value?.object != nil), "\(bytes)")
        guard let object = value?.object, let found else { return }
        for (place, key) in ["a", "c"].enumerated() {
            let part = found[place].map { Array(bytes[$0]) }
            #expect((try? part.map { try JSONValue.parse($0) }) == object[key], "\(bytes)")
        }
    }
}

/// Known numbers instead of random ones.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
