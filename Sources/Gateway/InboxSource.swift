public import Bytes

/// One message of the built-in inbox.
public struct InboxMessage: Sendable {
    public let id: Int64
    /// `email` or `sms`.
    public let channel: String
    public let to: String
    public let from: String
    public let subject: String
    public let html: String
    public let text: String
    /// The one-time code in it, when there is one.
    public let code: String?
    /// The link in it, when there is one.
    public let link: String?
    public let createdAt: Timestamp

    public init(
        id: Int64, channel: String, to: String, from: String, subject: String, html: String, text: String,
        code: String?, link: String?, createdAt: Timestamp
    ) {
        self.id = id
        self.channel = channel
        self.to = to
        self.from = from
        self.subject = subject
        self.html = html
        self.text = text
        self.code = code
        self.link = link
        self.createdAt = createdAt
    }
}

/// Where the inbox's messages come from; the executable wires it.
public protocol InboxSource: Sendable {
    /// Newest first; all, or those to one address.
    func messages(to recipient: String?, limit: Int) async throws -> [InboxMessage]
}

/// Whether the server can work; the executable wires it.
public protocol ReadinessProbe: Sendable {
    /// nil when everything is well, else a short word on what is not (no secrets, no paths).
    func fault() async -> String?
}
