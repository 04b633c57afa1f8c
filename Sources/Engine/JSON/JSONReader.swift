internal import Bytes

/// Walks over the bytes of a JSON text: white space, strings, numbers, literals. What it passes, it has checked.
struct JSONReader: ~Escapable {
    let bytes: Span<UInt8>
    var index = 0
    let depthMax: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, depth: Int) {
        self.bytes = bytes
        depthMax = depth
    }

    /// A string's place, its quotes left out, and whether it holds escapes.
    struct StringToken {
        var range: Range<Int>
        var hasEscapes: Bool
    }

    func unexpected(_ place: JSONError.Place) -> JSONError {
        index < bytes.count
            ? JSONError(.unexpectedByte(bytes[index], place), at: index) : JSONError(.unexpectedEnd, at: bytes.count)
    }

    @inline(__always)
    mutating func skipSpace() {
        while index < bytes.count {
            let byte = bytes[index]
            // Nearly always the next byte is already the wanted one.
            if byte > UInt8(ascii: " ") { return }
            guard byte == UInt8(ascii: " ") || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            index += 1
        }
    }

    /// Passes white space and then the byte, or says what stands there instead.
    @inline(__always)
    mutating func expect(_ byte: UInt8, _ place: JSONError.Place) throws(JSONError) {
        skipSpace()
        guard index < bytes.count, bytes[index] == byte else { throw unexpected(place) }
        index += 1
    }

    /// The next byte after white space, which is left where it is.
    @inline(__always)
    mutating func peek(_ place: JSONError.Place) throws(JSONError) -> UInt8 {
        skipSpace()
        guard index < bytes.count else { throw unexpected(place) }
        return bytes[index]
    }

    mutating func expectEnd() throws(JSONError) {
        skipSpace()
        guard index == bytes.count else { throw unexpected(.afterTopLevelValue) }
    }

    /// Passes a string whose opening quote is the byte at the index.
    mutating func string() throws(JSONError) -> StringToken {
        index += 1
        let start = index
        var hasEscapes = false
        while true {
            index = JSONBytes.firstSpecial(in: bytes, from: index)
            guard index < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let end = index
                index += 1
                return StringToken(range: start..<end, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape()
            default:
                throw unexpected(.string)
            }
        }
    }

    private mutating func escape() throws(JSONError) {
        index += 1
        guard index < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        switch bytes[index] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            index += 1
            for _ in 0..<4 {
                guard index < bytes.count, Hex.value(of: bytes[index]) != nil else { throw unexpected(.unicodeEscape) }
                index += 1
            }
        default:
            throw unexpected(.escape)
        }
    }

    /// Passes a number that begins at the index with a digit or a minus.
    mutating func number() throws(JSONError) -> Range<Int> {
        let start = index
        if bytes[index] == UInt8(ascii: "-") {
            index += 1
            guard isDigit(at: index) else { throw unexpected(.number) }
        }
        if bytes[index] == UInt8(ascii: "0") {
            index += 1
        } else {
            skipDigits()
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard isDigit(at: index) else { throw unexpected(.fraction) }
            skipDigits()
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard isDigit(at: index) else { throw unexpected(.exponent) }
            skipDigits()
        }
        return start..<index
    }

    /// Passes `true`, `false` or `null`.
    mutating func literal(_ text: StaticString) throws(JSONError) {
        index += 1
        for place in 1..<text.utf8CodeUnitCount {
            guard index < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
            let expected = JSONBytes.byte(of: text, at: place)
            guard bytes[index] == expected else {
                throw JSONError(.brokenLiteral(bytes[index], word: text.description, expected: expected), at: index)
            }
            index += 1
        }
    }

    @inline(__always)
    private func isDigit(at place: Int) -> Bool {
        place < bytes.count && bytes[place] &- UInt8(ascii: "0") <= 9
    }

    @inline(__always)
    private mutating func skipDigits() {
        while isDigit(at: index) { index += 1 }
    }

    /// Passes a whole value of any kind without keeping anything of it. Strings' UTF-8 is not checked here.
    mutating func skipValue(depth: Int) throws(JSONError) {
        switch try peek(.valueStart) {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "{"): try skipObject(depth: depth)
        case UInt8(ascii: "["): try skipArray(depth: depth)
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try number()
        default: throw unexpected(.valueStart)
        }
    }

    private mutating func skipObject(depth: Int) throws(JSONError) {
        guard depth < depthMax else { throw JSONError(.tooDeep, at: index) }
        index += 1
        if try peek(.keyStart) == UInt8(ascii: "}") {
            index += 1
            return
        }
        while true {
            guard try peek(.keyStart) == UInt8(ascii: "\"") else { throw unexpected(.keyStart) }
            _ = try string()
            try expect(UInt8(ascii: ":"), .afterKey)
            try skipValue(depth: depth + 1)
            guard try continues(UInt8(ascii: "}"), .afterMember) else { return }
        }
    }

    private mutating func skipArray(depth: Int) throws(JSONError) {
        guard depth < depthMax else { throw JSONError(.tooDeep, at: index) }
        index += 1
        if try peek(.valueStart) == UInt8(ascii: "]") {
            index += 1
            return
        }
        while true {
            try skipValue(depth: depth + 1)
            guard try continues(UInt8(ascii: "]"), .afterElement) else { return }
        }
    }

    /// Passes a comma (true) or the closing byte (false).
    @inline(__always)
    mutating func continues(_ close: UInt8, _ place: JSONError.Place) throws(JSONError) -> Bool {
        let byte = try peek(place)
        guard byte == UInt8(ascii: ",") || byte == close else { throw unexpected(place) }
        index += 1
        return byte == UInt8(ascii: ",")
    }
}
