public import Backend
public import JSON

/// Signs access tokens and checks their signatures. Source: supabase-core.md 6.2 to 6.4.
public protocol AccessTokenKeys: Sendable {
    /// The claims (a JSON object) as a signed token.
    func sign(_ claims: [UInt8]) throws(AuthError) -> RawToken
    /// The claims of a token whose form, algorithm, key and signature are good; times are not looked at.
    /// - Throws: `tokenInvalid` with the reference's detail (supabase-core.md 6.4).
    func claims(of token: RawToken) throws(AuthError) -> [UInt8]
    /// The public keys, `{"keys":[…]}`.
    var publicKeySet: JSONText { get }
}
