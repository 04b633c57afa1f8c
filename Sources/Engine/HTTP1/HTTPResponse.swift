internal import Bytes

/// One field of a response.
public struct HTTPField: Hashable, Sendable {
    public let name: String
    /// Control characters in it are sent as blanks, so that no value can add a line to the head.
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Fields that many answers share, rendered once.
public struct HeaderBlock: Sendable {
    let bytes: [UInt8]

    public init(_ fields: [HTTPField] = []) {
        var buffer = ByteBuffer()
        for field in fields { buffer.append(field) }
        bytes = buffer.array()
    }
}

/// An owned answer. `Content-Length`, `Date` and `Connection` are added when it is sent.
public struct HTTPResponse: Sendable {
    public var status: HTTPStatus
    /// Pre-rendered fields that go before `fields`.
    public var block: HeaderBlock?
    public var fields: [HTTPField]
    public var body: [UInt8]
    /// Ends the connection after this answer.
    public var closesConnection = false
    /// Comes back in the exchange that `observe` is shown.
    public var note: (any HTTPNote)?

    public init(_ status: HTTPStatus, block: HeaderBlock? = nil, fields: [HTTPField] = [], body: [UInt8] = []) {
        self.status = status
        self.block = block
        self.fields = fields
        self.body = body
    }
}

extension ByteBuffer {
    /// One field line.
    mutating func append(_ field: HTTPField) {
        append(field.name)
        append(": ")
        append(fieldText: field.value.utf8.span)
        append("\r\n")
    }

    /// A field value with blanks in place of control characters (RFC 9110 section 5.5).
    mutating func append(fieldText value: Span<UInt8>) {
        var from = 0
        while from < value.count {
            let stop = Scan.firstControl(in: value, from: from)
            append(value.extracting(from..<stop))
            if stop < value.count { append(UInt8(ascii: " ")) }
            from = stop + 1
        }
    }
}
