import Testing

/// A text that is no JSON, where that shows, and Go's words for it.
struct JSONFault: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let offset: Int
    let message: String

    var testDescription: String { String(decoding: bytes, as: UTF8.self) }

    init(_ text: String, _ offset: Int, _ message: String) {
        bytes = Array(text.utf8)
        self.offset = offset
        self.message = message
    }

    private static func end(_ text: String) -> JSONFault {
        JSONFault(text, text.utf8.count, "unexpected end of JSON input")
    }

    private static func bad(_ text: String, _ offset: Int, _ quoted: String, _ place: String) -> JSONFault {
        JSONFault(text, offset, "invalid character \(quoted) \(place)")
    }

    static let all: [JSONFault] =
        [
            "", " ", "[", "{", "\"", "\"a", "\"\\", "\"\\u00", "-", "1.", "1e", "1e+", "tru", "nul", "fals", "[1",
            "[1,",
            "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "[\"", "{\"",
        ].map(end) + [
            bad("x", 0, "'x'", "looking for beginning of value"), bad("+1", 0, "'+'", "looking for beginning of value"),
            bad(".5", 0, "'.'", "looking for beginning of value"),
            bad("'a'", 0, "'\\''", "looking for beginning of value"),
            bad("]", 0, "']'", "looking for beginning of value"), bad("}", 0, "'}'", "looking for beginning of value"),
            bad("NaN", 0, "'N'", "looking for beginning of value"), bad("-Infinity", 1, "'I'", "in numeric literal"),
            bad("[1,]", 3, "']'", "looking for beginning of value"),
            bad("[,1]", 1, "','", "looking for beginning of value"),
            bad("[1 2]", 3, "'2'", "after array element"), bad("[1}", 2, "'}'", "after array element"),
            bad("[1;2]", 2, "';'", "after array element"),
            bad("{1:2}", 1, "'1'", "looking for beginning of object key string"),
            bad("{a:1}", 1, "'a'", "looking for beginning of object key string"),
            bad("{\"a\":1,}", 7, "'}'", "looking for beginning of object key string"),
            bad("{,}", 1, "','", "looking for beginning of object key string"),
            bad("{]", 1, "']'", "looking for beginning of object key string"),
            bad("{\"a\" 1}", 5, "'1'", "after object key"), bad("{\"a\",1}", 4, "','", "after object key"),
            bad("{\"a\":}", 5, "'}'", "looking for beginning of value"),
            bad("{\"a\":1 \"b\":2}", 7, "'\"'", "after object key:value pair"),
            bad("{\"a\":1]", 6, "']'", "after object key:value pair"), bad("01", 1, "'1'", "after top-level value"),
            bad("-01", 2, "'1'", "after top-level value"), bad("1 2", 2, "'2'", "after top-level value"),
            bad("{} t", 3, "'t'", "after top-level value"),
            bad("1.x", 2, "'x'", "after decimal point in numeric literal"),
            bad("1.e5", 2, "'e'", "after decimal point in numeric literal"),
            bad("1ex", 2, "'x'", "in exponent of numeric literal"),
            bad("1e+-2", 3, "'-'", "in exponent of numeric literal"), bad("0x10", 1, "'x'", "after top-level value"),
            bad("--1", 1, "'-'", "in numeric literal"), bad("\"\n\"", 1, "'\\n'", "in string literal"),
            bad("\"a\tb\"", 2, "'\\t'", "in string literal"), bad("\"\u{0}\"", 1, "'\\x00'", "in string literal"),
            bad("\"12345678\u{1F}\"", 9, "'\\x1f'", "in string literal"),
            bad("\"\\x\"", 2, "'x'", "in string escape code"),
            bad("\"\\'\"", 2, "'\\''", "in string escape code"),
            bad("\"\\u12g4\"", 5, "'g'", "in \\u hexadecimal character escape"),
            bad("\"\\u\"", 3, "'\"'", "in \\u hexadecimal character escape"),
            bad("\"\\U0041\"", 2, "'U'", "in string escape code"),
            bad("trux", 3, "'x'", "in literal true (expecting 'e')"),
            bad("nulL", 3, "'L'", "in literal null (expecting 'l')"),
            bad("True", 0, "'T'", "looking for beginning of value"),
            bad("falsé", 4, "'Ã'", "in literal false (expecting 'e')"),
            bad("\u{FEFF}1", 0, "'ï'", "looking for beginning of value"),
            bad("/**/1", 0, "'/'", "looking for beginning of value"),
            bad("1//x", 1, "'/'", "after top-level value"), bad("\u{A0}1", 0, "'Â'", "looking for beginning of value"),
            bad("\u{0C}1", 0, "'\\f'", "looking for beginning of value"),
        ]
}
