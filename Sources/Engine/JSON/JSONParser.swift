internal import Bytes

/// Builds a ``JSONValue`` from bytes.
struct JSONParser: ~Escapable {
    private var reader: JSONReader

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, depth: Int) {
        reader = JSONReader(bytes, depth: depth)
    }

    mutating func document() throws(JSONError) -> JSONValue {
        let value = try value(depth: 0)
        try reader.expectEnd()
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        switch try reader.peek(.valueStart) {
        case UInt8(ascii: "\""):
            return .string(try JSONStrings.decode(try reader.string(), in: reader.bytes))
        case UInt8(ascii: "{"):
            return .object(try object(depth: depth))
        case UInt8(ascii: "["):
            return .array(try array(depth: depth))
        case UInt8(ascii: "t"):
            try reader.literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try reader.literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try reader.literal("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let range = try reader.number()
            let token = JSONReader.StringToken(range: range, hasEscapes: false)
            return .number(JSONNumber(validLiteral: try JSONStrings.decode(token, in: reader.bytes)))
        default:
            throw reader.unexpected(.valueStart)
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        guard depth < reader.depthMax else { throw JSONError(.tooDeep, at: reader.index) }
        reader.index += 1
        var object = JSONObject()
        if try reader.peek(.keyStart) == UInt8(ascii: "}") {
            reader.index += 1
            return object
        }
        while true {
            guard try reader.peek(.keyStart) == UInt8(ascii: "\"") else { throw reader.unexpected(.keyStart) }
            let key = try JSONStrings.decode(try reader.string(), in: reader.bytes)
            try reader.expect(UInt8(ascii: ":"), .afterKey)
            object[key] = try value(depth: depth + 1)
            guard try reader.continues(UInt8(ascii: "}"), .afterMember) else { return object }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth < reader.depthMax else { throw JSONError(.tooDeep, at: reader.index) }
        reader.index += 1
        var elements: [JSONValue] = []
        if try reader.peek(.valueStart) == UInt8(ascii: "]") {
            reader.index += 1
            return elements
        }
        while true {
            elements.append(try value(depth: depth + 1))
            guard try reader.continues(UInt8(ascii: "]"), .afterElement) else { return elements }
        }
    }
}
