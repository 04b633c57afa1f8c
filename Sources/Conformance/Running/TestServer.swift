/// A server that runs already, at a URL.
final class RunningServer: ServerUnderTest {
    let base: String
    let restart: (() throws(SocketFailure) -> Void)? = nil
    let runSQL: ((String) throws(SocketFailure) -> Void)? = nil
    let moveClock: ((Double) throws(SocketFailure) -> Void)? = nil

    init(url: String) {
        var base = url
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
    }
}

/// How servers are started for a run.
struct LaunchPlan: Sendable {
    /// A shell command; it gets its settings, `PORT` and a folder for its data in the environment.
    var command: String
    /// The environment to start from.
    var environment: [String: String]
    /// In front of `/health`, which says when the server is ready.
    var prefix: String
    /// The library that moves the server's clock.
    var faketime: String?
    /// A shell command that runs the SQL on its input in the server's store.
    var sql: String?
    var showsOutput = false

    static let readySeconds = 60.0
}

/// A server that this program starts, restarts and ends.
final class LaunchedServer: ServerUnderTest {
    let base: String
    private let plan: LaunchPlan
    private let port: Int
    private let folder: String
    private let environment: [String: String]
    private var process: ChildProcess?

    /// Starts the command and waits until it is ready.
    init(_ plan: LaunchPlan, world: World, env: [String: String]) throws(SocketFailure) {
        port = try BlockingSocket.freePort()
        base = "http://127.0.0.1:\(port)"
        self.plan = plan
        folder = try Files.temporaryFolder(below: plan.environment["TMPDIR"] ?? "/tmp")
        let data = folder + "/data"
        try Files.makeFolder(data)
        var environment = plan.environment.filter { !$0.key.hasPrefix("GOTRUE_") }
        if let faketime = plan.faketime {
            try Files.write(Array("+0".utf8), to: folder + "/clock")
            environment["LD_PRELOAD"] = faketime
            environment["FAKETIME_TIMESTAMP_FILE"] = folder + "/clock"
            environment["FAKETIME_NO_CACHE"] = "1"
            environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
        }
        environment["DRAWBRIDGE_DATA"] = data
        for (name, value) in world.settings(url: base, port: port, over: env) { environment[name] = value }
        environment["REPLAY_DIR"] = data
        self.environment = environment
        do {
            try start()
        } catch {
            Files.remove(folder)
            throw error
        }
    }

    deinit {
        process?.stop()
        Files.remove(folder)
    }

    private var log: String { folder + "/server.log" }

    private func start() throws(SocketFailure) {
        let process = try ChildProcess(
            command: plan.command, environment: environment, output: plan.showsOutput ? nil : log)
        self.process = process
        let call = HTTPCall(method: "GET", url: base + plan.prefix + "/health", headers: [], body: nil)
        let end = Threads.clock() + LaunchPlan.readySeconds
        while Threads.clock() < end, !process.isOver {
            if let answer = try? HTTPCaller().send(call), answer.status == 200 { return }
            Threads.rest(seconds: 0.02)
        }
        process.stop()
        let said = (try? Files.read(log, bytesMax: 16 << 20)) ?? []
        throw SocketFailure("the server did not become ready: " + String(decoding: said.suffix(1500), as: UTF8.self))
    }

    /// Asks the server to end and removes its data.
    func stop() {
        process?.stop()
        process = nil
        Files.remove(folder)
    }

    var restart: (() throws(SocketFailure) -> Void)? {
        { () throws(SocketFailure) in
            self.process?.kill()
            try self.start()
        }
    }

    var runSQL: ((String) throws(SocketFailure) -> Void)? {
        guard let command = plan.sql else { return nil }
        return { (text) throws(SocketFailure) in
            var environment = self.plan.environment
            environment["PORT"] = "\(self.port)"
            environment["REPLAY_DIR"] = self.folder + "/data"
            try ChildProcess.run(command, input: text, environment: environment, folder: self.folder)
        }
    }

    var moveClock: ((Double) throws(SocketFailure) -> Void)? {
        guard plan.faketime != nil else { return nil }
        return { (seconds) throws(SocketFailure) in
            try Files.write(Array("+\(Int64(seconds))".utf8), to: self.folder + "/clock")
        }
    }
}

/// The place of one server in a run: one that runs already, or one that is started anew for each configuration.
final class ServerPlace {
    enum Kind: Sendable {
        case running(url: String)
        case launched(LaunchPlan)
    }

    let kind: Kind
    private let world: World
    private var launched: (server: LaunchedServer, configuration: String, isFresh: Bool)?

    init(_ kind: Kind, world: World) {
        (self.kind, self.world) = (kind, world)
    }

    /// The server for the next run of a case: as the case configures it, empty if the case wants that.
    func server(for one: ConformanceCase) throws(SocketFailure) -> any ServerUnderTest {
        guard case .launched(let plan) = kind else {
            guard case .running(let url) = kind else { throw SocketFailure("there is no server") }
            return RunningServer(url: url)
        }
        let wanted = CaseSelection.configuration(one)
        if let launched, launched.configuration == wanted, !launched.isFresh, !one.isFresh { return launched.server }
        close()
        let server = try LaunchedServer(plan, world: world, env: one.env)
        launched = (server, wanted, one.isFresh)
        return server
    }

    func close() {
        launched?.server.stop()
        launched = nil
    }
}
