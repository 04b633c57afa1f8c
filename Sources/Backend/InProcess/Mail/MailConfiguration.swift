import Bytes
public import Outgoing

/// How mails look and where they go out (`GOTRUE_SMTP_*`, `GOTRUE_MAILER_*`). Source: supabase-config.md 3.8.
public struct MailConfiguration: Sendable {
    /// The server; nil keeps mails in the built-in inbox.
    public var server: SMTPServer?
    /// The sender's address.
    public var senderAddress = "noreply@localhost"
    /// The sender's name; empty for none.
    public var senderName = "Drawbridge"
    /// Subjects as templates, for the kinds that have one of their own.
    public var subjects: [MailKind: String] = [:]
    /// Where bodies are fetched from; a value that does not begin with `http` is appended to the site's URL.
    public var templateURLs: [MailKind: String] = [:]
    /// Bytes of a fetched body that are read; what is beyond is left out.
    public var templateBytesMax = 1_000_000
    /// How long a fetched body is used before it is fetched again.
    public var templateLifetime: Duration = .seconds(600)
    /// The pause after a body could not be fetched.
    public var templateRetryInterval: Duration = .seconds(10)
    /// Further header lines; `$messageType` in a value becomes the kind's name.
    public var extraHeaders: [(name: String, value: String)] = []
    /// Keeps a copy of what is really sent in the built-in inbox (`DRAWBRIDGE_INBOX=on`).
    public var keepsCopies = false
    /// How many messages the built-in inbox keeps.
    public var inboxMessagesMax = 1000
    /// Deliveries of the outbox that run at the same time.
    public var deliveriesInFlightMax = 8
    /// Tries of one mail before it is given up; with doubling pauses from ``retryPause`` the last is after about a day.
    public var triesMax = 16
    /// The pause after the first failed try; it doubles with each further one.
    public var retryPause: Duration = .seconds(5)
    /// The longest pause between two tries.
    public var retryPauseMax: Duration = .seconds(3 * 3600)

    public init() {}
}
