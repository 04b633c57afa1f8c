import Bytes
import JSON

/// What may be set and is hardly meant: told at start and by `drawbridge check`, and nothing is stopped by it.
public struct SettingDoubts {
    private let judged: JudgedSettings
    private let canRead: (String) -> Bool
    private let isPattern: (String) -> Bool

    /// - Parameters:
    ///   - canRead: whether the file of a path can be read and is not empty.
    ///   - isPattern: whether an entry of the redirect allow list is well formed.
    public init(
        _ judged: JudgedSettings, canRead: @escaping (String) -> Bool, isPattern: @escaping (String) -> Bool
    ) {
        self.judged = judged
        self.canRead = canRead
        self.isPattern = isPattern
    }

    /// One line for each doubt, the setting's name first as it was written. No secret is in them.
    public var warnings: [String] {
        var told: [String] = []
        for name in ["ANON_KEY", "SUPABASE_PUBLISHABLE_KEY"] { tell(key(name, isService: false), of: name, &told) }
        for name in ["SERVICE_ROLE_KEY", "SUPABASE_SECRET_KEY"] { tell(key(name, isService: true), of: name, &told) }
        tell(secret, of: "GOTRUE_JWT_SECRET", &told)
        tell(authorities, of: "SSL_CERT_FILE", &told)
        for pattern in judged.list("GOTRUE_URI_ALLOW_LIST") ?? [] {
            tell(allowed(pattern), of: "GOTRUE_URI_ALLOW_LIST", &told)
        }
        return told
    }

    private func tell(_ doubt: String?, of name: String, _ told: inout [String]) {
        guard let doubt, let entry = judged[name] else { return }
        told.append("\(entry.name): \(doubt)\(JudgedSettings.place(entry.source))")
    }

    // MARK: API keys. Source: gateway.md 2

    private func key(_ name: String, isService: Bool) -> String? {
        guard let key = judged.filled(name) else { return nil }
        let (own, other) = isService ? ("sb_secret_", "sb_publishable_") : ("sb_publishable_", "sb_secret_")
        let role = isService ? "service_role" : "anon"
        if key.hasPrefix(own) { return nil }
        if key.hasPrefix(other) { return "begins with \(other), as keys of the other role do" }
        guard let claims = Self.claims(key) else {
            return "is neither a JWT nor a key that begins with \(own); it is compared as it stands"
        }
        guard let found = claims["role"]?.string, found != role else { return nil }
        return "is a JWT of the role \"\(JudgedSettings.printable(found))\" and not of \"\(role)\""
    }

    /// What stands in a JWT, unverified; nil when it is none.
    private static func claims(_ token: String) -> JSONObject? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64.decode(String(parts[1]), .url, padding: .optional),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        return (try? JSONValue.parse(text))?.object
    }

    // MARK: The rest

    /// Bytes that a secret of HS256 should have at least. Source: RFC 7518, 3.2.
    private static let secretBytesMin = 32

    private var secret: String? {
        guard let count = judged.filled("GOTRUE_JWT_SECRET")?.utf8.count, count < Self.secretBytesMin else {
            return nil
        }
        return "has \(count) bytes; one of fewer than \(Self.secretBytesMin) can be guessed from any token"
    }

    private var authorities: String? {
        guard let path = judged.filled("SSL_CERT_FILE"), !canRead(path) else { return nil }
        let shown = JudgedSettings.printable(path)
        return "the file \(shown) cannot be read; no other server's certificate will be trusted"
    }

    private func allowed(_ pattern: String) -> String? {
        let shown = "\"\(JudgedSettings.printable(pattern))\""
        guard isPattern(pattern) else { return "\(shown) is not a pattern and matches nothing" }
        guard Self.canMatchURL(pattern) else {
            return "\(shown) begins with no scheme such as https:// and matches no URL"
        }
        return nil
    }

    /// False when no text that the pattern matches has a scheme: there is no colon in it, and no wildcard that could
    /// stand for one.
    private static func canMatchURL(_ pattern: String) -> Bool {
        if pattern.contains(":") { return true }
        guard let slash = pattern.firstIndex(of: "/") else { return pattern.hasSuffix("**") }
        return pattern[slash...].hasPrefix("//") && pattern[..<slash].contains { "*?[".contains($0) }
    }
}
