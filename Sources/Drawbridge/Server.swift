import Backend
import Bytes
import Crypto
import EventLoop
import Gateway
import HTTP1
import HTTPClient
import InProcessBackend
import Outgoing
import Settings
import Store
import Synchronization

/// Everything that runs while the program serves. Made, started and stopped by the main thread.
final class Server {
    private let listeners: [ServeCommand.Listener]
    private let loading: SettingsLoading
    private let main: MainThread
    private let folder: String
    private let keysFile: KeysFile
    private let madeKeys: Bool
    /// nil: rules and rows are another server's.
    private let own: Room.Own?
    private let outgoing: OutgoingClient?
    private let group: EventLoopGroup
    private let http: HTTPServer
    private let logBuffer: LogBuffer
    private let drain: DrainState
    private let rooms: [Room]
    private var unwritten: [UInt8] = []
    private var workers: [Task<Void, Never>] = []

    init(_ listeners: [ServeCommand.Listener], loading: SettingsLoading, main: MainThread) throws {
        self.listeners = listeners
        self.loading = loading
        self.main = main
        guard let first = listeners.first?.settings else { throw UsageError("there is nothing to listen on") }
        folder = first.dataFolder
        let random = SystemRandom()
        (keysFile, madeKeys) = try KeysFile.secret(folder, random: random)
        own = try first.remote == nil ? Self.own(first, folder, random) : nil
        group = try EventLoopGroup(count: first.loops ?? Process.cores)
        let needsOutside = listeners.contains {
            guard $0.settings.remote == nil else { return false }
            return $0.settings.mail.server != nil || !$0.settings.mail.templateURLs.isEmpty
                || $0.settings.leakedPasswords != nil
        }
        var limits = OutgoingClient.Limits()
        limits.trustedAuthoritiesFile = first.trustedAuthoritiesFile
        outgoing = needsOutside ? try OutgoingClient(limits: limits) : nil
        logBuffer = LogBuffer { [main] in main.wake() }
        drain = DrainState()
        let parts = Room.Parts(
            own: own, group: group, outgoing: outgoing, keysFile: keysFile, metrics: Metrics(), drain: drain,
            log: Self.accessLog(first, logBuffer), logger: Self.logger(logBuffer))
        var rooms: [Room] = []
        for (index, listener) in listeners.enumerated() {
            rooms.append(try Room(listener.settings, parts, isFirst: index == 0))
        }
        self.rooms = rooms
        var gateways = rooms.map(\.gateway)
        var configs = listeners.enumerated().map { Self.config($0.element.settings.listen, tag: $0.offset) }
        if let address = first.adminListen {
            configs.append(Self.config(address, tag: gateways.count))
            gateways.append(try Room.operationsOnly(rooms[0], parts))
        }
        http = HTTPServer(group: group, listeners: configs) { [gateways] loop, _, tag in
            GatewayHandler(gateways[tag], loop: loop, random: SystemRandom())
        }
        addGauges(parts.metrics)
    }

    private static func own(
        _ settings: ServerSettings, _ folder: String, _ random: SystemRandom
    ) throws -> Room.Own {
        let store: SQLiteStore
        do {
            store = try SQLiteStore(folder: folder)
        } catch let error as StoreOpeningError {
            throw UnavailableError(error.description)
        }
        let hasher = PasswordHasher(
            threads: max(1, Process.cores - 1), cost: settings.policy.bcryptCost, random: random)
        return Room.Own(store: store, hasher: hasher)
    }

    private static func config(_ address: ListenAddress, tag: Int) -> ListenerConfig {
        ListenerConfig(host: address.host.isEmpty ? "*" : address.host, port: address.port, tag: tag)
    }

    private func addGauges(_ metrics: Metrics) {
        metrics.add(.init("drawbridge_connections", help: "Open connections.") { [http] in http.connectionCount })
        if let own {
            metrics.add(
                .init("drawbridge_store_queue", help: "Transactions that wait.") { own.store.queueLength })
            metrics.add(
                .init("drawbridge_password_queue", help: "Passwords that wait for a hash.") { own.hasher.queueLength })
        } else {
            let clients = rooms.compactMap(\.client)
            metrics.add(
                .init("drawbridge_remote_connections", help: "Connections to the auth server behind this one.") {
                    clients.reduce(0) { $0 + $1.connectionCount }
                })
        }
        metrics.add(
            .init("drawbridge_log_dropped_lines", help: "Log lines that nobody took.") { [logBuffer] in
                logBuffer.dropped
            })
    }

    /// Binds and serves.
    func start() throws {
        do {
            try http.start()
        } catch {
            switch error {
            case .notAnAddress(let host):
                throw SettingsError(["--listen: \"\(host)\" is not an address of this machine"])
            case .addressInUse(let address): throw UnavailableError("\(address) is in use")
            case .system(let why): throw UnavailableError("cannot listen: \(why)")
            }
        }
        main.watch(folder: folder)
        if let own { startWorkers(own) }
    }

    private func startWorkers(_ own: Room.Own) {
        let loop = group.loops[0]
        let clock = EventLoopClock(loop: loop)
        for desk in rooms.compactMap(\.desk) {
            let worker = OutboxWorker(desk, store: own.store, wallClock: SystemClock(), clock: clock)
            workers.append(Task(executorPreference: loop) { await worker.run() })
        }
        let cleanUp = CleanUp(
            policy: rooms[0].settings.policy, store: own.store, wallClock: SystemClock(), clock: clock,
            logger: Self.logger(logBuffer))
        workers.append(Task(executorPreference: loop) { await cleanUp.run() })
    }

