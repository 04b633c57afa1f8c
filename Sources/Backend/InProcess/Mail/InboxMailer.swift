public import Bytes
public import Store

/// Keeps mails in the built-in inbox instead of sending them. Source: interface.md "Addresses".
public struct InboxMailer: Mailer {
    private let store: any AuthStore
    private let clock: any WallClock
    private let sender: String
    private let messagesMax: Int

    public init(_ configuration: MailConfiguration, store: any AuthStore, clock: any WallClock) {
        self.store = store
        self.clock = clock
        sender =
            configuration.senderName.isEmpty
            ? configuration.senderAddress : "\(configuration.senderName) <\(configuration.senderAddress)>"
        messagesMax = max(configuration.inboxMessagesMax, 1)
    }

    public func deliver(_ mail: RenderedMail) async throws(MailError) {
        let row = InboxRow(
            channel: "email", recipient: mail.recipient, sender: sender, subject: mail.subject, html: mail.html,
            text: mail.text ?? "", code: mail.code, link: mail.link, createdAt: clock.now())
        let keeping = messagesMax
        do {
            try await store.transaction { try await $0.insert(row, keeping: keeping) }
        } catch {
            throw MailError(isPermanent: false, "the inbox could not be written")
        }
    }
}

/// Keeps text messages in the built-in inbox instead of sending them. Source: interface.md "Addresses".
public struct InboxMessageSender: MessageSender {
    private let store: any AuthStore
    private let clock: any WallClock
    private let messagesMax: Int

    public init(_ configuration: MailConfiguration, store: any AuthStore, clock: any WallClock) {
        self.store = store
        self.clock = clock
        messagesMax = max(configuration.inboxMessagesMax, 1)
    }

    public func send(_ message: TextMessage) async throws(MailError) -> String {
        let row = InboxRow(
            channel: "sms", recipient: message.phone, sender: "", subject: "", html: "",
            text: "Your code is \(message.code)", code: message.code, link: nil, createdAt: clock.now())
        let keeping = messagesMax
        do {
            try await store.transaction { try await $0.insert(row, keeping: keeping) }
        } catch {
            throw MailError(isPermanent: false, "the inbox could not be written")
        }
        return ""
    }
}

/// Sends mails and keeps a copy of each in the built-in inbox.
public struct CopyingMailer: Mailer {
    private let mailer: any Mailer
    private let inbox: InboxMailer

    public init(_ mailer: any Mailer, copiesTo inbox: InboxMailer) {
        self.mailer = mailer
        self.inbox = inbox
    }

    /// Delivers, then copies; a copy that cannot be kept does not make a delivered mail a failure.
    public func deliver(_ mail: RenderedMail) async throws(MailError) {
        try await mailer.deliver(mail)
        do {
            try await inbox.deliver(mail)
        } catch {
            return
        }
    }
}
