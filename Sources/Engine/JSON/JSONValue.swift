/// Any JSON value (RFC 8259), numbers and the order of members kept as they came.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// Reads one JSON text, strictly: RFC 8259, UTF-8 checked, nothing after the value but white space.
    ///
    /// An escape of half a surrogate pair becomes U+FFFD, as in Go. Of equal keys the last one's value counts.
    public static func parse(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) -> JSONValue {
        try parse(bytes.span, limits: limits)
    }

    /// Reads one JSON text from a span; see ``parse(_:limits:)-([UInt8],_)``.
    public static func parse(_ bytes: Span<UInt8>, limits: JSONLimits = .standard) throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.bytes else { throw JSONError(.tooLong, at: limits.bytes) }
        var parser = JSONParser(bytes, depth: limits.depth)
        return try parser.document()
    }

    /// Reads one JSON text.
    public static func parse(_ text: String, limits: JSONLimits = .standard) throws(JSONError) -> JSONValue {
        try parse(text.utf8.span, limits: limits)
    }

    /// A whole number of any size and sign.
    public static func int(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(value)) }

    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }
    public var number: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }
    /// The value as a 64-bit integer, if it is a number written as one.
    public var int64: Int64? { number?.int64 }
    public var double: Double? { number?.double }
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of that name, if this is an object that has one.
    public subscript(_ key: String) -> JSONValue? { object?[key] }

    /// The name of the type as Go's decoder names it: null, bool, number, string, array, object.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// The value as compact JSON, members in their order.
    public var compact: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    /// The value as compact JSON with the members of every object sorted by the bytes of their keys, as Go writes maps.
    public var sortedCompact: [UInt8] {
        var writer = JSONWriter()
        writer.value(self, sortedKeys: true)
        return writer.bytes
    }

    /// The length of the compact form in bytes.
    public var compactSize: Int { compact.count }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}
