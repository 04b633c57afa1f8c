import Backend
import Settings

/// `drawbridge check`: judges all settings and prints what is in force.
enum CheckCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        var arguments = arguments
        let loading = try SettingsLoading(
            &arguments, flags: [("--data", "DRAWBRIDGE_DATA"), ("--loops", "DRAWBRIDGE_LOOPS")])
        try arguments.finish()
        let judged = try loading.judged()
        let settings = try SettingsReader(judged).settings()
        _ = try TokenKeys(settings.tokens, folderSecret: .init("not used"))
        SettingsLoading.warn(judged)
        Terminal.out(SettingsReport.text(judged, settings))
        return .ok
    }
}
