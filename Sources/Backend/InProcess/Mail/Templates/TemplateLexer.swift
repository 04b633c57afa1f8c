import JSON

/// Cuts the inside of one action (`{{ … }}`) into words.
struct TemplateLexer {
    enum Token: Equatable {
        case field(String)
        case dot
        case variable(String)
        case word(String)
        case literal(JSONValue)
        case open, close, pipe, comma, declares, assigns
    }

    private let bytes: [UInt8]
    private var index = 0
    private var tokens: [Token] = []
    /// Whether white space stood before each token: `a .b` is two operands, `a.b` one.
    private var spaced: [Bool] = []

    static func tokens(of action: ArraySlice<UInt8>) throws(TemplateError) -> (tokens: [Token], spaced: [Bool]) {
        var lexer = TemplateLexer(bytes: Array(action))
        while try lexer.next() {
            guard lexer.tokens.count <= TemplateLimits.tokensMax else { throw TemplateError("an action is too long") }
        }
        return (lexer.tokens, lexer.spaced)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func next() throws(TemplateError) -> Bool {
        let start = index
        while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
        guard index < bytes.count else { return false }
        spaced.append(index > start)
        tokens.append(try take())
        return true
    }

    private mutating func take() throws(TemplateError) -> Token {
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: "("): return single(.open)
        case UInt8(ascii: ")"): return single(.close)
        case UInt8(ascii: "|"): return single(.pipe)
        case UInt8(ascii: ","): return single(.comma)
        case UInt8(ascii: "="): return single(.assigns)
        case UInt8(ascii: ":"):
            guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "=") else { break }
            index += 2
            return .declares
        case UInt8(ascii: "\""): return .literal(.string(try quoted()))
        case UInt8(ascii: "`"): return .literal(.string(try rawQuoted()))
        case UInt8(ascii: "$"):
            index += 1
            return .variable(name())
        case UInt8(ascii: "."):
            index += 1
            let name = name()
            return name.isEmpty ? .dot : .field(name)
        default:
            if Self.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { return try number() }
            let word = name()
            guard word.isEmpty else { return Self.word(word) }
        }
        throw TemplateError("unexpected character in an action")
    }

    private mutating func single(_ token: Token) -> Token {
        index += 1
        return token
    }

    private static func word(_ word: String) -> Token {
        switch word {
        case "true": .literal(.bool(true))
        case "false": .literal(.bool(false))
        case "nil": .literal(.null)
        default: .word(word)
        }
    }

    private mutating func name() -> String {
        let start = index
        while index < bytes.count, Self.isNameByte(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func number() throws(TemplateError) -> Token {
        let start = index
        index += 1
        while index < bytes.count, Self.isNameByte(bytes[index]) || bytes[index] == UInt8(ascii: ".") { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let number = JSONNumber(text) else { throw TemplateError("a number is malformed") }
        return .literal(.number(number))
    }

    private mutating func rawQuoted() throws(TemplateError) -> String {
        let start = index + 1
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "`")) else {
            throw TemplateError("a raw text does not end")
        }
        index = end + 1
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func quoted() throws(TemplateError) -> String {
        var out: [UInt8] = []
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: out, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard index < bytes.count else { break }
                out.append(Self.unescaped(bytes[index]))
                index += 1
            default: out.append(byte)
            }
        }
        throw TemplateError("a text does not end")
    }

    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "r"): 0x0D
        default: byte
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F || byte >= 0x80
    }
}
