import InProcessBackend
import Settings

/// Reads settings from where they stand, for all commands alike.
struct SettingsLoading {
    private let environment: [String: String]
    private let envFile: String?
    private let flags: [(flag: String, name: String, value: String)]

    init(_ arguments: inout Arguments, flags: [(flag: String, name: String)]) throws(UsageError) {
        environment = ProcessEnvironment.variables()
        envFile = try arguments.value("--env-file")
        var found: [(flag: String, name: String, value: String)] = []
        for (flag, name) in flags {
            if let value = try arguments.value(flag) { found.append((flag, name, value)) }
        }
        self.flags = found
    }

    /// Reads the files anew and judges everything.
    /// - Parameter listenerFile: the env file of one listener, which counts most.
    func judged(listenerFile: String? = nil) throws(SettingsError) -> JudgedSettings {
        var layers = SettingLayers()
        if let envFile { try layers.add(envFile: Self.text(envFile, "--env-file"), path: envFile) }
        layers.add(environment: environment)
        for entry in flags { layers.add(flag: entry.flag, name: entry.name, value: entry.value) }
        guard let listenerFile else { return try JudgedSettings(layers) }
        try layers.add(listenerFile: Self.text(listenerFile, "--listen"), path: listenerFile)
        let judged = try JudgedSettings(layers)
        let faults = Self.processNames.filter { judged[$0]?.source == .listenerFile(listenerFile) }
        guard faults.isEmpty else {
            throw SettingsError(faults.map { "\($0): is the whole process's and cannot stand in \(listenerFile)" })
        }
        return judged
    }

    /// Tells what is set and hardly meant.
    static func warn(_ judged: JudgedSettings) {
        let doubts = SettingDoubts(
            judged, canRead: ProcessEnvironment.canRead(file:), isPattern: InProcessBackend.isRedirectPattern)
        for warning in judged.warnings + doubts.warnings { Terminal.error("drawbridge: warning: \(warning)\n") }
    }

    /// What cannot differ between listeners of one process.
    private static let processNames = [
        "DRAWBRIDGE_DATA", "DRAWBRIDGE_LISTEN", "DRAWBRIDGE_ADMIN_LISTEN", "DRAWBRIDGE_LOOPS", "DRAWBRIDGE_LOG",
        "DRAWBRIDGE_BACKEND", "DATABASE_URL", "GOTRUE_API_PORT", "GOTRUE_API_HOST",
    ]

    private static func text(_ path: String, _ flag: String) throws(SettingsError) -> String {
        guard let text = ProcessEnvironment.text(ofFile: path) else {
            throw SettingsError(["\(flag): the file \(path) cannot be read"])
        }
        return text
    }
}
