import Backend

/// Decides where a mail or a link may lead back to.
///
/// The first allowed one of the explicit target and the referrer wins, else the site itself; a target that is not
/// allowed is never an error. Source: supabase-core.md 9.3, with the tightening of deviations.md.
struct RedirectRules: Sendable {
    private let siteURL: String
    private let site: RedirectURL?
    private let patterns: [RedirectPattern]

    init(_ policy: Policy) {
        siteURL = policy.siteURL
        site = RedirectURL(policy.siteURL)
        patterns = policy.redirectPatterns.compactMap { RedirectPattern($0) }
    }

    /// The target that counts.
    func target(of candidates: RedirectCandidates) -> String {
        for candidate in [candidates.explicit, candidates.referrer] {
            if let candidate, allows(candidate) { return candidate }
        }
        return siteURL
    }

    /// Whether a browser may be sent there.
    func allows(_ target: String) -> Bool {
        guard target.utf8.count <= RedirectPattern.lengthMax, let site, let url = RedirectURL(target) else {
            return false
        }
        if url.scheme == site.scheme, url.host == site.host, url.port == site.port || url.isLocal { return true }
        switch HostKind(url.host) {
        case .number, .otherAddress: return false
        case .loopbackAddress where url.isWeb: return true
        case .odd where url.isWeb: return false
        case .loopbackAddress, .odd, .name: break
        }
        let bare = target.prefix { $0 != "#" }
        return patterns.contains { $0.matches(String(bare)) }
    }
}

extension InProcessBackend {
    /// Whether an entry of the allow list is well formed; one that is not matches nothing.
    public static func isRedirectPattern(_ text: String) -> Bool { RedirectPattern(text) != nil }
}
