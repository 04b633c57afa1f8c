import Backend
import Bytes
import Crypto
import Settings

/// `drawbridge keys`: works on the data folder; a running server takes changes over.
enum KeysCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        var arguments = arguments
        let loading = try SettingsLoading(&arguments, flags: [("--data", "DRAWBRIDGE_DATA")])
        switch arguments.next() {
        case "list": return try list(&arguments, loading)
        case "new": return try make(&arguments, loading)
        case "revoke": return try revoke(&arguments, loading)
        default: throw UsageError("say drawbridge keys list, new or revoke")
        }
    }

    private static func folder(_ loading: SettingsLoading) throws -> (String, ServerSettings) {
        let settings = try SettingsReader(loading.judged()).settings()
        return (settings.dataFolder, settings)
    }

    private static func list(_ arguments: inout Arguments, _ loading: SettingsLoading) throws -> ExitStatus {
        let reveals = arguments.flag("--reveal")
        try arguments.finish()
        let (folder, settings) = try folder(loading)
        let file = try KeysFile.read(folder)
        if let secret = settings.tokens.secret ?? file.secret {
            for role in [APIKeyRole.anonymous, .service] {
                let key = reveals ? try MadeKeys.token(role: role, secret: secret) : "(--reveal shows it)"
                let origin =
                    settings.tokens.secret == nil ? "made with the data folder" : "of the JWT secret that is set"
                Terminal.out("\(padded(KeysFile.roleName(role)))  \(origin)  \(key)\n")
            }
        }
        for _ in settings.keys.anonymous { Terminal.out("\(padded("anon"))  set in the settings\n") }
        for _ in settings.keys.service { Terminal.out("\(padded("service_role"))  set in the settings\n") }
        for key in file.keys {
            let end = key.expiresAt.map { ", expires \($0)" } ?? ""
            Terminal.out("\(padded(KeysFile.roleName(key.role)))  \(key.name)  made \(key.createdAt)\(end)\n")
        }
        return .ok
    }

    private static func padded(_ role: String) -> String {
        role + String(repeating: " ", count: max(0, 12 - role.count))
    }

    private static func make(_ arguments: inout Arguments, _ loading: SettingsLoading) throws -> ExitStatus {
        if let algorithm = try arguments.value("--algorithm") {
            return try makeSigningKey(algorithm, &arguments, loading)
        }
        let random = SystemRandom()
        let now = SystemClock().now()
        let role: APIKeyRole
        switch try arguments.value("--role") ?? "anon" {
        case "anon", "publishable": role = .anonymous
        case "service_role", "service", "secret": role = .service
        case let other: throw UsageError("--role: \"\(other)\" is not anon or service_role")
        }
        let name = try arguments.value("--name") ?? "key-" + Hex.encode(random.fill(4))
        guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw UsageError("--name: 1 to 64 printable characters without blanks")
        }
        let expiry = try arguments.value("--expires").map { text throws(UsageError) in now + (try lifetime(text)) }
        try arguments.finish()
        let (folder, _) = try folder(loading)
        let key = MadeKeys.opaque(role: role, random: random)
        _ = try KeysFile.secret(folder, random: random)
        try PrivateFile.withLock(on: folder + "/keys.lock") {
            var file = try KeysFile.read(folder)
            guard !file.keys.contains(where: { $0.name == name }) else {
                throw UsageError("there is a key named \(name) already")
            }
            file.keys.append(
                .init(name: name, role: role, digest: SHA.sha256(Array(key.utf8)), createdAt: now, expiresAt: expiry))
            try file.write(folder)
        }
        Terminal.error("\(KeysFile.roleName(role)) key \(name); it is shown this once:\n")
        Terminal.out(key + "\n")
        return .ok
    }

    /// `90d`, or a duration such as `12h`.
    private static func lifetime(_ text: String) throws(UsageError) -> Duration {
        if text.hasSuffix("d"), let days = Int64(text.dropLast()), (1...36_500).contains(days) {
            return .seconds(days * 86_400)
        }
        guard let duration = GoDuration.parse(text), duration > .zero else {
            throw UsageError("--expires: \"\(text)\" is not a duration such as 90d or 12h")
        }
        return duration
    }

    private static func revoke(_ arguments: inout Arguments, _ loading: SettingsLoading) throws -> ExitStatus {
        guard let name = arguments.next() else { throw UsageError("say which key: drawbridge keys revoke NAME") }
        try arguments.finish()
        let (folder, _) = try folder(loading)
        guard !(try KeysFile.read(folder).keys.isEmpty) else { throw UsageError("there is no key named \(name)") }
        try PrivateFile.withLock(on: folder + "/keys.lock") {
            var file = try KeysFile.read(folder)
            let count = file.keys.count
            file.keys.removeAll { $0.name == name }
            guard file.keys.count < count else { throw UsageError("there is no key named \(name)") }
            try file.write(folder)
        }
        Terminal.out("revoked \(name)\n")
        return .ok
    }
}
