internal import Bytes
public import HTTP1

/// Fields that many requests share, rendered once.
public struct ClientFields: Sendable {
    let bytes: [UInt8]

    /// Control characters in a value are sent as blanks, so that no value can add a line.
    public init(_ fields: [HTTPField] = []) {
        var bytes: [UInt8] = []
        for field in fields { ClientRequest.append(field.name, field.value, to: &bytes) }
        self.bytes = bytes
    }
}

/// A request to be sent. `Host` and `Content-Length` are the client's to add.
public struct ClientRequest: Sendable {
    public let method: HTTPMethod
    /// The path with the query, percent-encoded, without the origin's prefix.
    public let target: String
    public private(set) var shared: ClientFields?
    /// Rendered field lines.
    private(set) var fields: [UInt8] = []
    public var body: [UInt8] = []
    /// May be sent a second time when the first one was lost on a connection that had been idle. True for methods that
    /// say so (RFC 9110 section 9.2.2).
    public var isRepeatable: Bool
    /// The fields of the answer are looked at even when its status is 200.
    public var wantsFields = true

    /// - Parameter target: begins with a slash. Bytes that cannot stand in a request line are sent percent-encoded.
    public init(_ method: HTTPMethod, _ target: String, shared: ClientFields? = nil) {
        self.method = method
        self.target = Self.isSendable(target) ? target : Self.escaped(target)
        self.shared = shared
        switch method {
        case .get, .head, .put, .delete, .options, .trace: isRepeatable = true
        case .post, .patch, .connect, .other: isRepeatable = false
        }
    }

    /// Adds a field. Control characters in the value are sent as blanks.
    /// - Parameter name: a token of RFC 9110 section 5.6.2; a literal of the program's own.
    public mutating func add(_ name: String, _ value: String) {
        fields.reserveCapacity(fields.count + name.utf8.count + value.utf8.count + 4)
        Self.append(name, value, to: &fields)
    }

    static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: colon)
        let text = value.utf8.span
        if Scan.firstControl(in: text, from: 0) == text.count {
            bytes.append(contentsOf: value.utf8)
        } else {
            for byte in value.utf8 { bytes.append(byte < 0x20 || byte == 0x7F ? 0x20 : byte) }
        }
        bytes.append(contentsOf: lineEnd)
    }

    private static let colon: [UInt8] = [0x3A, 0x20]
    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    private static func isSendable(_ target: String) -> Bool {
        target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    private static func escaped(_ target: String) -> String {
        var bytes: [UInt8] = []
        for byte in target.utf8 {
            if byte > 0x20, byte < 0x7F {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(Hex.digit(byte >> 4))
                bytes.append(Hex.digit(byte))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes the whole message.
    func render(into out: inout ByteBuffer, host: [UInt8], prefix: String) {
        out.append(method.name)
        out.append(" ")
        out.append(prefix)
        out.append(target)
        out.append(" HTTP/1.1\r\n")
        out.append(host)
        if let shared { out.append(shared.bytes) }
        out.append(fields)
        switch method {
        case .post, .put, .patch:
            out.append("Content-Length: ")
            out.append(decimal: body.count)
            out.append("\r\n\r\n")
        default:
            if !body.isEmpty {
                out.append("Content-Length: ")
                out.append(decimal: body.count)
                out.append("\r\n")
            }
            out.append("\r\n")
        }
        out.append(body)
    }
}

/// An answer, whole.
public struct ClientResponse: Sendable {
    public let status: HTTPStatus
    public let body: [UInt8]
    /// The field lines as they came; empty of a 200 to a request that did not ask for them.
    let head: [UInt8]
    let fields: [ResponseField]

    init(status: HTTPStatus, body: [UInt8], head: [UInt8], fields: [ResponseField]) {
        self.status = status
        self.body = body
        self.head = head
        self.fields = fields
    }

    /// An answer with this head, for tests of what reads answers; of a head that is none the status is 599.
    public init(testing head: String, body: [UInt8]) {
        var parser = ResponseParser(headBytesMax: 65_536, fieldsMax: 100)
        let bytes = Array(head.utf8)
        let isHead = parser.parse(bytes.span, method: .get) == .complete
        self.init(status: HTTPStatus(isHead ? parser.status : 599), body: body, head: bytes, fields: parser.fields)
    }

    /// The first value of that name (in any letter case), white space at its ends left out; nil without one.
    public subscript(_ name: StaticString) -> String? {
        for field in fields {
            let found = head.span.extracting(field.nameRange)
            guard found.count == name.utf8CodeUnitCount, Scan.equalsIgnoringCase(found, name) else { continue }
            return String(decoding: head[field.valueRange], as: UTF8.self)
        }
        return nil
    }
}

/// The place of a field line in its head.
struct ResponseField: Sendable {
    let nameStart: UInt32
    let nameEnd: UInt32
    let valueStart: UInt32
    let valueEnd: UInt32
    var nameRange: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var valueRange: Range<Int> { Int(valueStart)..<Int(valueEnd) }
}
