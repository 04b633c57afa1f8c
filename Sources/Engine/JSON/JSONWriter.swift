public import Bytes

/// Writes compact JSON straight to bytes. Commas come by themselves; begins and ends must match.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8]
    /// Whether a comma goes before the next key or value.
    private var needsComma = false

    /// Makes a writer with room for so many bytes.
    public init(capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Makes a writer that appends to bytes that are already there.
    public init(appendingTo bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    /// What has been written, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes `{`; ``endObject()`` must follow.
    public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    /// Writes `}`, the end of the object begun last.
    public mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Writes `[`; ``endArray()`` must follow.
    public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
    }

    /// Writes `]`, the end of the array begun last.
    public mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes a member's name that needs no escaping (letters, digits, `_`, `-`).
    @inline(__always)
    public mutating func key(_ name: StaticString) {
        JSONBytes.appendKey(name, afterComma: needsComma, to: &bytes)
        needsComma = false
    }

    /// Writes any member's name.
    public mutating func key(dynamic name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string, escaping quotes, backslashes, control bytes, U+2028 and U+2029.
    public mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a string, or null.
    public mutating func string(_ text: String?) {
        if let text { string(text) } else { null() }
    }

    /// Writes a whole number.
    public mutating func int(_ value: some FixedWidthInteger) {
        separate()
        appendInteger(value)
        needsComma = true
    }

    public mutating func bool(_ value: Bool) {
        separate()
        JSONBytes.append(value ? "true" : "false", to: &bytes)
        needsComma = true
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        JSONBytes.append("null", to: &bytes)
        needsComma = true
    }

    /// Writes a number with a fraction; null for infinities and NaN, which JSON cannot say.
    public mutating func double(_ value: Double) {
        guard let number = JSONNumber(value) else {
            null()
            return
        }
        self.number(number)
    }

    public mutating func number(_ value: JSONNumber) {
        separate()
        bytes.append(contentsOf: value.literal.utf8)
        needsComma = true
    }

    public mutating func uuid(_ value: UUID) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        value.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a point in time as an RFC 3339 string.
    public mutating func timestamp(_ value: Timestamp) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        value.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a JSON text as it is.
    public mutating func raw(_ text: JSONText) {
        separate()
        bytes.append(contentsOf: text.bytes)
        needsComma = true
    }

    /// Writes bytes that the caller knows to be one whole member, its key too.
    mutating func raw(member: ArraySlice<UInt8>) {
        separate()
        bytes.append(contentsOf: member)
        needsComma = true
    }

    /// Writes bytes that the caller knows to be one whole JSON value.
    public mutating func raw(validJSON value: [UInt8]) {
        separate()
        bytes.append(contentsOf: value)
        needsComma = true
    }

    /// Writes a tree; with `sortedKeys` the members of every object are sorted by the bytes of their keys.
    public mutating func value(_ value: JSONValue, sortedKeys: Bool = false) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let number): self.number(number)
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element, sortedKeys: sortedKeys) }
            endArray()
        case .object(let object): self.object(object, sortedKeys: sortedKeys)
        }
    }

    /// Writes an object of a tree.
    public mutating func object(_ object: JSONObject, sortedKeys: Bool = false) {
        beginObject()
        let members =
            sortedKeys
            ? object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : object.members
        for member in members {
            key(dynamic: member.key)
            value(member.value, sortedKeys: sortedKeys)
        }
        endObject()
    }

    @inline(__always)
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func appendInteger(_ value: some FixedWidthInteger) {
        if let small = Int64(exactly: value), small >= 0, small < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: small))
        } else {
            bytes.append(contentsOf: String(value).utf8)
        }
    }

    private mutating func appendEscaped(_ text: String) {
        let span = text.utf8.span
        let first = JSONBytes.firstToEscape(in: span, from: 0)
        if first == span.count {
            JSONBytes.append(span, to: &bytes)
        } else {
            appendEscaping(span, from: first)
        }
    }

    private mutating func appendEscaping(_ span: Span<UInt8>, from first: Int) {
        var done = 0
        var next = first
        while next < span.count {
            for index in done..<next { bytes.append(span[index]) }
            done = next + appendEscape(span, at: next)
            next = JSONBytes.firstToEscape(in: span, from: done)
        }
        for index in done..<span.count { bytes.append(span[index]) }
    }

    /// Writes the byte at the index in its escaped form and says how many bytes that covered.
    private mutating func appendEscape(_ span: Span<UInt8>, at index: Int) -> Int {
        let byte = span[index]
        switch byte {
        case UInt8(ascii: "\""): JSONBytes.append("\\\"", to: &bytes)
        case UInt8(ascii: "\\"): JSONBytes.append("\\\\", to: &bytes)
        case 0x08: JSONBytes.append("\\b", to: &bytes)
        case 0x09: JSONBytes.append("\\t", to: &bytes)
        case 0x0A: JSONBytes.append("\\n", to: &bytes)
        case 0x0C: JSONBytes.append("\\f", to: &bytes)
        case 0x0D: JSONBytes.append("\\r", to: &bytes)
        case 0x00..<0x20:
            JSONBytes.append("\\u00", to: &bytes)
            bytes.append(Hex.digit(byte >> 4))
            bytes.append(Hex.digit(byte))
        case 0xE2:
            guard index + 2 < span.count, span[index + 1] == 0x80, span[index + 2] & 0xFE == 0xA8 else {
                bytes.append(byte)
                return 1
            }
            JSONBytes.append(span[index + 2] == 0xA8 ? "\\u2028" : "\\u2029", to: &bytes)
            return 3
        default: bytes.append(byte)
        }
        return 1
    }
}
