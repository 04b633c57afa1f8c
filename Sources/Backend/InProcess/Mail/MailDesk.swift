public import Backend
public import Bytes
import Synchronization

/// Everything that sending mails needs, and the whole server's limit on them. One for each set of settings.
public final class MailDesk: Sendable {
    let configuration: MailConfiguration
    let mailer: any Mailer
    let renderer: MailRenderer
    let logger: @Sendable (String) -> Void
    /// Told when a transaction put something into the outbox.
    let outboxSignal = WakeSignal()
    private let budget: Mutex<SendBudget>
    private let clock: any WallClock
    private let authorizedAddresses: Set<String>
    private let autoconfirmsEmail: Bool

    /// - Parameters:
    ///   - mailer: takes the finished mails over.
    ///   - templates: fetches bodies of the operator's own; nil uses the built-in ones.
    ///   - logger: told what went wrong, without addresses and codes.
    public init(
        _ configuration: MailConfiguration, policy: Policy, mailer: any Mailer, templates: (any TemplateFetcher)?,
        clock: any WallClock, logger: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.mailer = mailer
        self.logger = logger
        self.clock = clock
        let source = TemplateSource(
            configuration, siteURL: policy.siteURL, fetcher: templates, clock: clock, logger: logger)
        renderer = MailRenderer(configuration, source: source, logger: logger)
        budget = Mutex(SendBudget(policy.emailLimit))
        authorizedAddresses = Set(policy.authorizedAddresses.map { $0.lowercased() })
        autoconfirmsEmail = policy.autoconfirmsEmail
    }

    /// Judges whether a mail may leave at all, and takes it out of the server's budget. Source: supabase-admin.md 13.2.
    /// - Throws: `emailNotAuthorized`, `emailSendLimit`.
    func admit(_ draft: MailDraft) throws(AuthError) {
        guard isAuthorized(draft.recipient) else { throw AuthError(.emailNotAuthorized, draft.recipient) }
        guard !draft.kind.isNotice else { return }
        let now = clock.now()
        let skips = autoconfirmsEmail
        let isAdmitted = budget.withLock { budget in
            if skips { return !budget.isClosed }
            return budget.take(at: now)
        }
        guard isAdmitted else { throw AuthError(.emailSendLimit) }
    }

    /// Renders and delivers now.
    /// - Throws: `mailNotDelivered` with the kind's name.
    func deliver(_ draft: MailDraft) async throws(AuthError) {
        let mail = await renderer.render(draft)
        do {
            try await mailer.deliver(mail)
        } catch {
            logger("mail \(draft.kind.rawValue) was not delivered: \(error)")
            throw AuthError(.mailNotDelivered, draft.kind.errorName, detail: "\(error)")
        }
    }

    /// A label (`+…`) of the address is left out of the comparison. Source: supabase-core.md 9.1.
    private func isAuthorized(_ address: String) -> Bool {
        guard !authorizedAddresses.isEmpty else { return true }
        let lower = address.lowercased()
        return authorizedAddresses.contains(lower) || authorizedAddresses.contains(Self.withoutLabel(lower))
    }

    private static func withoutLabel(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@"), let plus = address[..<at].firstIndex(of: "+") else { return address }
        return String(address[..<plus]) + String(address[at...])
    }
}