    /// Takes API keys over that were made or revoked meanwhile, and those of changed env files.
    func reload() {
        do {
            let file = try KeysFile.read(folder)
            for (listener, room) in zip(listeners, rooms) {
                let judged = try loading.judged(listenerFile: listener.envFile)
                let settings = try SettingsReader(judged).settings(listen: listener.flag)
                room.takeKeys(of: settings, file)
            }
            Terminal.error("drawbridge: API keys were read again\n")
        } catch let error as SettingsError {
            for fault in error.faults { Terminal.error("drawbridge: not taken over: \(fault)\n") }
        } catch {
            Terminal.error("drawbridge: API keys stay as they were: \(error)\n")
        }
    }

    /// From now on `/readyz` answers 503.
    func beginDrain() { drain.begin() }

    /// How far back a question for `/readyz` shows that somebody still asks; probes come every 10 s or oftener.
    private static let probePeriod: Duration = .seconds(30)

    /// Goes on serving for the delay that is set, so that who asks `/readyz` can lead clients elsewhere before
    /// connections are refused. Nobody asks: returns at once. Source: gateway.md 10.
    func serveUntilUnwanted() {
        let begin = LoopClock.now()
        let period = Self.probePeriod.loopNanoseconds
        guard drain.wasAsked(since: begin > period ? begin &- period : 0) else { return }
        let end = begin &+ listeners[0].settings.stopDelay.loopNanoseconds
        while true {
            let now = LoopClock.now()
            guard now < end else { return }
            let left = (end &- now) / 1_000_000
            let isWriting = writeLog()
            _ = main.wait(milliseconds: isWriting ? 50 : Int32(clamping: left &+ 1))
        }
    }

    /// Finishes open requests, closes the store and writes the last log lines.
    func stop(grace: Duration) {
        http.shutdown(grace: grace)
        let done = Flag()
        let ending = workers
        for client in rooms.compactMap(\.client) { client.shutDown() }
        Task { [own, outgoing, main] in
            for worker in ending {
                worker.cancel()
                await worker.value
            }
            await outgoing?.shutDown(within: .seconds(2))
            await own?.store.close()
            done.set()
            main.wake()
        }
        while !done.isSet { _ = main.wait(milliseconds: 1000) }
        group.shutdown()
        own?.hasher.stop()
        Terminal.write(unwritten + logBuffer.take(), to: 1)
    }

    // MARK: Logs

    /// Writes what waits without blocking. True when something is left.
    func writeLog() -> Bool {
        if unwritten.isEmpty { unwritten = logBuffer.take() }
        guard !unwritten.isEmpty else { return false }
        unwritten = Array(Terminal.writeWithoutWaiting(unwritten[...], to: 1))
        return !unwritten.isEmpty
    }

    private static func accessLog(_ settings: ServerSettings, _ buffer: LogBuffer) -> AccessLog? {
        switch settings.log ?? (Terminal.isTerminal ? .text : .json) {
        case .off: nil
        case .text: AccessLog(.text, buffer: buffer, clock: SystemClock())
        case .json: AccessLog(.json, buffer: buffer, clock: SystemClock())
        }
    }

    /// Told by the rules what went wrong; goes the way of the access log.
    private static func logger(_ buffer: LogBuffer) -> @Sendable (String) -> Void {
        { buffer.append(Array("drawbridge: \($0)\n".utf8)) }
    }

    // MARK: The greeting

    /// What the program prints when it serves. Keys are shown when they are of the folder's own secret; keys that
    /// somebody set are known to them, and stay out of logs.
    var greeting: String {
        let settings = listeners[0].settings
        var address = settings.listen
        if address.port == 0, let bound = http.addresses.first { address.port = bound.port }
        let url = address.url
        var text = "Drawbridge \(Drawbridge.version)\n\n  URL          \(url)\n"
        for other in listeners.dropFirst() { text += "               \(other.settings.listen.url)\n" }
        var shown = "<the anon key>"
        if settings.tokens.secret == nil, let secret = keysFile.secret,
            let anon = try? MadeKeys.token(role: .anonymous, secret: secret),
            let service = try? MadeKeys.token(role: .service, secret: secret)
        {
            shown = anon
            text += "  anon key     \(anon)\n  service key  \(service)\n"
        } else {
            text += "  keys         those of the JWT secret that is set (drawbridge keys list --reveal)\n"
        }
        if rooms[0].gateway.options.inbox != .never { text += "  inbox        \(url)/inbox\n" }
        if let remote = settings.remote { text += "  backend      \(remote.url)\n" }
        text += "  data         \(folder)\(madeKeys ? " (made now)" : "")\n"
        return text + """

            Paste into an app (the service key is for servers only):

              import { createClient } from "@supabase/supabase-js"
              const supabase = createClient("\(url)", "\(shown)")


            """
    }
}

/// Set once by one task, read by the main thread.
private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    func set() { value.store(true, ordering: .releasing) }
    var isSet: Bool { value.load(ordering: .acquiring) }
}

/// A clock whose sleepers wait in a loop's own timers; for tasks that prefer that loop.
struct EventLoopClock: Clock {
    let loop: EventLoop
    var now: ContinuousClock.Instant { ContinuousClock.now }
    var minimumResolution: Duration { .milliseconds(1) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let rest = deadline - now
        if rest > .zero { await loop.sleep(for: rest) }
        try Task.checkCancellation()
    }
}
