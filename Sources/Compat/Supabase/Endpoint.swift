internal import Backend

/// What a path leads to.
///
/// | path | methods | API key | bearer |
/// | --- | --- | --- | --- |
/// | `/health` | GET | open | – |
/// | `/settings` | GET | key | – |
/// | `/.well-known/jwks.json` | GET | open | – |
/// | `/signup` | POST | key | – |
/// | `/token` | POST | key | – |
/// | `/verify` | GET, POST | open | – |
/// | `/otp`, `/magiclink`, `/recover`, `/resend` | POST | key | – |
/// | `/reauthenticate` | GET | key | user |
/// | `/logout` | POST | key | user |
/// | `/user` | GET, PUT = PATCH | key | user |
/// | `/invite` | POST | key | administrator |
/// | `/admin/generate_link` | POST | key | administrator |
/// | `/admin/audit` | GET | key | administrator |
/// | `/admin/users` | GET, POST | key | administrator |
/// | `/admin/users/{id}` | GET, PUT, DELETE | key | administrator |
/// | `/admin/users/{id}/factors` | GET | key | administrator |
/// | `/admin/users/{id}/factors/{id}` | PUT, DELETE | key | administrator |
enum Endpoint: Sendable, Equatable {
    case health, settings, keySet
    case signUp, token, verify, logout, user
    case otp, magicLink, recover, resend, reauthenticate
    case invite, generateLink, audit
    case adminUsers
    /// The id as it stands in the path, still encoded.
    case adminUser(String)
    case adminFactors(user: String)
    case adminFactor(String, user: String)
    /// No such path; below some paths the bearer is asked for first (supabase-core.md 1.1).
    case unknown(protectedBy: AccessLevel?)

    private static let fixed: [String: Endpoint] = [
        "/health": .health, "/settings": .settings, "/.well-known/jwks.json": .keySet,
        "/signup": .signUp, "/token": .token, "/verify": .verify, "/logout": .logout, "/user": .user,
        "/otp": .otp, "/magiclink": .magicLink, "/recover": .recover, "/resend": .resend,
        "/reauthenticate": .reauthenticate, "/invite": .invite, "/admin/generate_link": .generateLink,
        "/admin/audit": .audit, "/admin/users": .adminUsers,
    ]

    /// Paths of sub-routers: the reference accepts a trailing slash on them in any case.
    private static let slashed: Set<String> = ["/signup/", "/verify/", "/user/", "/reauthenticate/", "/admin/users/"]

    static func at(_ path: String, acceptsTrailingSlashes: Bool) -> Endpoint {
        if let endpoint = fixed[path] { return endpoint }
        var path = path
        if acceptsTrailingSlashes {
            path = collapsed(path)
        } else if slashed.contains(path) {
            path.removeLast()
        }
        if let endpoint = fixed[path] { return endpoint }
        if let rest = remainder(of: path, below: "/admin/users/"), let endpoint = belowUsers(rest) { return endpoint }
        return .unknown(protectedBy: protection(of: path))
    }

    private static func belowUsers(_ rest: String) -> Endpoint? {
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard !parts.contains("") else { return nil }
        switch (parts.count, parts.dropFirst().first) {
        case (1, _): return .adminUser(parts[0])
        case (2, "factors"): return .adminFactors(user: parts[0])
        case (3, "factors"): return .adminFactor(parts[2], user: parts[0])
        default: return nil
        }
    }

    /// Methods in alphabetical order, as `Allow` names them.
    func methods(_ options: CompatOptions) -> [String] {
        var methods: [String]
        switch self {
        case .health, .settings, .keySet, .reauthenticate, .audit, .adminFactors: methods = ["GET"]
        case .adminFactor: methods = ["DELETE", "PUT"]
        case .signUp, .token, .logout, .otp, .magicLink, .recover, .resend, .invite, .generateLink:
            methods = ["POST"]
        case .verify: return ["GET", "POST"]
        case .user: methods = options.advertisesPATCH ? ["GET", "PATCH", "PUT"] : ["GET", "PUT"]
        case .adminUsers: methods = ["GET", "POST"]
        case .adminUser:
            methods = options.allowsAdminPATCH ? ["DELETE", "GET", "PATCH", "PUT"] : ["DELETE", "GET", "PUT"]
        case .unknown: return []
        }
        if options.acceptsHEAD, let place = methods.firstIndex(of: "GET") { methods.insert("HEAD", at: place + 1) }
        return methods
    }

