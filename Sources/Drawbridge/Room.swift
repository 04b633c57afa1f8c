import Backend
import Bytes
import Compat
import Crypto
import EventLoop
import Gateway
import HTTPClient
import InProcessBackend
import Outgoing
import RemoteBackend
import Settings
import Store

/// One listener's rules, keys and gateway, over the store that all share.
struct Room {
    /// What the listeners of a process share.
    struct Parts {
        /// nil: the rules and rows are another server's.
        let own: Own?
        let group: EventLoopGroup
        let outgoing: OutgoingClient?
        let keysFile: KeysFile
        let metrics: Metrics
        let drain: DrainState
        let log: AccessLog?
        let logger: @Sendable (String) -> Void
    }

    /// What the rules need that this process keeps itself.
    struct Own {
        let store: SQLiteStore
        let hasher: PasswordHasher
    }

    let settings: ServerSettings
    let gateway: Gateway
    /// nil: mail is the remote server's.
    let desk: MailDesk?
    /// nil: there is no remote server.
    let client: HTTPClient?
    private let ring: KeyRing
    private let verifier: JWTVerifier
    private let probe: any ReadinessProbe

    init(_ settings: ServerSettings, _ parts: Parts, isFirst: Bool) throws {
        self.settings = settings
        let keys = try TokenKeys(settings.tokens, folderSecret: parts.keysFile.secret ?? RawToken(""))
        verifier = keys.apiKeys
        ring = KeyRing(Self.entries(settings, parts.keysFile), verifier: keys.apiKeys)
        let backend: any AuthBackend
        let probe: any ReadinessProbe
        if let own = parts.own {
            let desk = try Self.desk(settings, parts, own)
            backend = Self.ownBackend(settings, own, keys.access, desk, parts.outgoing)
            probe = StoreProbe(store: own.store)
            self.desk = desk
            client = nil
        } else {
            let (remote, client) = try Self.remoteBackend(settings, parts)
            backend = remote
            probe = RemoteProbe(backend: remote)
            desk = nil
            self.client = client
        }
        let api = SupabaseAPI(
            backend: backend, options: Self.compatOptions(settings), limiter: Self.limiter(settings.rateLimits))
        var options = Self.gatewayOptions(settings)
        if settings.adminListen == nil, isFirst { options.operations = .loopbackCallers }
        gateway = Gateway(
            options: options, api: api, keys: ring, clock: SystemClock(), shown: Self.shown(parts, options, probe))
        self.probe = probe
    }

    private static func ownBackend(
        _ settings: ServerSettings, _ own: Own, _ tokens: AccessTokenKeys, _ desk: MailDesk,
        _ outgoing: OutgoingClient?
    ) -> InProcessBackend {
        var dependencies = InProcessBackend.Dependencies(
            store: own.store, clock: SystemClock(), random: SystemRandom(), passwords: own.hasher, tokens: tokens,
            mail: desk)
        dependencies.messages = messages(settings, own)
        dependencies.publicSettings = publicSettings(settings)
        if let leaked = settings.leakedPasswords, let outgoing {
            dependencies.leakedPasswords = LeakedPasswordRange(
                outgoing, url: leaked.url ?? LeakedPasswordRange.publicURL, userAgent: leaked.userAgent)
        }
        return InProcessBackend(policy: settings.policy, dependencies)
    }

    private static func remoteBackend(
        _ settings: ServerSettings, _ parts: Parts
    ) throws -> (RemoteBackend, HTTPClient) {
        guard let remote = settings.remote, let origin = Origin(remote.url) else {
            throw SettingsError(["DRAWBRIDGE_REMOTE_URL: is not the URL of a server, such as http://127.0.0.1:9999"])
        }
        let client: HTTPClient
        do {
            var options = HTTPClientOptions()
            options.trustedAuthoritiesFile = settings.trustedAuthoritiesFile
            client = try HTTPClient(origin: origin, loops: parts.group.loops, options: options)
        } catch {
            throw SettingsError(["DRAWBRIDGE_REMOTE_URL: TLS cannot be used: \(error)"])
        }
        var configuration = RemoteBackend.Configuration()
        configuration.anonymousKey = remote.anonymousKey
        configuration.serviceKey = remote.serviceKey
        configuration.reasonOf = { KnownErrors.reason(status: $0, code: $1, message: $2) }
        configuration.logger = parts.logger
        let backend = RemoteBackend(
            client: client, configuration: configuration, clock: SystemClock(), random: SystemRandom())
        return (backend, client)
    }

