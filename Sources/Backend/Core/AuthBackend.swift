public import JSON

/// What an auth server can be asked, whether its rows are here or at the other end of a connection.
///
/// Every operation takes what the client sent, not yet judged (addresses, types, numbers are texts where the wire has
/// texts): which fault is told first is a rule, and rules belong to the backend. Every failure is an ``AuthError``.
/// Operations run on the caller's executor; nothing in this protocol assumes that an answer is near.
public protocol AuthBackend: Sendable {
    /// Checks the caller's bearer (or administrator's key). Source: supabase-core.md 5.
    ///
    /// A remote backend may only read the token here and leave the judgement to the operation that follows; it must
    /// then judge in ``confirm(_:)``.
    func authenticate(_ context: RequestContext, as level: AccessLevel) async throws(AuthError) -> Principal

    /// Makes sure that a principal really is who it says, before an error of the caller's own request is told
    /// (the check of the bearer comes first in the reference). In-process this is done already.
    func confirm(_ principal: Principal, _ context: RequestContext) async throws(AuthError)

    func signUp(_ signUp: SignUp, _ context: RequestContext) async throws(AuthError) -> SignUpOutcome
    /// `POST /signup` without an address. Source: supabase-core.md 10.1.
    func signUpAnonymously(_ userMetadata: JSONObject?, _ context: RequestContext) async throws(AuthError) -> Session
    func signIn(_ signIn: PasswordSignIn, _ context: RequestContext) async throws(AuthError) -> Session
    func refresh(_ refreshToken: RawToken, _ context: RequestContext) async throws(AuthError) -> Session
    func exchange(_ exchange: PKCEExchange, _ context: RequestContext) async throws(AuthError) -> Session

    func verify(_ verification: Verification, _ context: RequestContext) async throws(AuthError) -> VerificationOutcome
    /// - Throws: only what is answered directly instead of by a redirect (supabase-core.md 10.7).
    func openLink(_ link: LinkVerification, _ context: RequestContext) async throws(AuthError) -> LinkOutcome

    /// `POST /otp`. Source: supabase-core.md 10.4.
    func sendCode(
        _ signIn: OneTimeSignIn, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt
    /// `POST /magiclink`. Source: supabase-core.md 10.5.
    ///
    /// An empty one is always refused, and the refusal is the first that applies: Compat asks so what comes before a
    /// fault of the body. The same holds for ``recover(_:_:)``.
    func sendMagicLink(_ link: MagicLink, _ context: RequestContext) async throws(AuthError)
    /// `POST /recover`. Source: supabase-core.md 10.6.
    func recover(_ recovery: Recovery, _ context: RequestContext) async throws(AuthError)
    /// `POST /resend`. Source: supabase-core.md 10.9.
    func resend(_ resend: Resend, _ context: RequestContext) async throws(AuthError) -> MessageReceipt
    /// `GET /reauthenticate`: sends the caller a code that proves a change. Source: supabase-core.md 10.10.
    func reauthenticate(
        _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt

    func signOut(_ scope: SignOutScope, _ principal: Principal, _ context: RequestContext) async throws(AuthError)
    func user(_ principal: Principal, _ context: RequestContext) async throws(AuthError) -> User
    /// What ``authenticate(_:as:)`` and ``user(_:_:)`` would come to for a token without further wishes, when that is
    /// known already and still true. Never waits; nil, also for every fault, when they have to be asked.
    func userAtOnce(_ bearer: Span<UInt8>) -> SharedUser?
    /// Whether ``relayedUser(_:)`` is worth asking.
    var relaysUsers: Bool { get }
    /// What ``authenticate(_:as:)`` and ``user(_:_:)`` would come to for a token without further wishes, as the JSON
    /// that a server behind this one sent (supabase-core.md 4.1): nothing of it is read that need not be.
    func relayedUser(_ bearer: RawToken) async throws(AuthError) -> [UInt8]
    func update(
        _ update: UpdateUser, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User

    func adminCreateUser(
        _ attributes: AdminUserAttributes, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User
    func adminUser(
        _ id: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User
    func adminUsers(
        _ query: UserListQuery, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> UserPage
    func adminUpdateUser(
        _ id: UserID, _ attributes: AdminUserAttributes, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User
    func adminDeleteUser(
        _ id: UserID, softly: Bool, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError)

    /// `POST /invite`. Source: supabase-admin.md 6.
    func invite(
        _ invitation: Invitation, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User
    /// `POST /admin/generate_link`: sends nothing. Source: supabase-admin.md 7.
    func generateLink(
        _ request: LinkRequest, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> GeneratedLink
    /// `GET /admin/audit`. Source: supabase-admin.md 8.
    func auditLog(
        _ query: AuditQuery, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> AuditPage

    /// The factors of an account, in order of creation. Source: supabase-admin.md 5.
    func adminFactors(
        _ user: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> [Factor]
    func adminUpdateFactor(
        _ factor: FactorID, of user: UserID, _ attributes: AdminFactorAttributes, _ principal: Principal,
        _ context: RequestContext
    ) async throws(AuthError) -> Factor
    /// The factor as it was.
    func adminDeleteFactor(
        _ factor: FactorID, of user: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> Factor

    func publicSettings(_ context: RequestContext) async throws(AuthError) -> PublicSettings
    /// The public signing keys, as `{"keys":[…]}`. Source: supabase-core.md 10.16, RFC 7517.
    func publicKeys(_ context: RequestContext) async throws(AuthError) -> JSONText
}

extension AuthBackend {
    /// Knows nothing at once: right for a server at the other end of a connection.
    public func userAtOnce(_ bearer: Span<UInt8>) -> SharedUser? { nil }

    public var relaysUsers: Bool { false }

    /// There is no server behind this one.
    public func relayedUser(_ bearer: RawToken) async throws(AuthError) -> [UInt8] {
        throw AuthError(.notSupported)
    }
}
