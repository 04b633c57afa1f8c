internal import Backend
internal import Bytes

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | POST | `/logout?scope=global｜local｜others` | user | 400 `validation_failed` |
///
/// No scope, or an empty one, means everywhere; the body is not read. Source: supabase-core.md 10.11.
enum LogoutRoutes {
    static func logout(_ call: Call) async throws -> WireResponse {
        let principal = try await call.principal(.user)
        let name = call.query["scope"] ?? ""
        guard let scope = name.isEmpty ? .global : SignOutScope(rawValue: name) else {
            try await call.backend.confirm(principal, call.context)
            throw AuthError(.logoutScopeUnsupported, GoQuoting.quote(name))
        }
        try await call.backend.signOut(scope, principal, call.context)
        return WireResponse(status: 204)
    }
}

/// Quotes a text as Go's `%q` does, for messages that show what was sent.
enum GoQuoting {
    /// What of a text is shown at most, in characters.
    static let charactersMax = 256

    static func quote(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars.prefix(charactersMax) {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\u{07}": out += "\\a"
            case "\u{08}": out += "\\b"
            case "\u{0C}": out += "\\f"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case "\u{0B}": out += "\\v"
            case "\u{00}"..."\u{1F}", "\u{7F}": out += "\\x" + padded(scalar.value)
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    private static func padded(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return digits.utf8.count < 2 ? "0" + digits : digits
    }
}
