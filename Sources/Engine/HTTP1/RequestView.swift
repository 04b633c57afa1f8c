internal import Bytes
public import EventLoop

/// A request as it stands in its connection's buffer: nothing is copied, and nothing of it may outlive the call it is
/// given to.
///
/// What is needed later (by an asynchronous answer) is taken out with `copy()`.
public struct RequestView: ~Escapable {
    public let head: RequestHead
    /// The other end of the connection.
    public let peer: SocketAddress
    let message: Span<UInt8>
    let fields: Span<HeaderField>
    let bodyRange: Range<Int>

    @_lifetime(copy message, copy fields)
    init(
        head: RequestHead, message: Span<UInt8>, fields: Span<HeaderField>, bodyRange: Range<Int>, peer: SocketAddress
    ) {
        self.head = head
        self.message = message
        self.fields = fields
        self.bodyRange = bodyRange
        self.peer = peer
    }

    public var method: HTTPMethod { head.method }

    /// The method as it was sent (for `other`).
    public var methodName: Span<UInt8> {
        @_lifetime(copy self) get { message.extracting(head.methodRange) }
    }

    /// The target as it was sent: path and query, or another form.
    public var target: Span<UInt8> {
        @_lifetime(copy self) get { message.extracting(head.targetRange) }
    }

    /// The path as it was sent, still percent-encoded; `*` for the asterisk form, empty for `http://host`.
    ///
    /// With `head.hasDotSegments` only `normalizedPath()` may be matched against routes.
    public var path: Span<UInt8> {
        @_lifetime(copy self) get { message.extracting(head.pathRange) }
    }

    /// The query without its question mark.
    public var query: Span<UInt8> {
        @_lifetime(copy self) get { message.extracting(head.queryRange) }
    }

    /// The Host field, validated; empty in an HTTP/1.0 request without one.
    public var host: Span<UInt8> {
        @_lifetime(copy self) get { message.extracting(head.hostRange) }
    }

    /// The whole body, chunks put together. Empty while a body is still to come (`bodyLimit`, `refuse`).
    public var body: Span<UInt8> {
        @_lifetime(copy self) get { message.extracting(bodyRange) }
    }

    /// The path without `.` and `..` segments, still percent-encoded.
    public func normalizedPath() -> [UInt8] {
        TargetCheck.normalized(path)
    }

    /// The value of the first line of a known field, blanks around it removed; nil without the field.
    @_lifetime(copy self)
    public func header(_ known: KnownHeader) -> Span<UInt8>? {
        for index in 0..<fields.count where fields[index].id == known {
            return message.extracting(fields[index].value)
        }
        return nil
    }

    /// The value of the first line of the field `name` (in small letters); nil without it.
    @_lifetime(copy self)
    public func header(named name: StaticString) -> Span<UInt8>? {
        for index in 0..<fields.count
        where Scan.equalsIgnoringCase(message.extracting(fields[index].name), name) {
            return message.extracting(fields[index].value)
        }
        return nil
    }

    /// The first value of a known field as text, invalid UTF-8 replaced; nil without the field.
    public func text(_ known: KnownHeader) -> String? {
        guard let value = header(known) else { return nil }
        return value.text
    }

    /// The first value of the field `name` (in small letters) as text; nil without it.
    public func text(named name: StaticString) -> String? {
        guard let value = header(named: name) else { return nil }
        return value.text
    }

    /// Field lines that are kept (names with an underscore are not).
    public var fieldCount: Int { fields.count }

    /// The known name of a field line.
    public func fieldID(_ index: Int) -> KnownHeader { fields[index].id }

    /// The name of a field line as it was sent.
    @_lifetime(copy self)
    public func fieldName(_ index: Int) -> Span<UInt8> {
        message.extracting(fields[index].name)
    }

    /// The value of a field line, blanks around it removed.
    @_lifetime(copy self)
    public func fieldValue(_ index: Int) -> Span<UInt8> {
        message.extracting(fields[index].value)
    }

    /// An owned copy of the whole request.
    public func copy() -> HTTPRequest {
        HTTPRequest(self)
    }
}
