public import Backend
internal import Bytes
internal import JSON

/// Supabase Auth's wire: typed operations in, their results and errors out. Values in, values out; its one way out is
/// the backend it was handed. Source: supabase-core.md, clients.md, deviations.md.
public final class SupabaseAPI: Sendable {
    let backend: any AuthBackend
    let options: CompatOptions
    let limiter: any RateLimiting
    let errors: ErrorWriter
    private let health: WireResponse

    public init(backend: any AuthBackend, options: CompatOptions = .sovaria, limiter: any RateLimiting) {
        self.backend = backend
        self.options = options
        self.limiter = limiter
        errors = ErrorWriter(
            addsDetail: options.addsErrorDetail, saysWhenAfterTimeout: options.saysWhenAfterTimeout)
        health = HealthRoutes.response(version: options.version)
    }

    /// Says what is known of a path before the body is read. Never fails: an unknown path is a match too.
    /// - Parameter path: as sent, without the prefix and the query.
    public func route(method: String, path: String) -> RouteMatch {
        let endpoint = Endpoint.at(path, acceptsTrailingSlashes: options.acceptsTrailingSlashes)
        let verb = verb(method, at: endpoint)
        let isUnknown = if case .unknown = endpoint { true } else { false }
        let isAtOnce = endpoint == .health || (verb == nil && endpoint.protection == nil)
        return RouteMatch(
            isOpen: endpoint.isOpen(path), isAnsweredAtOnce: isAtOnce, template: endpoint.template,
            isKnown: !isUnknown, endpoint: endpoint, verb: verb)
    }

    /// The answer to `/health` and to what needs no backend (404, 405); nil when ``answer(_:at:)`` has to be asked.
    public func answerAtOnce(_ request: WireRequest, at match: RouteMatch) -> WireResponse? {
        guard match.isAnsweredAtOnce else { return nil }
        guard match.verb != nil else { return failure(noSuchRoute(request.method, match), for: request) }
        return health
    }

    /// ``answerAtOnce(_:at:)`` for a request whose path was not looked up yet.
    public func answerAtOnce(_ request: WireRequest) -> WireResponse? {
        answerAtOnce(request, at: route(method: request.method, path: request.path))
    }

    /// The short way to `GET /user`.
    public var knownUsers: KnownUsers { KnownUsers(self) }

    /// Answers a request. Every failure is an answer too.
    public func answer(_ request: WireRequest) async -> WireResponse {
        await answer(request, at: route(method: request.method, path: request.path))
    }

    /// Answers a request whose path was looked up already.
    public func answer(_ request: WireRequest, at match: RouteMatch) async -> WireResponse {
        if let response = answerAtOnce(request, at: match) { return response }
        let call = Call(api: self, request: request)
        do {
            return try await perform(match, call)
        } catch {
            return errors.response(to: error, options, apiVersion: request.apiVersion, requestID: request.requestID)
        }
    }

    /// An error that is the gateway's own, in the shape that the client asked for.
    public func failure(_ fault: WireFault, apiVersion: String?, requestID: String) -> WireResponse {
        errors.response(fault.answer, apiVersion: apiVersion, requestID: requestID)
    }

    /// An error that is the gateway's own, in the shape that this request asked for.
    public func failure(_ fault: WireFault, for request: WireRequest) -> WireResponse {
        failure(fault, apiVersion: request.apiVersion, requestID: request.requestID)
    }

    func failure(_ answer: ErrorAnswer, for request: WireRequest) -> WireResponse {
        errors.response(answer, apiVersion: request.apiVersion, requestID: request.requestID)
    }

    /// - Throws: `AuthError` of the backend, or ``ErrorAnswer``.
    private func perform(_ match: RouteMatch, _ call: Call) async throws -> WireResponse {
        guard let verb = match.verb else {
            if let level = match.endpoint.protection { _ = try await call.confirmedPrincipal(level) }
            throw noSuchRoute(call.request.method, match).answer
        }
        // What is asked most has a frame of its own: the one of all the others is large.
        switch match.endpoint {
        case .user: return verb == .get ? try await UserRoutes.show(call) : try await UserRoutes.update(call)
        case .token: return try await TokenRoutes.token(call)
        default: return try await performOther(match.endpoint, verb, call)
        }
    }

