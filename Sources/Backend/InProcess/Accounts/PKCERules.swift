import Backend

/// The check of a PKCE challenge before a flow begins. Source: supabase-core.md 10 "PKCE check", RFC 7636 4.2.
enum PKCERules {
    /// How a challenge was made from its verifier.
    enum Method: String, Sendable { case s256, plain }

    /// A challenge that passed the check.
    struct Flow: Equatable, Sendable {
        let challenge: String
        let method: Method
    }

    /// The flow that begins, nil when there is no challenge.
    /// - Throws: `pkceIncomplete`, `pkceChallengeLength`, `pkceChallengeCharacters`, `pkceMethodInvalid`.
    static func flow(_ pkce: PKCEChallenge) throws(AuthError) -> Flow? {
        let challenge = pkce.challenge ?? ""
        let method = pkce.method ?? ""
        if challenge.isEmpty && method.isEmpty { return nil }
        guard !challenge.isEmpty, !method.isEmpty else { throw AuthError(.pkceIncomplete) }
        guard (43...128).contains(challenge.utf8.count) else { throw AuthError(.pkceChallengeLength) }
        guard challenge.utf8.allSatisfy(isUnreserved) else { throw AuthError(.pkceChallengeCharacters) }
        guard let known = Method(rawValue: method.lowercased()) else { throw AuthError(.pkceMethodInvalid) }
        return Flow(challenge: challenge, method: known)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "._~-".utf8.contains(byte)
        }
    }
}
