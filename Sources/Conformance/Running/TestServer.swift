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
        var status: Int?
        while Threads.clock() < end, !process.isOver {
            let answer = try? HTTPCaller().send(call)
            if answer?.status == 200 { return }
            status = answer?.status ?? status
            Threads.rest(seconds: 0.02)
        }
        var why = process.endingText ?? "GET \(plan.prefix)/health gave no answer for \(Int(LaunchPlan.readySeconds)) s"
        if let status, !process.isOver {
            why = "GET \(plan.prefix)/health answered \(status) for \(Int(LaunchPlan.readySeconds)) s"
        }
        process.stop()
        throw SocketFailure("the server did not become ready: " + why + said)
    }

    /// The last that the server printed, as an addition to a sentence.
    private var said: String {
        let bytes = (try? Files.read(log, bytesMax: 16 << 20)) ?? []
        let text = ExactText.trimmed(String(decoding: bytes.suffix(1500), as: UTF8.self))
        return text.isEmpty ? "" : ": " + text
    }

    /// That the server has ended by itself, and what it said last; nil while it runs.
    var ending: String? { process?.endingText.map { $0 + said } }

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
    /// Starts that failed before the first one that did not.
    private var failures = 0
    private var hasStarted = false
    private var lastFailure = SocketFailure("")

    /// After so many failed starts, and none that did not fail, the command is not tried any more.
    static let failuresMax = 3

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
        if let launched, launched.configuration == wanted, !launched.isFresh, !one.isFresh,
            launched.server.ending == nil
        {
            return launched.server
        }
        close()
        if neverStarted, failures >= Self.failuresMax { throw lastFailure }
        do {
            let server = try LaunchedServer(plan, world: world, env: one.env)
            hasStarted = true
            launched = (server, wanted, one.isFresh)
            return server
        } catch {
            failures += 1
            lastFailure = error
            throw error
        }
    }

    /// Whether the command was tried and has never given a server: that says nothing about one.
    var neverStarted: Bool { !hasStarted && failures > 0 }

    /// Why there is no server to run the next case on: one at a URL that took a call before takes none any more.
    func gone(prefix: String) -> String? {
        guard case .running(let url) = kind else { return nil }
        let base = RunningServer(url: url).base
        let call = HTTPCall(method: "GET", url: base + prefix + "/health", headers: [], body: nil)
        var caller = world.caller
        caller.wholeSeconds = Self.goneSeconds
        var why = ""
        let end = Threads.clock() + Self.goneSeconds
        repeat {
            do {
                _ = try caller.send(call)
                return nil
            } catch {
                why = error.description
            }
            Threads.rest(seconds: 0.5)
        } while Threads.clock() < end
        return "no server answers at \(base) any more: \(why)"
    }

    /// A server that is being restarted by somebody comes back in this time.
    private static let goneSeconds = 3.0

    func close() {
        launched?.server.stop()
        launched = nil
    }
}
