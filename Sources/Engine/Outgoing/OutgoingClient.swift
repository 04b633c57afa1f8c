/// Makes web calls and hands mails to SMTP servers, all on one thread of its own with libcurl.
///
/// Calls may come from any task; each is resumed on its own executor. Web calls and mails wait in separate queues, so
/// that a mail server that hangs cannot keep hooks from being asked.
public final class OutgoingClient: Sendable {
    /// How much may be under way and waiting at once.
    public struct Limits: Sendable {
        /// Web calls under way at once.
        public var webInFlightMax = 64
        /// Mails under way at once, each on a connection of its own.
        public var mailInFlightMax = 16
        /// Web calls waiting; further ones are refused with `.overloaded`.
        public var webQueueMax = 1024
        /// Mails waiting; further ones are refused with `.overloaded`.
        public var mailQueueMax = 1024
        /// A PEM file with the authorities to trust instead of the system's.
        public var trustedAuthoritiesFile: String?

        /// The defaults.
        public init() {}
    }

    private let queue: OutgoingQueue

    /// Starts the thread.
    ///
    /// - Throws: `.failed` where the system gives no thread.
    public init(limits: Limits = Limits()) throws(OutgoingError) {
        queue = OutgoingQueue(limits: limits)
        try startCurlThread(queue: queue)
    }

    deinit {
        queue.beginShutDown(grace: .zero)
    }

    /// Makes one call and returns the answer, whatever its status.
    ///
    /// - Throws: `.invalid`, `.refused`, `.timedOut`, `.tls`, `.dns`, `.closed`, `.tooLarge`, `.tooManyRedirects`,
    ///   `.cancelled`, `.overloaded`, `.shutDown`, `.failed`.
    public func send(_ request: WebRequest) async throws(OutgoingError) -> WebResponse {
        try request.validate()
        return try await queue.run(.web(request), within: request.totalTimeout).get()
    }

    /// Hands one mail to the server; returns once the server has taken it on (250 after the data).
    ///
    /// - Throws: as `send`, and `.mailReply` with the server's code where it refused.
    public func deliver(_ mail: MailMessage, via server: SMTPServer) async throws(OutgoingError) {
        try server.validate()
        let order = MailOrder(
            server: server, sender: mail.from.address, recipient: mail.to.address, message: try mail.encoded())
        _ = try await queue.run(.mail(order), within: server.totalTimeout).get()
    }

    /// Takes no more calls, lets those that were taken finish for at most `grace`, then ends the thread.
    ///
    /// What is not finished by then fails with `.shutDown`. May be called more than once.
    public func shutDown(within grace: Duration) async {
        queue.beginShutDown(grace: grace)
        await queue.ended()
    }
}

/// A mail that is ready to go.
struct MailOrder: Sendable {
    let server: SMTPServer
    let sender: String
    let recipient: String
    let message: [UInt8]
}
