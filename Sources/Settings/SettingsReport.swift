/// What `drawbridge check` prints: everything in force, grouped, with the source of each value.
public enum SettingsReport {
    /// The lines to print. Secrets stand as `(redacted)`.
    /// - Parameter settings: what was made of them; its values are shown where they differ from what was written, and
    ///   where nothing was.
    public static func text(_ judged: JudgedSettings, _ settings: ServerSettings) -> String {
        let inForce = ValuesInForce.of(settings)
        var out = ""
        for group in judged.catalog.groups {
            let lines = group.names.compactMap { line($0, judged[$0.name], inForce[$0.name]) }
            guard !lines.isEmpty else { continue }
            out += "\(group.title)\n" + lines.map { "  \($0)\n" }.joined()
        }
        return out
    }

    /// One setting; nil for what is neither set nor in force with a default.
    private static func line(
        _ name: SettingName, _ entry: JudgedSettings.Entry?, _ inForce: SettingValue?
    ) -> String? {
        guard let entry else {
            let text = inForce.map { redactedURL($0.text) } ?? (name.life == .inForce ? name.defaultText : "")
            return text.isEmpty ? nil : "\(name.name) = \(text)  (default)"
        }
        if let inForce, inForce != entry.value, !name.isSecret {
            let written = JudgedSettings.printable(redactedURL(entry.text))
            return "\(name.name) = \(redactedURL(inForce.text))  (\(entry.source) says \"\(written)\")"
        }
        let shown =
            name.isSecret && !entry.text.isEmpty ? "(redacted)" : JudgedSettings.printable(redactedURL(entry.text))
        let life = name.life == .later ? ", without effect in this version" : ""
        return "\(name.name) = \(shown)  (\(entry.source)\(life))"
    }

    /// A URL without the password in it.
    static func redactedURL(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":") else {
            return text
        }
        return text[..<scheme.upperBound] + authority[..<colon] + ":(redacted)" + rest[at...]
    }
}

extension String {
    /// The first place of a text in this one.
    fileprivate func firstRange(of other: String) -> Range<Index>? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(other) { return index..<self.index(index, offsetBy: other.count) }
            index = self.index(after: index)
        }
        return nil
    }
}
