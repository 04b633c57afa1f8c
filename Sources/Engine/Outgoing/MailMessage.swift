/// An e-mail address with an optional display name, checked so that it cannot break out of its line.
public struct MailAddress: Sendable, Equatable {
    /// `local@domain`, without brackets.
    public let address: String
    /// What mail programs show beside it; empty for none.
    public let name: String

    /// Checks the address's shape (one bare mailbox, no blanks, brackets or control characters) and the name.
    ///
    /// - Throws: `.invalid`.
    public init(_ address: String, name: String = "") throws(OutgoingError) {
        let forbidden = "<>()[]\\,;:\"".utf8
        let isBare = !address.utf8.contains { $0 <= 0x20 || $0 == 0x7F || forbidden.contains($0) }
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard isBare, parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, address.utf8.count <= 320 else {
            throw OutgoingError(.invalid, "a mail address is malformed")
        }
        guard isHeaderText(name) else {
            throw OutgoingError(.invalid, "a display name holds a control character")
        }
        self.address = address
        self.name = name
    }
}

/// A mail to one recipient: what is in its headers and its one or two bodies.
///
/// Time and identity are the caller's, so the same values always give the same bytes.
public struct MailMessage: Sendable {
    /// The sender, also of the envelope.
    public var from: MailAddress
    /// The recipient, also of the envelope.
    public var to: MailAddress
    /// The subject, any text without line breaks.
    public var subject: String
    /// The HTML body.
    public var html: String
    /// The plain-text body beside it, or none.
    public var text: String?
    /// What stands between the angle brackets of `Message-ID`.
    public var messageID: String
    /// The `Date` header, in seconds since 1970.
    public var dateUnixSeconds: Int64
    /// Further header lines (`GOTRUE_SMTP_HEADERS`). One that the message writes itself replaces it, except those in
    /// `fixedHeaders`, which refuse the message.
    public var extraHeaders: [(name: String, value: String)]

    /// A message from its parts.
    public init(
        from: MailAddress, to: MailAddress, subject: String, html: String, text: String? = nil,
        messageID: String, dateUnixSeconds: Int64, extraHeaders: [(name: String, value: String)] = []
    ) {
        self.from = from
        self.to = to
        self.subject = subject
        self.html = html
        self.text = text
        self.messageID = messageID
        self.dateUnixSeconds = dateUnixSeconds
        self.extraHeaders = extraHeaders
    }

    /// Header names, in lower case, that no extra header may set.
    public static let fixedHeaders: Set<String> = [
        "from", "to", "cc", "bcc", "mime-version", "content-type", "content-transfer-encoding",
    ]
}

/// Where mails go out, and how the way there is protected.
public struct SMTPServer: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Which protection the connection has.
    public enum Security: Sendable, Equatable {
        /// TLS from the first byte (smtps).
        case implicitTLS
        /// STARTTLS, and nothing is sent without it.
        case startTLSRequired
        /// STARTTLS where the server offers it. A password is still never sent in the clear to another machine.
        case startTLSWhenOffered
        /// In the clear, also a password.
        case none

        /// What the reference does with a port: 465 is implicit TLS, any other STARTTLS when offered
        /// (supabase-config.md 3.8).
        public static func usual(forPort port: Int) -> Security {
            port == 465 ? .implicitTLS : .startTLSWhenOffered
        }
    }

    /// Host name or address.
    public var host: String
    /// Port, 1 to 65535.
    public var port: Int
    /// Protection of the connection.
    public var security: Security
    /// User name; with an empty one no authentication is tried.
    public var user: String
    /// Password of that user.
    public var password: String
    /// What EHLO says we are called; an empty one leaves it to the machine's name.
    public var heloName: String
    /// How long connecting may take.
    public var connectTimeout: Duration = .seconds(5)
    /// How long one mail may take from being handed over to the server's last reply.
    public var totalTimeout: Duration = .seconds(15)

    /// A server; without `security` the port decides.
    public init(
        host: String, port: Int, security: Security? = nil, user: String = "", password: String = "",
        heloName: String = ""
    ) {
        self.host = host
        self.port = port
        self.security = security ?? .usual(forPort: port)
        self.user = user
        self.password = password
        self.heloName = heloName
    }

    /// Host and port, nothing else.
    public var description: String { "SMTPServer(\(host):\(port))" }
    /// Host and port, nothing else.
    public var debugDescription: String { description }
    /// Host and port, nothing else.
    public var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }

    /// Whether the password must not travel without TLS, whatever the server offers.
    var needsTLSForPassword: Bool { !user.isEmpty && !isLoopback }

    private var isLoopback: Bool {
        host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.")
    }

    /// Refuses what must not reach the wire.
    func validate() throws(OutgoingError) {
        guard (1...65535).contains(port) else { throw OutgoingError(.invalid, "the SMTP port is out of range") }
        let isName = { (text: String) in
            text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
                    true
                default: ".-_:[]".utf8.contains(byte)
                }
            }
        }
        guard !host.isEmpty, isName(host), isName(heloName) else {
            throw OutgoingError(.invalid, "the SMTP host or HELO name is malformed")
        }
        guard isHeaderText(user), isHeaderText(password) else {
            throw OutgoingError(.invalid, "the SMTP user or password holds a control character")
        }
    }
}
