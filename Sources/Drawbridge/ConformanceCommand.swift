import Bytes
import Conformance
import Outgoing
import Settings

/// `drawbridge conformance`: runs case files against a server, or against two, and says what differs.
enum ConformanceCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        var arguments = arguments
        do {
            let printsEnvironment = arguments.flag("--environment")
            let options = try options(&arguments, needsCases: !printsEnvironment)
            if printsEnvironment {
                guard case .running(let url) = options.target else {
                    throw UsageError("--environment goes with --target URL")
                }
                Terminal.out(
                    try Conformance.environmentFile(
                        url: url, options: options, random: SystemRandom(), clock: SystemClock()))
                return .ok
            }
            let outcome = try Conformance.run(
                options, version: Drawbridge.version, environment: ProcessEnvironment.variables(),
                random: SystemRandom(), clock: SystemClock(), secure: secureCaller(), print: Terminal.out)
            switch outcome {
            case .passed: return .ok
            case .differs: return .failed
            case .unable: return .notRun
            }
        } catch let error as UsageError {
            Terminal.error("drawbridge: \(error.text)\n")
            return .notRun
        } catch let error as ConformanceFailure {
            Terminal.error("drawbridge: \(error.text)\n")
            return .notRun
        }
    }

    /// Speaks to `https` addresses with libcurl, which is opened when the first one is called.
    private static func secureCaller() -> SecureCaller {
        SecureCaller { method, url, headers, body, done in
            Task {
                do {
                    var request = WebRequest(method: method, url: url, headers: headers, body: body)
                    request.totalTimeout = .seconds(30)
                    request.responseBytesMax = 64 << 20
                    let client = try SharedOutgoing.client.get()
                    let answer = try await client.send(request)
                    done(.success((answer.status, answer.headers, answer.body)))
                } catch {
                    done(.failure(ConformanceFailure("\(error)")))
                }
            }
        }
    }

    private static func options(_ arguments: inout Arguments, needsCases: Bool) throws(UsageError) -> ConformanceOptions
    {
        let target = try place(&arguments, url: "--target", command: "--launch")
        let reference = try place(&arguments, url: "--reference", command: "--launch-reference")
        guard let target else { throw UsageError("say what to test: --target URL or --launch COMMAND") }
        var options = ConformanceOptions(cases: [], target: target)
        options.reference = reference
        options.prefix = try prefix(&arguments, "--prefix") ?? ""
        options.referencePrefix = try prefix(&arguments, "--reference-prefix")
        options.only = try arguments.value("--only")
        options.skip = try arguments.value("--skip")
        options.list = try arguments.value("--list")
        options.store = try arguments.value("--store")
        options.faketime = try arguments.value("--faketime")
        options.sql = try arguments.value("--sql")
        let own = options.sql != nil ? "--sql" : options.faketime.map { _ in "--faketime" }
        if case .running = target, let name = own {
            throw UsageError("\(name) goes with --launch: a server that runs already cannot be reached that way")
        }
        options.known = try arguments.value("--known")
        options.report = try arguments.value("--report")
        options.summary = try arguments.value("--summary")
        options.everyCase = arguments.flag("--all")
        options.isBrief = arguments.flag("--brief")
        options.showsOutput = arguments.flag("--show-output")
        options.acceptsKnown = arguments.flag("--accept-known")
        options.keys = .init(
            anonymous: try secret(&arguments, "--anon-key"), service: try secret(&arguments, "--service-key"))
        let other = (
            try secret(&arguments, "--reference-anon-key"), try secret(&arguments, "--reference-service-key")
        )
        options.referenceKeys = .init(
            anonymous: other.0 ?? options.keys.anonymous, service: other.1 ?? options.keys.service)
        options.secret = try secret(&arguments, "--jwt-secret")
        options.mailPort = try port(&arguments, "--mail-port")
        options.hookPort = try port(&arguments, "--hook-port")
        options.openIDPort = try port(&arguments, "--openid-port")
        while let path = arguments.next() { options.cases.append(path) }
        try arguments.finish()
        guard !options.cases.isEmpty || !needsCases else {
            throw UsageError("say which cases: drawbridge conformance CASES... --target URL")
        }
        return options
    }

    private static func place(
        _ arguments: inout Arguments, url: String, command: String
    ) throws(UsageError) -> ConformanceOptions.Place? {
        let address = try arguments.value(url)
        let launch = try arguments.value(command)
        if address != nil, launch != nil { throw UsageError("give \(url) or \(command), not both") }
        if let address {
            guard address.hasPrefix("http://") || address.hasPrefix("https://") else {
                throw UsageError("\(url): \"\(address)\" is not a URL such as http://127.0.0.1:8000")
            }
            return .running(url: address)
        }
        if let launch, launch.allSatisfy(\.isWhitespace) {
            throw UsageError("\(command) needs the command that starts a server")
        }
        return launch.map { .launched(command: $0) }
    }

    private static func prefix(_ arguments: inout Arguments, _ name: String) throws(UsageError) -> String? {
        guard let text = try arguments.value(name) else { return nil }
        guard text.isEmpty || (text.hasPrefix("/") && !text.hasSuffix("/")) else {
            throw UsageError("\(name): \"\(text)\" is not a path such as /auth/v1")
        }
        return text
    }

    /// A key or secret; `@FILE` reads it from a file, so that it does not stand in the list of processes.
    private static func secret(_ arguments: inout Arguments, _ name: String) throws(UsageError) -> String? {
        guard let text = try arguments.value(name) else { return nil }
        guard text.hasPrefix("@") else { return text }
        let path = String(text.dropFirst())
        guard let content = ProcessEnvironment.text(ofFile: path) else {
            throw UsageError("\(name): the file \(path) cannot be read")
        }
        return content.split(whereSeparator: \.isNewline).first.map { String($0) } ?? ""
    }

    private static func port(_ arguments: inout Arguments, _ name: String) throws(UsageError) -> Int {
        guard let text = try arguments.value(name) else { return 0 }
        guard let port = Int(text), (1...65_535).contains(port) else {
            throw UsageError("\(name): \"\(text)\" is not a port")
        }
        return port
    }
}

/// The one client of the process for `https` calls of the conformance command.
private enum SharedOutgoing {
    static let client = Result { try OutgoingClient() }
}
