/// All settings, each judged, with where it came from.
public struct JudgedSettings: Sendable {
    /// One setting as it was found and judged.
    public struct Entry: Sendable {
        /// The name that it was found under, one of those of the setting.
        public let name: String
        /// As it was written.
        public let text: String
        public let value: SettingValue
        public let source: SettingSource
    }

    public let catalog: SettingCatalog
    private let entries: [String: Entry]
    /// What should be told at start and does not stop it.
    public let warnings: [String]

    /// Judges everything that is set.
    /// - Throws: `SettingsError` with every fault that was found.
    public init(_ layers: SettingLayers, catalog: SettingCatalog = SettingCatalog()) throws(SettingsError) {
        self.catalog = catalog
        var entries: [String: Entry] = [:]
        var faults: [String] = []
        var warnings: [String] = []
        let set = catalog.entries(settableBy: layers.names)
        for entry in set {
            guard let found = layers.find(entry) else { continue }
            if found.text.isEmpty && !entry.kind.allowsEmpty {
                warnings.append("\(found.name) is empty and counts as not set")
                continue
            }
            if let value = entry.kind.value(of: found.text) {
                entries[entry.name] = Entry(name: found.name, text: found.text, value: value, source: found.source)
            } else {
                let shown = entry.isSecret ? "the value" : "\"\(Self.printable(found.text))\""
                faults.append("\(found.name): \(shown) is not \(entry.kind.wanted)\(Self.place(found.source))")
            }
        }
        Self.judgeUnknown(layers, catalog, &faults, &warnings)
        Self.tellLater(set, entries, &warnings)
        self.entries = entries
        self.warnings = warnings
        if !faults.isEmpty { throw SettingsError(faults) }
    }

    /// What is set for a name; nil when nothing is.
    public subscript(_ name: String) -> Entry? { entries[name] }

    static func place(_ source: SettingSource) -> String {
        switch source {
        case .envFile(let path), .listenerFile(let path): " (in \(path))"
        case .flag(let name): " (from \(name))"
        case .preset, .environment: ""
        }
    }

    /// At most 80 characters, without control characters.
    static func printable(_ text: String) -> String {
        let clean = text.unicodeScalars.prefix(81).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
        return clean.count > 80 ? clean.prefix(80).joined() + "…" : clean.joined()
    }

    private static func judgeUnknown(
        _ layers: SettingLayers, _ catalog: SettingCatalog, _ faults: inout [String], _ warnings: inout [String]
    ) {
        for (name, source) in layers.names(prefix: "DRAWBRIDGE_") where catalog.entry(name) == nil {
            let hint = catalog.nearest(to: name, prefix: "DRAWBRIDGE_").map { "; did you mean \($0)?" } ?? ""
            faults.append("\(name): there is no such setting\(hint)\(place(source))")
        }
        let unknown = layers.names(prefix: "GOTRUE_").map(\.name).filter { catalog.entry($0) == nil }
        if !unknown.isEmpty {
            let hints = unknown.map { name in
                let right = SettingCatalog.misleading[name] ?? catalog.nearest(to: name, prefix: "GOTRUE_")
                return right.map { "\(name) (did you mean \($0)?)" } ?? name
            }
            warnings.append("unknown and not read: " + hints.joined(separator: ", "))
        }
    }

    /// One line for all settings that have no effect yet, and one each for those that somebody relies on.
    private static func tellLater(
        _ set: [SettingName], _ entries: [String: Entry], _ warnings: inout [String]
    ) {
        let later = set.filter { entry in
            guard entry.life == .later, let set = entries[entry.name] else { return false }
            return set.text != entry.defaultText && set.value != .flag(false)
        }.map(\.name)
        if !later.isEmpty { warnings.append("without effect in this version: " + later.joined(separator: ", ")) }
        for (name, sentence) in reliedOn where entries[name]?.value == .flag(true) {
            warnings.append("\(name): \(sentence)")
        }
    }

    /// Protections that somebody may count on: their absence is told in words.
    private static let reliedOn: [(String, String)] = [
        ("GOTRUE_SECURITY_CAPTCHA_ENABLED", "captcha tokens are not checked in this version"),
        ("GOTRUE_HOOK_PASSWORD_VERIFICATION_ATTEMPT_ENABLED", "the hook is not asked in this version"),
        ("GOTRUE_HOOK_SEND_SMS_ENABLED", "the hook is not asked in this version, and no text message leaves"),
        ("GOTRUE_HOOK_BEFORE_USER_CREATED_ENABLED", "the hook is not asked in this version"),
        ("GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED", "the hook is not asked in this version"),
    ]
}

extension JudgedSettings {
    func text(_ name: String) -> String? {
        if case .text(let text)? = entries[name]?.value { return text }
        return nil
    }

    /// A text that is not empty.
    func filled(_ name: String) -> String? {
        guard let text = text(name), !text.isEmpty else { return nil }
        return text
    }

    func flag(_ name: String) -> Bool? {
        if case .flag(let flag)? = entries[name]?.value { return flag }
        return nil
    }

    func whole(_ name: String) -> Int? {
        if case .whole(let number)? = entries[name]?.value { return Int(exactly: number) }
        return nil
    }

    func decimal(_ name: String) -> Double? {
        if case .decimal(let number)? = entries[name]?.value { return number }
        return nil
    }

    func duration(_ name: String) -> Duration? {
        if case .duration(let duration)? = entries[name]?.value { return duration }
        return nil
    }

    func list(_ name: String) -> [String]? {
        if case .list(let items)? = entries[name]?.value { return items }
        return nil
    }

    func map(_ name: String) -> [SettingValue.Pair]? {
        if case .map(let pairs)? = entries[name]?.value { return pairs }
        return nil
    }

    func bytes(_ name: String) -> Int? {
        if case .bytes(let count)? = entries[name]?.value { return count }
        return nil
    }

    func address(_ name: String) -> ListenAddress? {
        if case .address(let address)? = entries[name]?.value { return address }
        return nil
    }
}
