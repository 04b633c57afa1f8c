public import Backend
import Bytes
import JSON

/// What a rule of ``BackendContract`` is run in: a backend of any kind, its mail and its time.
public protocol ContractWorld: Sendable {
    var backend: any AuthBackend { get }
    /// The clock of whatever holds the rules.
    var clock: ManualClock { get }
    /// A token of the service role that the backend trusts.
    var serviceToken: RawToken { get }
    /// Takes the oldest mail to an address.
    func takeMail(to address: String) async -> ContractMail?
}

/// What of a mail a rule needs.
public struct ContractMail: Sendable {
    public let code: String
    public let link: String
    public init(code: String, link: String) {
        self.code = code
        self.link = link
    }
}

/// A rule that did not hold.
public struct ContractFailure: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}

/// A rule that every backend keeps, as the body of a test.
public struct ContractRule: Sendable, CustomStringConvertible {
    public let description: String
    /// What the rule wants of the policy, beside `supabase` without limits.
    public let policy: @Sendable (inout Policy) -> Void
    public let body: @Sendable (any ContractWorld) async throws -> Void

    init(
        _ description: String, _ policy: @escaping @Sendable (inout Policy) -> Void = { _ in },
        _ body: @escaping @Sendable (any ContractWorld) async throws -> Void
    ) {
        self.description = description
        self.policy = policy
        self.body = body
    }
}

/// The rules. They say nothing of where rows are: the same bodies run for every backend.
public enum BackendContract {
    public static let rules = accounts + sessions + messages + administration
}

func expect(_ condition: Bool, _ what: String) throws(ContractFailure) {
    if !condition { throw ContractFailure(what) }
}

func expectEqual<Value: Equatable>(_ got: Value, _ wanted: Value, _ what: String) throws(ContractFailure) {
    if got != wanted { throw ContractFailure("\(what): got \(got), wanted \(wanted)") }
}

/// The body must be refused for this reason.
@discardableResult
func expectRefusal(
    _ reason: AuthError.Reason, _ what: String, _ body: () async throws -> Void
) async throws -> AuthError {
    do {
        try await body()
    } catch let error as AuthError {
        try expectEqual(error.reason, reason, what)
        return error
    }
    throw ContractFailure("\(what): not refused, wanted \(reason)")
}

/// Calls in a form that rules can be written in.
extension ContractWorld {
    var visitor: RequestContext { RequestContext(requestID: "contract") }

    func bearing(_ token: RawToken) -> RequestContext {
        var context = visitor
        context.bearer = token
        return context
    }

    func pass() { clock.advance(by: .milliseconds(2)) }

    func signUp(
        _ email: String, _ password: String = "correct-horse-1", data: JSONObject? = nil, challenge: String? = nil
    ) async throws -> SignUpOutcome {
        var signUp = SignUp()
        signUp.email = email
        signUp.password = Password(password)
        signUp.userMetadata = data
        if let challenge { signUp.pkce = PKCEChallenge(challenge: challenge, method: "plain") }
        pass()
        return try await backend.signUp(signUp, visitor)
    }

    /// Signs up and confirms by the mailed code.
    func member(_ email: String, data: JSONObject? = nil) async throws -> Session {
        _ = try await signUp(email, data: data)
        return try await verify("signup", try await mail(email).code, email)
    }

    func mail(_ address: String) async throws -> ContractMail {
        guard let mail = await takeMail(to: address) else { throw ContractFailure("no mail to \(address)") }
        return mail
    }

    func verify(_ type: String, _ code: String, _ email: String) async throws -> Session {
        var verification = Verification(type: type)
        verification.code = OneTimeCode(code)
        verification.email = email
        guard case .signedIn(let session) = try await backend.verify(verification, visitor) else {
            throw ContractFailure("the code of \(email) opened no session")
        }
        return session
    }

    func open(_ link: String) async throws -> LinkOutcome {
        let query = link.split(separator: "?").last.flatMap { FormFields(parsing: String($0)) } ?? FormFields()
        let token = RawToken(query["token"] ?? "")
        var context = visitor
        context.redirect.explicit = query["redirect_to"]
        return try await backend.openLink(LinkVerification(type: query["type"] ?? "", token: token), context)
    }

    func signIn(_ email: String, _ password: String = "correct-horse-1") async throws -> Session {
        try await backend.signIn(PasswordSignIn(email: email, phone: nil, password: Password(password)), visitor)
    }

    func refresh(_ token: RawToken) async throws -> Session { try await backend.refresh(token, visitor) }

    func user(_ session: Session) async throws -> User { try await user(session.accessToken) }

    func user(_ token: RawToken) async throws -> User {
        let context = bearing(token)
        return try await backend.user(try await backend.authenticate(context, as: .user), context)
    }

    @discardableResult
    func update(_ session: Session, _ change: (inout UpdateUser) -> Void) async throws -> User {
        var update = UpdateUser()
        change(&update)
        pass()
        let context = bearing(session.accessToken)
        return try await backend.update(update, try await backend.authenticate(context, as: .user), context)
    }

    func signOut(_ session: Session, _ scope: SignOutScope) async throws {
        let context = bearing(session.accessToken)
        try await backend.signOut(scope, try await backend.authenticate(context, as: .user), context)
    }

    /// Calls as the service role.
    func asRoot<Value: Sendable>(
        _ body: (Principal, RequestContext) async throws -> Value
    ) async throws -> Value {
        let context = bearing(serviceToken)
        return try await body(try await backend.authenticate(context, as: .administrator), context)
    }

    /// A confirmed account with a password.
    func account(_ email: String, _ change: (inout AdminUserAttributes) -> Void = { _ in }) async throws -> User {
        var attributes = AdminUserAttributes()
        attributes.email = email
        attributes.password = Password("correct-horse-1")
        attributes.confirmsEmail = true
        change(&attributes)
        let wanted = attributes
        return try await asRoot { try await backend.adminCreateUser(wanted, $0, $1) }
    }

    func change(_ id: UserID, _ change: (inout AdminUserAttributes) -> Void) async throws -> User {
        var attributes = AdminUserAttributes()
        change(&attributes)
        let wanted = attributes
        return try await asRoot { try await backend.adminUpdateUser(id, wanted, $0, $1) }
    }
}
