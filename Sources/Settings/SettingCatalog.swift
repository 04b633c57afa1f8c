/// Every name that may be set, and how to find one.
public struct SettingCatalog: Sendable {
    /// Names that belong together, under the title that `drawbridge check` gives them.
    public struct Group: Sendable {
        public let title: String
        public let names: [SettingName]
    }

    /// In the order in which `drawbridge check` shows them.
    public let groups: [Group]
    private let byName: [String: Int]
    let all: [SettingName]
    /// Entries of which a name is taken by one before them; ``byName`` does not lead to them.
    private let doubles: Set<Int>

    public init() {
        groups = [
            Group(title: "Drawbridge", names: Self.own), Group(title: "Rules of our own", names: Self.ownRules),
            Group(title: "API keys", names: Self.keys), Group(title: "Upstreams", names: Self.upstreams),
            Group(title: "Other backends and stores", names: Self.remote),
            Group(title: "Address", names: Self.address), Group(title: "Database", names: Self.database),
            Group(title: "Site and sign-up", names: Self.siteAndSignup), Group(title: "Tokens", names: Self.tokens),
            Group(title: "Providers", names: Self.providers + Self.providerFamily),
            Group(title: "OAuth", names: Self.oauth), Group(title: "Passwords", names: Self.passwords),
            Group(title: "SMTP", names: Self.smtp), Group(title: "Mail", names: Self.mail),
            Group(title: "SMS", names: Self.sms), Group(title: "Hooks", names: Self.hooks + Self.hookPolicies),
            Group(title: "Security and sessions", names: Self.securityAndSessions),
            Group(title: "Second factors", names: Self.secondFactors), Group(title: "SAML", names: Self.saml),
            Group(title: "Rate limits", names: Self.rateLimits), Group(title: "Logs", names: Self.logs),
            Group(title: "Workers", names: Self.workers),
        ]
        all = groups.flatMap(\.names)
        var byName: [String: Int] = [:]
        var doubles: Set<Int> = []
        byName.reserveCapacity(all.count + 100)
        for (index, entry) in all.enumerated() {
            byName[entry.name] = index
            for alias in entry.aliases {
                if byName[alias] == nil { byName[alias] = index } else { doubles.insert(index) }
            }
        }
        self.byName = byName
        self.doubles = doubles
    }

    /// The entry that a name or one of its other spellings stands for.
    public func entry(_ name: String) -> SettingName? { byName[name].map { all[$0] } }

    /// The entries that some of these names may set, in the catalog's order. Few names are set and many are known, so
    /// that it is faster to ask from this side.
    func entries(settableBy names: some Sequence<String>) -> [SettingName] {
        var indices = doubles
        for name in names {
            if let index = byName[name] { indices.insert(index) }
        }
        return indices.sorted().map { all[$0] }
    }

    /// The known name that is nearest to an unknown one, when one is near enough to be meant.
    func nearest(to name: String, prefix: String) -> String? {
        var best: (name: String, distance: Int)?
        for candidate in byName.keys where candidate.hasPrefix(prefix) {
            let distance = EditDistance.between(name, candidate, atMost: (best?.distance ?? 9) - 1)
            guard let distance else { continue }
            if distance < (best?.distance ?? 9) { best = (candidate, distance) }
        }
        guard let best, best.distance <= max(2, name.utf8.count / 4) else { return nil }
        return best.name
    }

    /// The OAuth providers that may be configured. Source: supabase-config.md 4.
    public static let providerNames = [
        "APPLE", "AZURE", "BITBUCKET", "DISCORD", "FACEBOOK", "SNAPCHAT", "FIGMA", "FLY", "GITHUB", "GITLAB", "GOOGLE",
        "KAKAO", "NOTION", "KEYCLOAK", "LINKEDIN", "LINKEDIN_OIDC", "SPOTIFY", "SLACK", "SLACK_OIDC", "TWITTER",
        "TWITCH", "VERCEL_MARKETPLACE", "WORKOS", "X", "ZOOM",
    ]

    static let providerFamily: [SettingName] = providerNames.flatMap { provider in
        let stem = "GOTRUE_EXTERNAL_\(provider)_"
        return [
            SettingName(stem + "ENABLED", .flag, default: "false", life: .later, also: ["\(provider)_ENABLED"]),
            SettingName(stem + "CLIENT_ID", .list, life: .later, also: ["\(provider)_CLIENT_ID"]),
            SettingName(stem + "SECRET", .text, life: .later, also: ["\(provider)_SECRET"]),
            SettingName(stem + "REDIRECT_URI", .text, life: .later),
            SettingName(stem + "URL", .text, life: .later),
            SettingName(stem + "API_URL", .text, life: .silent),
            SettingName(stem + "EMAIL_OPTIONAL", .flag, default: "false", life: .later),
            SettingName(stem + "SKIP_NONCE_CHECK", .flag, default: "false", life: .later),
        ]
    }

    static let hookNames = [
        "MFA_VERIFICATION_ATTEMPT", "PASSWORD_VERIFICATION_ATTEMPT", "CUSTOM_ACCESS_TOKEN", "SEND_EMAIL", "SEND_SMS",
        "BEFORE_USER_CREATED", "AFTER_USER_CREATED",
    ]

    static let hookPolicies: [SettingName] =
        hookNames.flatMap { hook in
            [
                SettingName(
                    "DRAWBRIDGE_HOOK_\(hook)_FAIL", .choice(["open", "closed"]), default: "closed", life: .later),
                SettingName("DRAWBRIDGE_HOOK_\(hook)_TIMEOUT", .positiveDuration, default: "5s", life: .later),
            ]
        } + [
            SettingName("DRAWBRIDGE_HOOK_DIALECT", .choice(["gotrue", "sovaria"]), default: "gotrue", life: .later)
        ]
}

/// How many letters two names differ by.
enum EditDistance {
    /// The Levenshtein distance; nil when it is above the limit.
    static func between(_ left: String, _ right: String, atMost limit: Int) -> Int? {
        let first = Array(left.utf8)
        let second = Array(right.utf8)
        guard limit >= 0, abs(first.count - second.count) <= limit else { return nil }
        guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
        var row = Array(0...second.count)
        for (index, byte) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in second.enumerated() {
                let above = row[column + 1]
                row[column + 1] = min(above + 1, row[column] + 1, diagonal + (byte == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[second.count] <= limit ? row[second.count] : nil
    }
}
