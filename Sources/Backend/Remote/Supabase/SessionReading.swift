internal import Backend
internal import Bytes
internal import JSON

/// Reads sessions as Supabase Auth writes them. Source: supabase-core.md 4.4.
enum SessionReading {
    private static let members: Set<String> = [
        "access_token", "token_type", "expires_in", "expires_at", "refresh_token", "user", "provider_token",
        "provider_refresh_token", "weak_password",
    ]

    /// nil for what is no session.
    /// - Parameter sessionID: as the header `sb-auth-session-id` says it.
    static func session(_ value: JSONValue, sessionID: String?, now: Timestamp) -> Session? {
        guard let object = value.object, let access = object["access_token"]?.string, !access.isEmpty,
            let user = UserReading.user(object["user"])
        else { return nil }
        let expiresIn = object["expires_in"]?.int64 ?? 3600
        let expiresAt = object["expires_at"]?.int64 ?? (now.unixSeconds &+ expiresIn)
        var session = Session(
            accessToken: RawToken(access), refreshToken: RawToken(object["refresh_token"]?.string ?? ""),
            expiresIn: Int(expiresIn), expiresAt: Timestamp(unixSeconds: expiresAt), user: user,
            sessionID: sessionID.flatMap { SessionID($0) } ?? self.sessionID(in: access))
        session.providerToken = object["provider_token"]?.string.map { RawToken($0) }
        session.providerRefreshToken = object["provider_refresh_token"]?.string.map { RawToken($0) }
        session.passwordJudgement = judgement(object["weak_password"])
        session.unknownMembers = UserReading.unknown(object, members)
        return session
    }

    private static func judgement(_ value: JSONValue?) -> PasswordJudgement? {
        guard let value else { return nil }
        guard let object = value.object else { return .fine }
        return .weak(
            message: object["message"]?.string ?? "", reasons: (object["reasons"]?.array ?? []).compactMap(\.string))
    }

    private static let scanner = JSONScanner(["session_id"])

    /// What the token says of itself; it is not judged here.
    private static func sessionID(in token: String) -> SessionID? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        let claims = parts.count == 3 ? Base64.decode(String(parts[1]), .url, padding: .optional) : nil
        guard let claims else { return nil }
        guard let found = try? scanner.scan(claims) else { return nil }
        return JSONScanner.uuid(found[0], in: claims.span).map { SessionID($0) }
    }
}