    /// The gateway of a listener for `/healthz`, `/readyz` and `/metrics` alone.
    static func operationsOnly(_ room: Room, _ parts: Parts) throws -> Gateway {
        var options = gatewayOptions(room.settings)
        options.operations = .only
        options.inbox = .never
        return Gateway(
            options: options, api: room.gateway.api, keys: room.ring, clock: SystemClock(),
            shown: shown(parts, options, room.probe))
    }

    /// Takes over API keys from now on.
    func takeKeys(of settings: ServerSettings, _ file: KeysFile) {
        ring.replace(Self.entries(settings, file), verifier: verifier)
    }

    private static func entries(_ settings: ServerSettings, _ file: KeysFile) -> [KeyRing.Entry] {
        settings.keys.anonymous.map { KeyRing.Entry($0.exposed, role: .anonymous, id: "anon") }
            + settings.keys.service.map { KeyRing.Entry($0.exposed, role: .service, id: "service_role") }
            + file.keys.map { KeyRing.Entry(digest: $0.digest, role: $0.role, id: $0.name, expiry: $0.expiresAt) }
    }

    private static func shown(
        _ parts: Parts, _ options: GatewayOptions, _ probe: any ReadinessProbe
    ) -> Gateway.Shown {
        var shown = Gateway.Shown(metrics: parts.metrics, drain: parts.drain)
        shown.log = parts.log
        shown.readiness = probe
        if options.inbox != .never, let own = parts.own { shown.inbox = StoredInbox(store: own.store) }
        return shown
    }

    // MARK: From settings to options

    private static func publicSettings(_ settings: ServerSettings) -> PublicSettings {
        PublicSettings(
            enabledProviders: settings.enabledProviders, isSignUpDisabled: settings.policy.isSignUpDisabled,
            autoconfirmsEmail: settings.policy.autoconfirmsEmail, autoconfirmsPhone: settings.policy.autoconfirmsPhone,
            smsProvider: settings.smsProvider, isSAMLEnabled: settings.isSAMLEnabled,
            arePasskeysEnabled: settings.arePasskeysEnabled)
    }

    private static func compatOptions(_ settings: ServerSettings) -> CompatOptions {
        var options = settings.isSupabasePolicy ? CompatOptions.supabase : CompatOptions.sovaria
        options.addsErrorDetail = settings.errorsHaveDetail
        options.version = Drawbridge.version
        if let limit = settings.requestDurationMax { options.requestTimeout = limit }
        return options
    }

    private static func gatewayOptions(_ settings: ServerSettings) -> GatewayOptions {
        var options = GatewayOptions()
        options.hasBarePaths = settings.hasBarePaths
        let headers = settings.cors.furtherHeaders
        options.cors = settings.cors.allowsEveryHeader ? CORSPolicy(allowing: headers) : .reference(allowing: headers)
        options.trustedProxies = settings.trustedProxies
        options.requestIDHeader = settings.requestIDHeader
        options.rateLimitHeader = settings.rateLimits.header
        options.limitsByPeer = settings.rateLimits.byPeer
        options.trustsForwardedFor = settings.rateLimits.trustsForwardedFor
        options.addsNoStore = !settings.isSupabasePolicy
        options.requestTimeout = settings.requestDurationMax
        options.upstreams = Set(settings.upstreams.keys.compactMap { UpstreamRoute(rawValue: $0.rawValue) })
        options.inbox = inboxAccess(settings)
        return options
    }

    /// Source: interface.md, addresses.
    private static func inboxAccess(_ settings: ServerSettings) -> InboxAccess {
        guard settings.remote == nil else { return .never }
        return switch settings.inbox {
        case .off: .never
        case .on: settings.listen.isLoopback ? .loopback : .anyone
        case .automatic: settings.listen.isLoopback && keepsMessages(settings) ? .loopback : .never
        }
    }

    /// Whether there is mail, or a text message, that nobody else takes.
    private static func keepsMessages(_ settings: ServerSettings) -> Bool {
        if settings.mail.server == nil { return true }
        return settings.policy.isPhoneEnabled && settings.smsProvider.isEmpty && !settings.hasSMSHook
    }

