/// The names and values of a query string or a form body, in the order they came.
public struct FormFields: Equatable, Sendable {
    /// One `name=value`.
    public struct Field: Equatable, Sendable {
        /// The name, decoded.
        public var name: String
        /// The value, decoded; empty if there was none.
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// How many fields are read at most; a longer input is refused, so that no request costs without bound.
    public static let countMax = 1000

    /// The fields in order.
    public private(set) var fields: [Field]

    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Reads `application/x-www-form-urlencoded` text (also a query string, without its `?`).
    ///
    /// Nil for a broken escape, a bare `;` (as Go refuses it), or more than ``countMax`` fields. Bytes that are no
    /// UTF-8 become U+FFFD. Empty pieces (`a=1&&b=2`) are skipped.
    public init?(parsing text: Span<UInt8>) {
        fields = []
        var start = 0
        while start < text.count {
            var end = start
            var equals: Int?
            while end < text.count, text[end] != UInt8(ascii: "&") {
                if text[end] == UInt8(ascii: ";") { return nil }
                if equals == nil, text[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            if end > start {
                let nameEnd = equals ?? end
                let valueStart = equals.map { $0 + 1 } ?? end
                guard fields.count < Self.countMax,
                    let name = PercentCoding.decode(text.extracting(start..<nameEnd), as: .queryValue),
                    let value = PercentCoding.decode(text.extracting(valueStart..<end), as: .queryValue)
                else { return nil }
                append(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
            }
            start = end + 1
        }
    }

    /// Reads a query string or form given as text.
    public init?(parsing text: String) {
        self.init(parsing: text.utf8.span)
    }

    /// The value of the first field of that name.
    public subscript(_ name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The values of every field of that name, in order.
    public func all(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Adds a field at the end.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The fields as `application/x-www-form-urlencoded` text, in order.
    public var encoded: String {
        var out: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { out.append(UInt8(ascii: "&")) }
            PercentCoding.append(field.name, as: .queryValue, to: &out)
            out.append(UInt8(ascii: "="))
            PercentCoding.append(field.value, as: .queryValue, to: &out)
        }
        return String(decoding: out, as: UTF8.self)
    }
}
