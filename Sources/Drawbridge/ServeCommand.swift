import Bytes
import EventLoop
import HTTP1
import Settings
import Store

/// `drawbridge serve`: puts the parts together, serves until a signal ends it, and finishes what is open.
enum ServeCommand {
    /// How long open requests may take after the first signal. Source: gateway.md 10.
    static let grace: Duration = .seconds(30)

    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        var arguments = arguments
        let listens = try arguments.values("--listen")
        let loading = try SettingsLoading(
            &arguments, flags: [("--data", "DRAWBRIDGE_DATA"), ("--loops", "DRAWBRIDGE_LOOPS")])
        try arguments.finish()
        let judged = try loading.judged()
        let listeners = try listeners(listens, loading, judged)
        // Before the first thread, so that signals come to this one alone.
        let main = MainThread()
        Process.raiseDescriptorLimit()
        SettingsLoading.warn(judged)
        let server = try Server(listeners, loading: loading, main: main)
        try server.start()
        Terminal.out(server.greeting)
        let isByHand = serve(server, main)
        main.letSignalsKill()
        server.beginDrain()
        if !isByHand { server.serveUntilUnwanted() }
        server.stop(grace: grace)
        return .ok
    }

    /// One listener: its settings, and the env file that they are read from again.
    struct Listener: Sendable {
        let settings: ServerSettings
        let envFile: String?
        let flag: ListenAddress?
    }

    /// What `--listen` names, or the one listener of the settings.
    private static func listeners(
        _ listens: [String], _ loading: SettingsLoading, _ judged: JudgedSettings
    ) throws -> [Listener] {
        guard !listens.isEmpty else {
            return [Listener(settings: try SettingsReader(judged).settings(), envFile: nil, flag: nil)]
        }
        return try listens.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let address = ListenAddress(String(parts[0])) else {
                throw SettingsError(["--listen: \"\(parts[0])\" is not an address such as 127.0.0.1:8000"])
            }
            let file = parts.count == 2 ? String(parts[1]) : nil
            let own = try file.map { try loading.judged(listenerFile: $0) } ?? judged
            return Listener(
                settings: try SettingsReader(own).settings(listen: address), envFile: file, flag: address)
        }
    }

    /// Waits for signals, takes new keys over and writes log lines, until a signal says stop.
    /// - Returns: whether a person did, with Control-C.
    private static func serve(_ server: Server, _ main: MainThread) -> Bool {
        while true {
            let isWriting = server.writeLog()
            switch main.wait(milliseconds: isWriting ? 50 : -1) {
            case .stop(let isByHand): return isByHand
            case .reload: server.reload()
            case .woken, .timedOut: break
            }
        }
    }
}
