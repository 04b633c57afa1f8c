import Backend
import Bytes

/// The kinds of link that a mail carries. Source: supabase-admin.md 13.3.
enum LinkKind: String, Sendable, CaseIterable {
    case signUp = "signup"
    case invite
    case recovery
    case magicLink = "magiclink"
    case emailChange = "email_change"
}

/// Writes the confirmation links of mails.
///
/// A path of its own (`GOTRUE_MAILER_URLPATHS_*`) is resolved against the external URL as RFC 3986 says, so a leading
/// slash replaces the whole path; without one the link is `verify` below the external URL. The redirect target always
/// comes back as it was given: it is escaped unless each of its bytes stands for itself in a query, where it is left as
/// it is, as in the reference. Source: supabase-core.md 9.4, interface.md "With nothing set".
struct LinkBuilder: Sendable {
    private let paths: LinkPaths
    private let externalURL: String
    private let externalHosts: Set<String>

    init(_ policy: Policy) {
        paths = policy.linkPaths
        externalURL = policy.externalURL
        externalHosts = Set(policy.externalHosts)
    }

    /// The link with its three parameters in the reference's order.
    func link(_ kind: LinkKind, token: String, redirectTo: String, _ context: RequestContext) -> String {
        let base = baseURL(context)
        let address =
            switch kind {
            case .signUp: Self.resolve(paths.confirmation, against: base)
            case .invite: Self.resolve(paths.invite, against: base)
            case .recovery, .magicLink: Self.resolve(paths.recovery, against: base)
            case .emailChange: Self.resolve(paths.emailChange, against: base)
            }
        let token = PercentCoding.encode(token, as: .queryValue)
        let isPlain = redirectTo.utf8.allSatisfy(Self.standsInQuery)
        let target = isPlain ? redirectTo : PercentCoding.encode(redirectTo, as: .queryValue)
        return "\(address)?token=\(token)&type=\(kind.rawValue)&redirect_to=\(target)"
    }

    /// Whether a byte of a query's value is read as itself by everybody.
    private static func standsInQuery(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "-._~:/?@!$()*,".utf8.contains(byte)
        }
    }

    /// The external URL, with the host by which the client came when that is one of ours. Source: supabase-core.md 1.8.
    func baseURL(_ context: RequestContext) -> String {
        guard let host = context.forwardedHost, externalHosts.contains(host) else { return externalURL }
        let scheme = host == "localhost" && context.forwardedProto == "http" ? "http" : "https"
        return "\(scheme)://\(host)\(Self.split(externalURL).path)"
    }

    /// nil stands for `verify` below the base.
    static func resolve(_ path: String?, against base: String) -> String {
        let (origin, basePath) = split(base)
        guard let path, !path.isEmpty else {
            return origin + trimmed(basePath) + "/verify"
        }
        let bare = String(path.prefix { $0 != "?" && $0 != "#" })
        if bare.contains(text: "://") { return bare }
        if bare.hasPrefix("//") { return origin.prefix { $0 != "/" } + bare }
        if bare.hasPrefix("/") { return origin + bare }
        let folder = basePath.lastIndex(of: "/").map { basePath[...$0] } ?? "/"
        return origin + folder + bare
    }

    private static func trimmed(_ path: String) -> String {
        var path = path
        while path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// `https://host:port` and the path, without query and fragment.
    private static func split(_ url: String) -> (origin: String, path: String) {
        let bare = url.prefix { $0 != "?" && $0 != "#" }
        let utf8 = Array(bare.utf8)
        var start = 0
        if let colon = utf8.firstIndex(of: UInt8(ascii: ":")), utf8[colon...].starts(with: "://".utf8) {
            start = colon + 3
        }
        guard let slash = utf8[start...].firstIndex(of: UInt8(ascii: "/")) else { return (String(bare), "") }
        return (String(decoding: utf8[..<slash], as: UTF8.self), String(decoding: utf8[slash...], as: UTF8.self))
    }
}
