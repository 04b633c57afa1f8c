public import Bytes
import JSON

/// Runs case files against servers and says what differs. Source: conformance-format.md.
public enum Conformance {
    /// Runs the cases and reports.
    ///
    /// Blocks until the end; not for a thread that serves requests.
    /// - Parameter version: the program's, for the report.
    /// - Parameter environment: what started servers get besides their settings.
    /// - Parameter secure: what speaks to `https` addresses; without it they cannot be called.
    /// - Parameter print: takes the text for the terminal.
    /// - Throws: why the run could not begin.
    public static func run(
        _ options: ConformanceOptions, version: String, environment: [String: String], random: any RandomSource,
        clock: any WallClock, secure: SecureCaller? = nil, print: (String) -> Void
    ) throws(ConformanceFailure) -> ConformanceOutcome {
        let conductor = try Conductor(
            options, environment: environment, random: random, clock: clock, secure: secure)
        try checkPaths(options)
        for note in try conductor.reach() { print("note: \(TextReport.visible(note))\n") }
        let results = conductor.run(print: print)
        let report = Report(
            version: version, options: options, madeAt: clock.now().wholeSeconds.description, results: results,
            leftOut: conductor.leftOut)
        print(TextReport.ending(report))
        try write(report, options)
        return report.outcome
    }

    /// The settings that a server must have for the cases of the base configuration, as an env file.
    ///
    /// - Parameter url: the server's URL, without a prefix.
    public static func environmentFile(
        url: String, options: ConformanceOptions, random: any RandomSource, clock: any WallClock
    ) throws(ConformanceFailure) -> String {
        let address = URLText(url)
        guard let host = address.hostAndPort else { throw Conductor.noAddress(url) }
        guard options.mailPort > 0, options.hookPort > 0, options.openIDPort > 0 else {
            throw ConformanceFailure(
                "the server is told where the peers of the run will be: give --mail-port, --hook-port, --openid-port")
        }
        let world = try Conductor.world(options, random: random, clock: clock)
        let port = host.port ?? (address.scheme == "https" ? 443 : 80)
        let settings = world.settings(url: RunningServer(url: url).base, port: port)
        let lines = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\n" }
        return lines.joined()
    }

    /// Finds out before the run, which may be long, that what it finds could not be written.
    private static func checkPaths(_ options: ConformanceOptions) throws(ConformanceFailure) {
        var paths = options.summary.map { [$0] } ?? []
        if let report = options.report {
            let base = Report.base(of: report)
            paths += [base + ".json", base + ".html"]
        }
        guard Set(paths.map(Files.plain)).count == paths.count else {
            throw ConformanceFailure("--summary and --report name the same file")
        }
        for path in paths {
            do { try Files.checkWritable(path) } catch {
                throw ConformanceFailure("the report cannot be written: \(error)")
            }
        }
    }

    private static func write(_ report: Report, _ options: ConformanceOptions) throws(ConformanceFailure) {
        do {
            if let path = options.summary { try Files.write(JSONReport.summary(report), to: path) }
            if let path = options.report {
                let base = Report.base(of: path)
                try Files.write(JSONReport.bytes(report), to: base + ".json")
                try Files.write(Array(HTMLReport.page(report).utf8), to: base + ".html")
            }
        } catch {
            throw ConformanceFailure("the report cannot be written: \(error)")
        }
    }
}