    private func performOther(
        _ endpoint: Endpoint, _ verb: RouteMatch.Verb, _ call: Call
    ) async throws -> WireResponse {
        switch endpoint {
        case .health: return health
        case .settings: return try await SettingsRoutes.settings(call)
        case .keySet: return try await WellKnownRoutes.keySet(call)
        case .signUp: return try await SignUpRoutes.signUp(call)
        case .token: return try await TokenRoutes.token(call)
        case .verify:
            return verb == .get ? try await VerifyRoutes.openLink(call) : try await VerifyRoutes.verify(call)
        case .logout: return try await LogoutRoutes.logout(call)
        case .user: return verb == .get ? try await UserRoutes.show(call) : try await UserRoutes.update(call)
        case .otp: return try await PasswordlessRoutes.sendCode(call)
        case .magicLink: return try await PasswordlessRoutes.sendMagicLink(call)
        case .recover: return try await PasswordlessRoutes.recover(call)
        case .resend: return try await PasswordlessRoutes.resend(call)
        case .reauthenticate: return try await PasswordlessRoutes.reauthenticate(call)
        case .invite: return try await AdminMailRoutes.invite(call)
        case .generateLink: return try await AdminMailRoutes.generateLink(call)
        case .audit: return try await AuditRoutes.list(call)
        case .adminUsers:
            return verb == .get ? try await AdminUserRoutes.list(call) : try await AdminUserRoutes.create(call)
        case .adminUser(let id):
            switch verb {
            case .get: return try await AdminUserRoutes.show(id, call)
            case .put: return try await AdminUserRoutes.update(id, call)
            case .delete, .post: return try await AdminUserRoutes.delete(id, call)
            }
        case .adminFactors(let user): return try await AdminFactorRoutes.list(user, call)
        case .adminFactor(let factor, let user):
            return verb == .put
                ? try await AdminFactorRoutes.update(factor, of: user, call)
                : try await AdminFactorRoutes.delete(factor, of: user, call)
        case .unknown: throw WireFault.pathNotFound.answer
        }
    }

    private func verb(_ method: String, at endpoint: Endpoint) -> RouteMatch.Verb? {
        switch (method, endpoint) {
        case (_, .unknown): nil
        case ("HEAD", .verify): nil
        case ("HEAD", _) where options.acceptsHEAD: verb("GET", at: endpoint)
        case ("GET", .health), ("GET", .settings), ("GET", .keySet), ("GET", .verify), ("GET", .user),
            ("GET", .adminUsers), ("GET", .adminUser), ("GET", .reauthenticate), ("GET", .audit),
            ("GET", .adminFactors):
            .get
        case ("POST", .signUp), ("POST", .token), ("POST", .verify), ("POST", .logout), ("POST", .adminUsers),
            ("POST", .otp), ("POST", .magicLink), ("POST", .recover), ("POST", .resend), ("POST", .invite),
            ("POST", .generateLink):
            .post
        case ("PUT", .user), ("PATCH", .user), ("PUT", .adminUser), ("PUT", .adminFactor): .put
        case ("PATCH", .adminUser) where options.allowsAdminPATCH: .put
        case ("DELETE", .adminUser), ("DELETE", .adminFactor): .delete
        default: nil
        }
    }

    /// Methods that the reference's router knows; any other is 405 on every path, without `Allow`.
    private static let knownMethods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
    ]

    private func noSuchRoute(_ method: String, _ match: RouteMatch) -> WireFault {
        guard Self.knownMethods.contains(method) else { return .methodNotAllowed(allowed: []) }
        guard match.isKnown else { return .pathNotFound }
        return .methodNotAllowed(allowed: match.endpoint.methods(options))
    }
}