    /// The path for logs and metrics, ids replaced: a bounded set of labels.
    var template: String {
        switch self {
        case .health: "/health"
        case .settings: "/settings"
        case .keySet: "/.well-known/jwks.json"
        case .signUp: "/signup"
        case .token: "/token"
        case .verify: "/verify"
        case .logout: "/logout"
        case .user: "/user"
        case .otp: "/otp"
        case .magicLink: "/magiclink"
        case .recover: "/recover"
        case .resend: "/resend"
        case .reauthenticate: "/reauthenticate"
        case .invite: "/invite"
        case .generateLink: "/admin/generate_link"
        case .audit: "/admin/audit"
        case .adminUsers: "/admin/users"
        case .adminUser: "/admin/users/{id}"
        case .adminFactors: "/admin/users/{id}/factors"
        case .adminFactor: "/admin/users/{id}/factors/{factor_id}"
        case .unknown: "unknown"
        }
    }

    /// Which bearer is checked before it is told that the path has no such method.
    var protection: AccessLevel? {
        switch self {
        case .health, .settings, .keySet, .signUp, .token, .verify, .logout, .otp, .magicLink, .recover, .resend,
            .invite:
            nil
        case .user, .reauthenticate: .user
        case .adminUsers, .adminUser, .adminFactors, .adminFactor, .generateLink, .audit: .administrator
        case .unknown(let level): level
        }
    }

    /// Whether the path wants no API key: browsers, identity providers and probes come here without one.
    /// Source: gateway.md 1 with its "Gaps", matched by whole segments.
    func isOpen(_ path: String) -> Bool {
        switch self {
        case .health, .keySet, .verify: return true
        case .settings, .signUp, .token, .logout, .user, .adminUsers, .adminUser, .otp, .magicLink, .recover, .resend,
            .reauthenticate, .invite, .generateLink, .audit, .adminFactors, .adminFactor:
            return false
        case .unknown:
            let path = Self.collapsed(path)
            return Self.open.contains { path == $0 || Self.remainder(of: path, below: $0 + "/") != nil }
        }
    }

    private static let open = [
        "/verify", "/callback", "/authorize", "/health", "/.well-known", "/sso/saml", "/oauth/authorize",
        "/oauth/token", "/oauth/userinfo", "/oauth/clients/register", "/scim/v2",
    ]

    private static func protection(of path: String) -> AccessLevel? {
        if path == "/admin" || path.hasPrefix("/admin/") { return .administrator }
        return ["/user", "/factors", "/passkeys/registration"].contains { path == $0 || path.hasPrefix($0 + "/") }
            ? .user : nil
    }

    private static func remainder(of path: String, below prefix: String) -> String? {
        guard path.hasPrefix(prefix), path.utf8.count > prefix.utf8.count else { return nil }
        return String(path.dropFirst(prefix.count))
    }

    /// One slash for several, and none at the end.
    private static func collapsed(_ path: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.utf8.count)
        for byte in path.utf8 where byte != UInt8(ascii: "/") || bytes.last != UInt8(ascii: "/") {
            bytes.append(byte)
        }
        if bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What the gateway needs to know of a path before it reads on.
public struct RouteMatch: Sendable {
    /// No API key is asked for.
    public let isOpen: Bool
    /// ``SupabaseAPI/answerAtOnce(_:at:)`` has the answer: no backend is asked.
    public let isAnsweredAtOnce: Bool
    /// The path for logs and metrics, ids replaced.
    public let template: String
    /// There is such a path (with this method or another).
    public let isKnown: Bool
    let endpoint: Endpoint
    /// The method as the handler sees it: `GET` for an accepted `HEAD`, `PUT` for an accepted `PATCH`;
    /// nil when the path has no such method.
    let verb: Verb?

    enum Verb: Sendable { case get, post, put, delete }
}
