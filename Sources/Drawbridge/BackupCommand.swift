import Settings
import Store

/// `drawbridge backup FILE`: a consistent copy of the database, whether a server is running or not.
enum BackupCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        var arguments = arguments
        let loading = try SettingsLoading(&arguments, flags: [("--data", "DRAWBRIDGE_DATA")])
        guard let target = arguments.next() else { throw UsageError("say where to: drawbridge backup FILE") }
        try arguments.finish()
        let settings = try SettingsReader(loading.judged()).settings()
        do {
            try SQLiteStore.copyDatabase(inFolder: settings.dataFolder, to: target)
        } catch StoreError.failed(let why) {
            throw UnavailableError("the backup was not made: \(why)")
        }
        Terminal.out("wrote \(target)\n")
        return .ok
    }
}
