import Settings

/// The program: finds the command and ends with its exit status.
@main
enum Drawbridge {
    /// What the program calls itself; the build of a release sets it.
    static let version = "0.1.0"

    nonisolated static func main() {
        Process.ignoreFailedWrites()
        Process.exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ arguments: [String]) -> ExitStatus {
        do {
            switch arguments.first {
            case "serve": return try ServeCommand.run(Arguments(arguments.dropFirst()))
            case "check": return try CheckCommand.run(Arguments(arguments.dropFirst()))
            case "keys": return try KeysCommand.run(Arguments(arguments.dropFirst()))
            case "backup": return try BackupCommand.run(Arguments(arguments.dropFirst()))
            case "conformance": return try ConformanceCommand.run(Arguments(arguments.dropFirst()))
            case "version", "--version", "-V":
                Terminal.out("drawbridge \(version)\n")
                return .ok
            case "help", "--help", "-h": return HelpCommand.run(arguments.dropFirst().first)
            case nil:
                Terminal.error(HelpCommand.overview)
                return .usage
            case let name?: throw UsageError("there is no command \"\(name)\"; drawbridge help lists them")
            }
        } catch let error as UsageError {
            Terminal.error("drawbridge: \(error.text)\n")
            return .usage
        } catch let error as SettingsError {
            for fault in error.faults { Terminal.error("drawbridge: \(fault)\n") }
            return .settings
        } catch let error as UnavailableError {
            Terminal.error("drawbridge: \(error.text)\n")
            return .unavailable
        } catch {
            Terminal.error("drawbridge: \(error)\n")
            return .unavailable
        }
    }
}

/// How the program ended (sysexits.h). Source: interface.md, commands.
enum ExitStatus: Int32 {
    case ok = 0
    case failed = 1
    /// `conformance` could not run everything it was asked to.
    case notRun = 2
    /// The command line is wrong.
    case usage = 64
    /// An address or a folder is in use, or the machine refuses.
    case unavailable = 69
    /// A setting is wrong.
    case settings = 78
}

/// The command line is wrong.
struct UsageError: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

/// Something outside the program stands in the way.
struct UnavailableError: Error {
    let text: String
    init(_ text: String) { self.text = text }
}
