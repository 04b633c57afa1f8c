internal import Bytes
public import EventLoop

/// An owned copy of a request, for answers that take a while. Everything is read through `view`.
public struct HTTPRequest: Sendable {
    public let head: RequestHead
    public let peer: SocketAddress
    private let bytes: [UInt8]
    private let fields: [HeaderField]
    private let bodyRange: Range<Int>

    init(_ view: borrowing RequestView) {
        head = view.head
        peer = view.peer
        let count = max(view.head.byteCount, view.bodyRange.upperBound)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in 0..<count { bytes.append(view.message[index]) }
        self.bytes = bytes
        var fields: [HeaderField] = []
        fields.reserveCapacity(view.fields.count)
        for index in 0..<view.fields.count { fields.append(view.fields[index]) }
        self.fields = fields
        bodyRange = view.bodyRange
    }

    /// The request, with the same accessors as in the synchronous handler.
    public var view: RequestView {
        @_lifetime(borrow self)
        get {
            RequestView(head: head, message: bytes.span, fields: fields.span, bodyRange: bodyRange, peer: peer)
        }
    }

    public var method: HTTPMethod { head.method }

    /// The path as text, still percent-encoded.
    public var path: String { view.path.text }

    /// The query as text, without its question mark.
    public var query: String { view.query.text }

    /// The body's bytes.
    public var body: [UInt8] { Array(bytes[bodyRange]) }

    /// The first value of a known field as text; nil without the field.
    public func header(_ known: KnownHeader) -> String? { view.text(known) }

    /// The first value of the field `name` (in small letters) as text; nil without it.
    public func header(named name: StaticString) -> String? { view.text(named: name) }
}
