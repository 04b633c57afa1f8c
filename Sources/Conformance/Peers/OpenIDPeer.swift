import Bytes
import Crypto
import JSON

/// An OpenID provider (Keycloak's paths, and GitHub's) whose next user the case names.
///
/// Source: conformance-format.md, `idp`.
/// Any `/realms/NAME` is an issuer of its own with the same keys.
final class OpenIDPeer: Sendable {
    static let firstKey = "test-rsa-1"
    /// Keys are made when first named; no case needs more.
    private static let keysMax = 20

    let issuer: String
    private let server: PeerServer
    private let state: Watched<OpenIDState>
    private let random: any RandomSource
    private let clock: any WallClock

    init(port: Int, random: any RandomSource, clock: any WallClock) throws(SocketFailure) {
        (self.random, self.clock) = (random, clock)
        state = Watched(OpenIDState())
        server = try PeerServer(port: port)
        issuer = "http://127.0.0.1:\(server.port)/realms/test"
        server.start { [weak self] request in
            guard let self else { return nil }
            return request.method == "POST" ? self.exchange(request) : self.show(request)
        }
    }

    /// A new case begins: the first key alone is published.
    func reset() { state.change { $0.published = [Self.firstKey] } }

    func signIn(_ profile: JSONObject) { state.change { $0.profile = profile } }

    func publish(_ names: [String]) { state.change { $0.published = Array(names.prefix(Self.keysMax)) } }

    /// An ID token about a user; members of `override` come over the usual claims, null takes one away.
    func idToken(
        _ profile: JSONObject, audience: JSONValue, nonce: JSONValue?, signer: String, override: JSONObject
    ) throws(TestTokens.Failure) -> String {
        let now = clock.now().unixSeconds
        var claims: JSONObject = ["iss": .string(issuer), "aud": audience, "iat": .int(now), "exp": .int(now + 300)]
        for member in profile.members { claims[member.key] = member.value }
        if let nonce, !nonce.isNull { claims["nonce"] = nonce }
        for member in override.members { claims[member.key] = member.value }
        for member in claims.members where member.value.isNull { claims.remove(member.key) }
        let (key, _) = try self.signer(signer)
        return try TestTokens.signed(claims, with: key, id: .string(signer))
    }

    private func signer(_ name: String) throws(TestTokens.Failure) -> (SigningKey, JSONObject) {
        let found: (SigningKey, JSONObject)? = state.change { state in
            if let known = state.signers[name] { return known }
            guard state.signers.count < Self.keysMax, let jwk = try? JWK.generateRSA(id: name),
                let key = try? SigningKey(jwk), var shown = jwk.publicKey?.object
            else { return nil }
            shown["use"] = "sig"
            shown.remove("key_ops")
            state.signers[name] = (key, shown)
            return (key, shown)
        }
        guard let found else { throw TestTokens.Failure(text: "the key \(name) cannot be made") }
        return found
    }

    // MARK: What it answers

    private func json(_ value: JSONValue, status: Int = 200) -> PeerAnswer {
        PeerAnswer(status: status, body: Array(ValueText.spacedJSON(value).utf8))
    }

    private func show(_ request: PeerRequest) -> PeerAnswer? {
        let path = request.path
        let discovery = "/.well-known/openid-configuration"
        if ExactText.hasSuffix(path, discovery) {
            return json(discoveryDocument("http://127.0.0.1:\(server.port)" + path.dropLast(discovery.count)))
        }
        if ExactText.hasSuffix(path, "/certs") {
            let keys = state.change { $0.published }.compactMap { try? signer($0).1 }
            return json(["keys": .array(keys.map { .object($0) })])
        }
        if ExactText.hasSuffix(path, "/auth") || ExactText.hasSuffix(path, "/authorize") { return authorize(request) }
        let token = ExactText.without(request.headers["authorization"] ?? "", prefix: "Bearer ")
        let profile = state.change { $0.visits[token]?.profile }
        if ExactText.hasSuffix(path, "/userinfo") {
            if profile?["$fail"]?.string == "userinfo" { return json(["error": "server_error"], status: 500) }
            return profile.map { json(.object($0)) } ?? json(["error": "invalid_token"], status: 401)
        }
        if ExactText.hasSuffix(path, "/api/v3/user") || ExactText.hasSuffix(path, "/api/v3/user/emails") {
            guard var profile else { return json(["message": "Bad credentials"], status: 401) }
            let addresses = profile["emails"] ?? []
            profile.remove("emails")
            profile["id"] = profile["id"].flatMap { Int64(ValueText.plain($0)) }.map { .int($0) } ?? 0
            return json(ExactText.hasSuffix(path, "/emails") ? addresses : .object(profile))
        }
        return json([:], status: 404)
    }

    private func discoveryDocument(_ base: String) -> JSONValue {
        let protocolBase = base + "/protocol/openid-connect"
        return [
            "issuer": .string(base), "authorization_endpoint": .string(protocolBase + "/auth"),
            "token_endpoint": .string(protocolBase + "/token"),
            "userinfo_endpoint": .string(protocolBase + "/userinfo"),
            "jwks_uri": .string(protocolBase + "/certs"), "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
        ]
    }

    /// The user signs in, or says no, and is sent back.
    private func authorize(_ request: PeerRequest) -> PeerAnswer? {
        guard let target = URLText.field("redirect_uri", in: request.query) else { return nil }
        let back = URLText.field("state", in: request.query) ?? ""
        let code = Hex.encode(random.fill(12))
        let isDenied = state.change { state -> Bool in
            if let denied = state.profile["$deny"], denied != false, !denied.isNull { return true }
            state.visits[code] = OpenIDState.Visit(
                profile: state.profile, clientID: URLText.field("client_id", in: request.query) ?? "",
                nonce: URLText.field("nonce", in: request.query))
            return false
        }
        let query =
            isDenied
            ? "error=access_denied&error_description=The+user+said+no&state=" + URLText.quoted(back)
            : "code=\(code)&state=" + URLText.quoted(back)
        return PeerAnswer(
            status: 302, headers: [("content-type", "application/json"), ("location", target + "?" + query)])
    }

    private func exchange(_ request: PeerRequest) -> PeerAnswer? {
        guard ExactText.hasSuffix(request.target, "/token") || ExactText.hasSuffix(request.target, "/access_token")
        else {
            return json([:], status: 404)
        }
        let code = URLText.field("code", in: String(decoding: request.body, as: UTF8.self)) ?? ""
        let access = Hex.encode(random.fill(16))
        let visit = state.change { state -> OpenIDState.Visit? in
            guard let visit = state.visits.removeValue(forKey: code) else { return nil }
            state.visits[access] = visit
            return visit
        }
        guard let visit else { return json(["error": "invalid_grant"], status: 400) }
        let token = try? idToken(
            visit.profile, audience: .string(visit.clientID), nonce: visit.nonce.map { .string($0) },
            signer: Self.firstKey, override: [:])
        return json([
            "access_token": .string(access), "token_type": "Bearer", "expires_in": 300,
            "refresh_token": .string(Hex.encode(random.fill(8))), "id_token": token.map { .string($0) } ?? .null,
        ])
    }
}

/// What the OpenID provider remembers.
struct OpenIDState: Sendable {
    struct Visit: Sendable {
        var profile: JSONObject
        var clientID: String
        var nonce: String?
    }

    var profile = JSONObject()
    var published = [OpenIDPeer.firstKey]
    var signers: [String: (key: SigningKey, shown: JSONObject)] = [:]
    /// What was begun, by authorization code and later by access token.
    var visits: [String: Visit] = [:]
}
