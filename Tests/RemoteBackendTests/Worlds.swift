import Backend
import Bytes
import Compat
import Crypto
import EventLoop
import Gateway
import HTTP1
import HTTPClient
import JSON
import Store
import Synchronization
import TestKit

@testable import InProcessBackend
@testable import RemoteBackend

/// Keeps mails in a list.
private final class ListMailer: Mailer {
    private let kept = Mutex<[RenderedMail]>([])

    func deliver(_ mail: RenderedMail) async throws(MailError) { kept.withLock { $0.append(mail) } }

    func take(_ recipient: String) -> RenderedMail? {
        kept.withLock { mails in
            mails.firstIndex { $0.recipient == recipient }.map { mails.remove(at: $0) }
        }
    }
}

/// The rules in this process, on an embedded store of its own.
struct OwnWorld: ContractWorld {
    static let secret = "a-secret-of-thirty-two-characters-or-more"

    let clock = ManualClock()
    let rules: InProcessBackend
    let serviceToken: RawToken
    private let mailer = ListMailer()

    var backend: any AuthBackend { rules }

    init(_ store: any AuthStore, _ change: (inout Policy) -> Void) throws {
        var policy = Policy.supabase
        policy.bcryptCost = 4
        policy.siteURL = "https://app.example.com"
        policy.emailSendInterval = .milliseconds(1)
        policy.emailLimit = .unlimited
        change(&policy)
        let desk = MailDesk(MailConfiguration(), policy: policy, mailer: mailer, templates: nil, clock: clock)
        let random = SystemRandom()
        rules = InProcessBackend(
            policy: policy,
            InProcessBackend.Dependencies(
                store: store, clock: clock, random: random,
                passwords: PasswordHasher(threads: 1, queueMax: 64, cost: 4, random: random),
                tokens: try AccessTokenKeys(secret: Self.secret), mail: desk))
        serviceToken = RawToken(
            try JWTSigner(SigningKey(secret: Self.secret)).sign(["role": "service_role", "iss": "test"]))
    }

    func takeMail(to address: String) async -> ContractMail? {
        guard let mail = mailer.take(address) else { return nil }
        return ContractMail(code: mail.code ?? "", link: mail.link ?? "")
    }
}

/// The same rules behind a gateway in this process, asked over a connection.
struct RemoteWorld: ContractWorld {
    let own: OwnWorld
    let remote: RemoteBackend
    private let group: EventLoopGroup
    private let server: HTTPServer

    var backend: any AuthBackend { remote }
    var clock: ManualClock { own.clock }
    var serviceToken: RawToken { own.serviceToken }

    init(_ own: OwnWorld) throws {
        self.own = own
        group = try EventLoopGroup(count: 2)
        let api = SupabaseAPI(backend: own.rules, options: .supabase, limiter: NoRateLimits())
        let gateway = Gateway(
            options: GatewayOptions(), api: api, keys: KeyRing([], verifier: nil), clock: own.clock,
            shown: Gateway.Shown(metrics: Metrics(), drain: DrainState()))
        server = HTTPServer(group: group, listeners: [ListenerConfig(host: "127.0.0.1", port: 0)]) { loop, _, _ in
            GatewayHandler(gateway, loop: loop, random: SystemRandom())
        }
        try server.start()
        let port = server.addresses.first?.port ?? 0
        guard let origin = Origin("http://127.0.0.1:\(port)") else { throw SystemError("origin", 22) }
        remote = RemoteWorld.backend(try HTTPClient(origin: origin, loops: group.loops), clock: own.clock)
    }

    static func backend(
        _ client: HTTPClient, clock: any WallClock = SystemClock(),
        _ change: (inout RemoteBackend.Configuration) -> Void = { _ in }
    ) -> RemoteBackend {
        var configuration = RemoteBackend.Configuration()
        configuration.reasonOf = { KnownErrors.reason(status: $0, code: $1, message: $2) }
        change(&configuration)
        return RemoteBackend(client: client, configuration: configuration, clock: clock, random: SeededRandom())
    }

    func takeMail(to address: String) async -> ContractMail? { await own.takeMail(to: address) }

    func stop() {
        server.shutdown(grace: .seconds(1))
        group.shutdown()
    }
}
