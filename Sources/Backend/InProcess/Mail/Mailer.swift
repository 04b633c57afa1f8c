/// Delivers one mail. What is behind it (a mail server, the built-in inbox, a test's list) is a parameter.
public protocol Mailer: Sendable {
    /// Returns once the next hand has taken the mail over for good.
    func deliver(_ mail: RenderedMail) async throws(MailError)
}

/// Why a mail was not taken over. The text is for the log and holds neither address nor code.
public struct MailError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Trying again makes no sense: the mail or its recipient was refused.
    public let isPermanent: Bool
    public let description: String

    public init(isPermanent: Bool, _ description: String) {
        self.isPermanent = isPermanent
        self.description = description
    }
}

/// Delivers a text message; what is behind it comes with the SMS providers. Source: supabase-admin.md 14.
public protocol MessageSender: Sendable {
    /// Returns the provider's id of the message, empty when it has none.
    func send(_ message: TextMessage) async throws(MailError) -> String
}

/// A one-time code on its way to a phone.
public struct TextMessage: Sendable {
    /// The number's digits.
    public var phone: String
    public var code: String
    /// `sms` or `whatsapp`.
    public var channel: String
    public init(phone: String, code: String, channel: String) {
        self.phone = phone
        self.code = code
        self.channel = channel
    }
}
