public import Bytes
public import Outgoing

/// Sends mails by SMTP. Source: supabase-admin.md 13.2.
public struct SMTPMailer: Mailer {
    private let client: OutgoingClient
    private let server: SMTPServer
    private let sender: MailAddress
    private let extraHeaders: [(name: String, value: String)]
    private let clock: any WallClock
    private let random: any RandomSource

    /// - Throws: `OutgoingError` when the sender's address is malformed.
    public init(
        _ configuration: MailConfiguration, server: SMTPServer, client: OutgoingClient, clock: any WallClock,
        random: any RandomSource
    ) throws(OutgoingError) {
        sender = try MailAddress(configuration.senderAddress, name: configuration.senderName)
        extraHeaders = configuration.extraHeaders
        self.client = client
        self.server = server
        self.clock = clock
        self.random = random
    }

    public func deliver(_ mail: RenderedMail) async throws(MailError) {
        do {
            let domain = sender.address.split(separator: "@").last.map(String.init) ?? "localhost"
            let message = MailMessage(
                from: sender, to: try MailAddress(mail.recipient), subject: mail.subject, html: mail.html,
                text: mail.text, messageID: "\(Bytes.UUID(random: random))@\(domain)",
                dateUnixSeconds: clock.now().unixSeconds, extraHeaders: headers(mail.kind))
            try await client.deliver(message, via: server)
        } catch {
            throw MailError(isPermanent: error.isPermanentRefusal || error.kind == .invalid, error.description)
        }
    }

    private func headers(_ kind: MailKind) -> [(name: String, value: String)] {
        extraHeaders.map { ($0.name, Self.replaced($0.value, kind.messageType)) }
    }

    private static func replaced(_ value: String, _ messageType: String) -> String {
        value.replacing(text: "$messageType", with: messageType)
    }
}
