import Bytes
import JSON
import Testing

@Suite("Scanning JSON")
struct JSONScannerTests {
    private let scanner = JSONScanner(["exp", "sub", "role", "aud"])

    private func found(_ text: String) throws -> [String?] {
        let bytes = Array(text.utf8)
        let found = try scanner.scan(bytes)
        return (0..<4).map { place in found[place].map { String(decoding: bytes[$0], as: UTF8.self) } }
    }

    @Test(
        "the wanted members of the outer object are found, wherever their names stand besides",
        arguments: [
            ("{}", [nil, nil, nil, nil]), (#"{"exp":1,"sub":"x"}"#, ["1", #""x""#, nil, nil]),
            (#"{"exp" : 1.5 , "aud" : [ "a" ] }"#, ["1.5", nil, nil, #"[ "a" ]"#]),
            (#"{"a":{"exp":2,"sub":"y"},"exp":1}"#, ["1", nil, nil, nil]),
            (#"{"a":[{"role":"admin"}],"b":"\"role\":\"admin\""}"#, [nil, nil, nil, nil]),
            (#"{"x":"}","role":"u"}"#, [nil, nil, #""u""#, nil]),
            (#"{"x\"":1,"role":{"a":{}}}"#, [nil, nil, #"{"a":{}}"#, nil]),
            (#"{"role":"a","role":"b"}"#, [nil, nil, #""b""#, nil]), (#"{"r\u006fle":"b"}"#, [nil, nil, #""b""#, nil]),
            (#"{"role":"a","\u0072ole":null}"#, [nil, nil, "null", nil]),
            (#"{"Role":"a","rol":"b","roles":"c"}"#, [nil, nil, nil, nil]),
            (#"{"\\role":1,"\"exp":2,"exp\"":3}"#, [nil, nil, nil, nil]),
        ] as [(String, [String?])])
    func finds(text: String, expected: [String?]) throws {
        #expect(try found(text) == expected)
    }

    @Test("what is no object is refused", arguments: ["[]", "1", "\"exp\"", "null", "true"])
    func notObjects(_ text: String) {
        let error = #expect(throws: JSONError.self) { try scanner.scan(Array(text.utf8)) }
        #expect(error?.reason == .notAnObject)
    }

    @Test("values are read where they stand")
    func values() throws {
        let bytes = Array(
            #"{"exp":1700000000,"sub":"a\u00e9\"","role":"00112233-4455-6677-8899-aabbccddeeff","aud":-12.9}"#.utf8)
        let found = try scanner.scan(bytes)
        #expect(JSONScanner.int64(found[0], in: bytes.span) == 1_700_000_000)
        #expect(JSONScanner.string(found[1], in: bytes) == "aé\"")
        #expect(JSONScanner.uuid(found[2], in: bytes.span) == UUID("00112233-4455-6677-8899-aabbccddeeff"))
        #expect(JSONScanner.int64(found[3], in: bytes.span) == -12)
        #expect(JSONScanner.string(found[0], in: bytes) == nil)
        #expect(JSONScanner.int64(found[1], in: bytes.span) == nil)
        #expect(JSONScanner.uuid(found[1], in: bytes.span) == nil)
        #expect(JSONScanner.string(nil, in: bytes) == nil)
        #expect(found[-1] == nil)
        #expect(found[99] == nil)
    }

    @Test(
        "whole numbers of any size",
        arguments: [
            ("0", 0), ("-0", 0), ("999999999999999999", 999_999_999_999_999_999), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9223372036854775808", nil), ("1e3", 1000), ("1e400", nil),
            ("0.9", 0),
            ("-1.5e2", -150),
        ] as [(String, Int64?)])
    func integers(text: String, expected: Int64?) throws {
        let bytes = Array("{\"exp\":\(text)}".utf8)
        #expect(JSONScanner.int64(try scanner.scan(bytes)[0], in: bytes.span) == expected)
    }

    @Test("depth and length are limited")
    func limits() {
        let deep = #"{"a":"# + String(repeating: "[", count: 128) + String(repeating: "]", count: 128) + "}"
        let error = #expect(throws: JSONError.self) { try scanner.scan(Array(deep.utf8)) }
        #expect(error?.reason == .tooDeep)
        #expect(throws: JSONError.self) { try scanner.scan(Array("{}".utf8), limits: JSONLimits(bytes: 1)) }
    }
}
