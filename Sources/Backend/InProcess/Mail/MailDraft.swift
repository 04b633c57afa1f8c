import Backend
import Bytes
import JSON
import Store

/// A mail that was decided on: everything that its templates need, and who it goes to.
///
/// Small enough for the outbox, whole enough to be rendered much later by another process.
struct MailDraft: Sendable {
    let kind: MailKind
    let recipient: String
    /// The template's variables.
    let values: JSONObject

    init(_ kind: MailKind, to recipient: String, _ values: JSONObject) {
        self.kind = kind
        self.recipient = recipient
        self.values = values
    }

    /// Reads a row of the outbox; nil when it is none of ours.
    init?(_ row: OutboxRow) {
        let payload = row.payload.object
        guard row.channel == Self.channel, let kind = payload["kind"]?.string.flatMap(MailKind.init(rawValue:)),
            let values = payload["values"]?.object
        else { return nil }
        self.init(kind, to: row.recipient, values)
    }

    static let channel = "email"

    func outboxRow(at now: Timestamp) -> OutboxRow {
        let payload: JSONObject = ["kind": .string(kind.rawValue), "values": .object(values)]
        return OutboxRow(channel: Self.channel, recipient: recipient, payload: JSONText(payload), createdAt: now)
    }

    /// The one-time code in it.
    var code: String? { values["Token"]?.string }
    /// The confirmation link in it.
    var link: String? { values["ConfirmationURL"]?.string }
}

/// A mail as it goes out.
public struct RenderedMail: Sendable {
    public var kind: MailKind
    public var recipient: String
    public var subject: String
    public var html: String
    public var text: String?
    /// The one-time code in it, when there is one.
    public var code: String?
    /// The confirmation link in it, when there is one.
    public var link: String?

    public init(
        kind: MailKind, recipient: String, subject: String, html: String, text: String?, code: String?, link: String?
    ) {
        self.kind = kind
        self.recipient = recipient
        self.subject = subject
        self.html = html
        self.text = text
        self.code = code
        self.link = link
    }
}
