import Backend
import Bytes
import Crypto
import JSON
import Store
import Synchronization
import TestKit
import Testing

@testable import InProcessBackend

/// Keeps mails in a list; refuses them when told so.
final class FakeMailer: Mailer {
    private struct State {
        var mails: [RenderedMail] = []
        var refusal: MailError?
    }

    private let state = Mutex(State())

    func deliver(_ mail: RenderedMail) async throws(MailError) {
        let refusal = state.withLock { state in
            if state.refusal == nil { state.mails.append(mail) }
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    func refuse(_ error: MailError?) { state.withLock { $0.refusal = error } }

    /// Everything delivered so far, oldest first.
    var mails: [RenderedMail] { state.withLock { $0.mails } }

    /// Takes the oldest mail to the address out of the list.
    func take(_ recipient: String) -> RenderedMail? {
        state.withLock { state in
            guard let index = state.mails.firstIndex(where: { $0.recipient == recipient }) else { return nil }
            return state.mails.remove(at: index)
        }
    }
}

/// Keeps text messages in a list.
final class FakeMessageSender: MessageSender {
    private let sent = Mutex<[TextMessage]>([])

    func send(_ message: TextMessage) async throws(MailError) -> String {
        sent.withLock { $0.append(message) }
        return "1"
    }

    var last: TextMessage? { sent.withLock { $0.last } }
}

/// A backend with a mail desk over a store of its own.
struct MailWorld: Sendable {
    static let secret = "a-secret-of-thirty-two-characters-or-more"
    static let challenge = String(repeating: "c", count: 43)

    let clock: ManualClock
    let store: any AuthStore
    let mailer = FakeMailer()
    let messages = FakeMessageSender()
    let desk: MailDesk
    let backend: InProcessBackend
    let visitor = RequestContext(requestID: "test")

    init(_ store: any AuthStore, _ policy: Policy, _ configuration: MailConfiguration = MailConfiguration()) throws {
        self.store = store
        clock = ManualClock()
        desk = MailDesk(configuration, policy: policy, mailer: mailer, templates: nil, clock: clock)
        let random = SystemRandom()
        backend = InProcessBackend(
            policy: policy,
            InProcessBackend.Dependencies(
                store: store, clock: clock, random: random,
                passwords: PasswordHasher(threads: 1, queueMax: 64, cost: 4, random: random),
                tokens: try AccessTokenKeys(secret: Self.secret), mail: desk, messages: messages))
    }

    /// Runs the body in a world that is cleared away after it.
    static func use(
        _ base: Policy = .supabase, _ change: (inout Policy) -> Void = { _ in },
        _ body: @Sendable (MailWorld) async throws -> Void
    ) async throws {
        var policy = base
        policy.bcryptCost = 4
        policy.isPhoneEnabled = true
        policy.areAnonymousSignInsEnabled = true
        policy.siteURL = "https://app.example.com"
        policy.emailSendInterval = .milliseconds(1)
        policy.emailLimit = .unlimited
        change(&policy)
        try await TemporaryStore.use { store in
            try await body(MailWorld(store, policy))
        }
    }

    func signUp(
        _ email: String = "alice@example.com", password: String = "correct-horse-1", _ data: JSONObject? = nil,
        challenge: String? = nil
    ) async throws(AuthError) -> SignUpOutcome {
        var signUp = SignUp()
        signUp.email = email
        signUp.password = Password(password)
        signUp.userMetadata = data
        if let challenge { signUp.pkce = PKCEChallenge(challenge: challenge, method: "plain") }
        clock.advance(by: .milliseconds(2))
        return try await backend.signUp(signUp, visitor)
    }

    /// Signs up and confirms by the mailed code.
    func member(_ email: String = "alice@example.com", _ data: JSONObject? = nil) async throws -> Session {
        _ = try await signUp(email, data)
        try await deliver()
        let outcome = try await verify("signup", code(email), email)
        return try #require(outcome.session)
    }

    /// Empties the outbox into the mailer.
    func deliver() async throws {
        let worker = OutboxWorker(desk, store: store, wallClock: clock, clock: ContinuousClock())
        while try await worker.deliverDue() > 0 {}
    }

    func code(_ recipient: String) throws -> String {
        let mail = try #require(mailer.take(recipient))
        return try #require(mail.code)
    }

    func verify(_ type: String, _ code: String, _ email: String) async throws(AuthError) -> VerificationOutcome {
        var verification = Verification(type: type)
        verification.code = OneTimeCode(code)
        verification.email = email
        return try await backend.verify(verification, visitor)
    }

    func open(_ mail: RenderedMail?, as type: String? = nil) async throws -> LinkOutcome {
        let link = try #require(mail?.link)
        let query = try #require(link.split(separator: "?").last.flatMap { FormFields(parsing: String($0)) })
        let token = try #require(query["token"])
        return try await backend.openLink(
            LinkVerification(type: type ?? (query["type"] ?? ""), token: RawToken(token)), visitor)
    }

    func signIn(_ email: String, _ password: String) async throws(AuthError) -> Session {
        try await backend.signIn(PasswordSignIn(email: email, phone: nil, password: Password(password)), visitor)
    }

    func principal(_ session: Session) async throws(AuthError) -> Principal {
        var context = visitor
        context.bearer = session.accessToken
        return try await backend.authenticate(context, as: .user)
    }

    @discardableResult
    func update(_ session: Session, _ change: (inout UpdateUser) -> Void) async throws(AuthError) -> User {
        var update = UpdateUser()
        change(&update)
        clock.advance(by: .milliseconds(2))
        return try await backend.update(update, try await principal(session), visitor)
    }

    func user(_ session: Session) async throws(AuthError) -> User {
        try await backend.user(try await principal(session), visitor)
    }
}

extension VerificationOutcome {
    var session: Session? { if case .signedIn(let session) = self { session } else { nil } }
}

extension SignUpOutcome {
    var session: Session? { if case .signedIn(let session) = self { session } else { nil } }
    var pending: User? { if case .awaitsConfirmation(let user) = self { user } else { nil } }
}

/// The reason with which the body fails; nil when it does not.
func refusal<Value>(_ body: () async throws -> Value) async -> AuthError.Reason? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? AuthError)?.reason ?? .unexpected
    }
}