    /// Source: supabase-admin.md 16.
    private static func limiter(_ settings: RateLimitSettings) -> any RateLimiting {
        guard settings.header != nil || settings.byPeer || settings.trustsForwardedFor else { return NoRateLimits() }
        func fiveMinutes(_ count: Double) -> RateLimit { RateLimit(count: count, period: .seconds(300), burst: 30) }
        let otp = fiveMinutes(settings.otp)
        let anonymous = settings.anonymousUsers
        return RateBuckets(
            [
                .signUp: otp, .otp: otp, .magicLink: otp, .recover: otp, .resend: otp, .updateUser: otp,
                .token: fiveMinutes(settings.tokenRefresh), .web3: fiveMinutes(settings.web3),
                .verify: fiveMinutes(settings.verify),
                .anonymousSignIn: RateLimit(
                    count: anonymous, period: .seconds(3600), burst: anonymous.rounded(.down)),
            ], now: { LoopClock.now() })
    }

    // MARK: Mail

    /// Without a provider text messages stay in the inbox, where somebody at this machine can read them; elsewhere they
    /// are refused. Source: interface.md, addresses.
    private static func messages(_ settings: ServerSettings, _ own: Own) -> (any MessageSender)? {
        guard settings.smsProvider.isEmpty, settings.listen.isLoopback || settings.inbox == .on else { return nil }
        return InboxMessageSender(mailConfiguration(settings), store: own.store, clock: SystemClock())
    }

    private static func desk(_ settings: ServerSettings, _ parts: Parts, _ own: Own) throws -> MailDesk {
        let configuration = mailConfiguration(settings)
        let clock = SystemClock()
        let inbox = InboxMailer(configuration, store: own.store, clock: clock)
        var mailer: any Mailer = inbox
        if let server = configuration.server, let outgoing = parts.outgoing {
            do {
                mailer = try SMTPMailer(
                    configuration, server: server, client: outgoing, clock: clock, random: SystemRandom())
            } catch {
                throw SettingsError(["GOTRUE_SMTP_ADMIN_EMAIL: the sender cannot be used: \(error)"])
            }
            if configuration.keepsCopies { mailer = CopyingMailer(mailer, copiesTo: inbox) }
        }
        return MailDesk(
            configuration, policy: settings.policy, mailer: mailer,
            templates: parts.outgoing.map { WebTemplateFetcher($0) }, clock: clock, logger: parts.logger)
    }

    private static func mailConfiguration(_ settings: ServerSettings) -> MailConfiguration {
        var configuration = MailConfiguration()
        let mail = settings.mail
        if let server = mail.server {
            configuration.server = SMTPServer(
                host: server.host, port: Int(server.port), user: server.user, password: server.password.exposed)
            configuration.senderName = mail.senderName
        }
        configuration.senderAddress = mail.fromAddress
        for kind in MailKind.allCases {
            configuration.subjects[kind] = mail.subjects[kind.rawValue]
            configuration.templateURLs[kind] = mail.templateURLs[kind.rawValue]
        }
        configuration.templateBytesMax = mail.templateBytesMax
        configuration.templateLifetime = mail.templateAgeMax
        configuration.templateRetryInterval = mail.templateRetryInterval
        configuration.keepsCopies = settings.inbox == .on
        return configuration
    }
}

/// The store's inbox, as the gateway shows it.
private struct StoredInbox: InboxSource {
    let store: SQLiteStore

    func messages(to recipient: String?, limit: Int) async throws -> [InboxMessage] {
        try await store.reader.inbox(to: recipient?.lowercased(), limit: limit).map { row in
            InboxMessage(
                id: row.id, channel: row.channel, to: row.recipient, from: row.sender, subject: row.subject,
                html: row.html, text: row.text, code: row.code, link: row.link, createdAt: row.createdAt)
        }
    }
}

/// Ready when the store can be written and read.
private struct StoreProbe: ReadinessProbe {
    let store: SQLiteStore

    func fault() async -> String? {
        do {
            try await store.probe()
            return nil
        } catch {
            return "store"
        }
    }
}

/// Ready when the server behind this one answers.
private struct RemoteProbe: ReadinessProbe {
    let backend: RemoteBackend

    func fault() async -> String? {
        await backend.isReachable() ? nil : "remote"
    }
}
