/// A JSON text that is known to be valid and compact: kept and sent on as bytes, read only when asked for.
public struct JSONText: Hashable, Sendable, CustomStringConvertible {
    /// The compact text in UTF-8.
    public let bytes: [UInt8]

    /// `{}`
    public static let emptyObject = JSONText(trusted: Array("{}".utf8))
    /// `[]`
    public static let emptyArray = JSONText(trusted: Array("[]".utf8))
    /// `null`
    public static let null = JSONText(trusted: Array("null".utf8))

    /// Checks a text and keeps it in compact form (members in their order, numbers as written).
    public init(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        self.init(try JSONValue.parse(bytes, limits: limits))
    }

    /// Checks a text and keeps it in compact form.
    public init(_ text: String, limits: JSONLimits = .standard) throws(JSONError) {
        self.init(try JSONValue.parse(text, limits: limits))
    }

    /// Keeps a value in compact form.
    public init(_ value: JSONValue) {
        bytes = value.compact
    }

    /// Keeps an object in compact form.
    public init(_ object: JSONObject) {
        bytes = JSONValue.object(object).compact
    }

    /// Takes bytes that this program wrote itself (a writer's result, a row of its own database) without a check.
    public init(trusted bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether the text is an object.
    public var isObject: Bool { bytes.first == UInt8(ascii: "{") }
    /// Whether the text is `null`.
    public var isNull: Bool { self == .null }

    /// The text as a tree; null if trusted bytes turn out to be no JSON.
    public var value: JSONValue {
        (try? JSONValue.parse(bytes, limits: JSONLimits(depth: JSONLimits.depthMax, bytes: .max))) ?? .null
    }

    /// The text as an object; empty if it is none.
    public var object: JSONObject { value.object ?? JSONObject() }
}
