internal import Bytes

/// An answer that is sent again and again, rendered once.
public final class PreparedAnswer: Sendable {
    let status: HTTPStatus
    let fields: HeaderBlock
    let body: [UInt8]
    let note: (any HTTPNote)?
    /// What follows the `Date` line on an HTTP/1.1 connection that stays open; empty for a status without a body.
    let rest: [UInt8]

    public init(_ status: HTTPStatus = .ok, _ fields: [HTTPField], body: [UInt8], note: (any HTTPNote)? = nil) {
        self.status = status
        self.fields = HeaderBlock(fields)
        self.body = body
        self.note = note
        var buffer = ByteBuffer()
        if !status.hasNoBody {
            buffer.append(self.fields.bytes)
            buffer.append(HTTPField("Content-Length", "\(body.count)"))
            buffer.append("\r\n")
            buffer.append(body)
        }
        rest = buffer.array()
    }
}
