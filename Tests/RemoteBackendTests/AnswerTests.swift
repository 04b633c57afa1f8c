import Backend
import Bytes
import EventLoop
import HTTPClient
import JSON
import TestKit
import Testing

@testable import Compat
@testable import RemoteBackend

/// A remote backend in front of a scripted server.
private struct ScriptedWorld {
    let upstream: ScriptedUpstream
    let group: EventLoopGroup
    let backend: RemoteBackend
    let clock = ManualClock()

    init(
        _ change: (inout RemoteBackend.Configuration) -> Void = { _ in }, script: @escaping ScriptedUpstream.Script
    ) throws {
        upstream = try ScriptedUpstream(script: script)
        group = try EventLoopGroup(count: 1)
        var options = HTTPClientOptions()
        options.connectPause = .milliseconds(1)
        options.answerTimeout = .milliseconds(50)
        let origin = try #require(Origin(upstream.url + "/auth/v1"))
        backend = RemoteWorld.backend(
            try HTTPClient(origin: origin, loops: group.loops, options: options), clock: clock, change)
    }

    func refresh() async -> Result<Session, AuthError> {
        do throws(AuthError) {
            return .success(try await backend.refresh(RawToken("abcdefghijkl"), RequestContext()))
        } catch {
            return .failure(error)
        }
    }

    func stop() {
        group.shutdown()
        upstream.stop()
    }
}

extension Result where Failure == AuthError {
    fileprivate var error: AuthError? { if case .failure(let error) = self { error } else { nil } }
}

@Suite("Answers of a remote server", .timeLimit(.minutes(1)))
struct RemoteAnswerTests {
    /// Every reason's answer, in both versions, is read as that reason again, and handed on word by word.
    @Test("Both shapes of every error are read as the reason they stand for", arguments: AuthError.Reason.allCases)
    func shapes(_ reason: AuthError.Reason) throws {
        let row = try #require(ErrorTable.rows[reason])
        guard reason != .remote else { return }
        let given = AuthError(reason, "x", "y", weakPasswordReasons: ["length"])
        let answer = ErrorTable.answer(for: given, .supabase)
        for version in [nil, "2024-01-01"] {
            let wire = ErrorWriter(addsDetail: false, saysWhenAfterTimeout: true)
                .response(answer, apiVersion: version, requestID: "r")
            let fields = wire.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
            let head = "HTTP/1.1 \(wire.status) X\r\n\(fields)\r\n"
            let response = ClientResponse(testing: head, body: wire.body)
            let reading = ErrorReading(
                reasonOf: { KnownErrors.reason(status: $0, code: $1, message: $2) }, random: SeededRandom())
            let read = reading.error(of: response)
            let isTold = row.code != nil && Self.ambiguous[reason] == nil
            if isTold { #expect(read.reason == reason) }
            if let like = Self.ambiguous[reason] { #expect(read.reason == like) }
            let again = ErrorTable.answer(for: read, .supabase)
            #expect(again.status == answer.status)
            #expect(again.message == answer.message)
            #expect(again.code == answer.code)
            #expect(again.weakPasswordReasons == answer.weakPasswordReasons)
        }
    }

    /// Reasons whose answer is another's, word by word.
    private static let ambiguous: [AuthError.Reason: AuthError.Reason] = [:]

    @Test(
        "What is not the auth server's is our failure, never the end of a session",
        arguments: [
            ScriptedUpstream.answer("<html>no</html>", status: "404 Not Found"),
            ScriptedUpstream.answer("404 page not found\n", status: "404 Not Found"),
            ScriptedUpstream.answer("{\"message\":\"Invalid authentication credentials\"}", status: "401 Unauthorized"),
            ScriptedUpstream.answer("{\"message\":\"Invalid API key\",\"hint\":\"x\"}", status: "401 Unauthorized"),
            ScriptedUpstream.answer("{\"code\":401,\"msg\":3}", status: "401 Unauthorized"),
            ScriptedUpstream.answer("", status: "403 Forbidden"),
            ScriptedUpstream.answer("{}", status: "400 Bad Request"),
            ScriptedUpstream.answer("[]"), ScriptedUpstream.answer("{\"access_token\":\"x\"}"),
            ScriptedUpstream.answer("no JSON"), ScriptedUpstream.answer("", status: "302 Found"), "SSH-2.0-x\r\n",
            ScriptedUpstream.answer("<html>", status: "502 Bad Gateway"), "",
        ])
    func foreign(_ answer: String) async throws {
        let world = try ScriptedWorld { _ in [.send(answer)] }
        defer { world.stop() }
        let error = try #require(await world.refresh().error)
        #expect(error.remote == nil)
        let shown = ErrorTable.answer(for: error, .supabase)
        #expect((502...504).contains(shown.status))
    }

    @Test("A server that is away is told as such, with a time to wait")
    func away() async throws {
        let world = try ScriptedWorld { _ in [.reset] }
        defer { world.group.shutdown() }
        let lost = try #require(await world.refresh().error)
        world.upstream.stop()
        let refused = try #require(await world.refresh().error)
        for error in [lost, refused] {
            #expect(error.reason == .unavailable)
            let delay = try #require(error.retryAfter)
            #expect(delay >= .seconds(1) && delay <= .seconds(10))
        }
    }

    @Test("A limit before the server is a limit")
    func limited() async throws {
        let world = try ScriptedWorld { _ in
            [.send(ScriptedUpstream.answer("slow down", status: "429 Too Many", fields: "Retry-After: 7\r\n"))]
        }
        defer { world.stop() }
        let error = try #require(await world.refresh().error)
        #expect(error.retryAfter == .seconds(7))
        #expect(ErrorTable.answer(for: error, .supabase).code == "over_request_rate_limit")
    }

    @Test("Members that are not known pass through, in users, identities, factors and sessions")
    func unknownMembers() async throws {
        let user = """
            {"id":"9cce5271-c731-4366-8240-b8c51b79a0d9","aud":"a","role":"r","email":"e@x.y","phone":"",\
            "app_metadata":{},"user_metadata":{},\
            "factors":[{"id":"206da2a1-b8e7-40d3-ba00-505eb251ff9b","created_at":"2026-11-30T08:36:51.957531Z",\
            "updated_at":"2026-11-30T08:36:51.957531Z","status":"verified","factor_type":"totp","phone":"",\
            "last_challenged_at":null,"colour":1}],\
            "identities":[{"identity_id":"206da2a1-b8e7-40d3-ba00-505eb251ff9b","id":"1",\
            "user_id":"9cce5271-c731-4366-8240-b8c51b79a0d9","provider":"email",\
            "created_at":"2026-11-30T08:36:51.957531Z","updated_at":"2026-11-30T08:36:51.957531Z","later":{"x":[1]}}],\
            "created_at":"2026-11-30T08:36:51.957531Z","updated_at":"2026-11-30T08:36:51.957531Z",\
            "is_anonymous":false,"is_sso_user":false}
            """
        let session = """
            {"access_token":"a.b.c","token_type":"bearer","expires_in":3600,"expires_at":1767323045,\
            "refresh_token":"r","user":\(user),"issued_by":"x"}
            """
        let world = try ScriptedWorld { _ in [.send(ScriptedUpstream.answer(session))] }
        defer { world.stop() }
        let read = try await world.refresh().get()
        #expect(String(decoding: read.user.wireJSON(), as: UTF8.self) == user)
        #expect(String(decoding: read.wireResponse().body, as: UTF8.self) == session)
    }

    @Test("Who asks is passed on: token, key, address, program, place to go back to")
    func passedOn() async throws {
        let world = try ScriptedWorld({ $0.anonymousKey = RawToken("the-key") }) { _ in
            [.send(ScriptedUpstream.answer("{}"))]
        }
        defer { world.stop() }
        var context = RequestContext(requestID: "id-1")
        context.bearer = RawToken("the.user.token")
        context.clientAddress = "203.0.113.7"
        context.userAgent = "app/1"
        context.requestedAudience = "aud"
        context.redirect = RedirectCandidates(explicit: "https://a.b/?c=d&e", referrer: "https://r.s")
        var recovery = Recovery()
        recovery.email = "a@example.com"
        try await world.backend.recover(recovery, context)
        let text = try #require(world.upstream.requests.first).text
        #expect(text.hasPrefix("POST /auth/v1/recover?redirect_to=https%3A%2F%2Fa.b%2F%3Fc%3Dd%26e HTTP/1.1\r\n"))
        for line in [
            "apikey: the-key", "Authorization: Bearer the.user.token", "X-Forwarded-For: 203.0.113.7",
            "User-Agent: app/1", "X-JWT-AUD: aud", "Referer: https://r.s", "X-Request-Id: id-1",
        ] { #expect(text.contains("\r\n\(line)\r\n")) }
        #expect(text.hasSuffix("\r\n\r\n{\"email\":\"a@example.com\"}"))
    }

    @Test("The service key stands in for a key of the service role that is no token")
    func serviceKey() async throws {
        let world = try ScriptedWorld({ $0.serviceKey = RawToken("service.key.x") }) { _ in
            [.send(ScriptedUpstream.answer("{\"users\":[],\"aud\":\"a\"}", fields: "X-Total-Count: 0\r\n"))]
        }
        defer { world.stop() }
        var context = RequestContext()
        context.keyRole = .service
        let principal = try await world.backend.authenticate(context, as: .administrator)
        #expect(try await world.backend.adminUsers(UserListQuery(), principal, context).total == 0)
        let text = try #require(world.upstream.requests.first).text
        #expect(text.contains("\r\nAuthorization: Bearer service.key.x\r\n"))
        await #expect(throws: AuthError.self) { try await world.backend.authenticate(context, as: .user) }
    }

    @Test("The key set goes on while the server is away")
    func keySet() async throws {
        let world = try ScriptedWorld { _ in [.send(ScriptedUpstream.answer("{\"keys\":[{\"kid\":\"1\"}]}"))] }
        defer { world.group.shutdown() }
        let first = try await world.backend.publicKeys(RequestContext())
        world.upstream.stop()
        world.clock.advance(by: .seconds(60))
        #expect(try await world.backend.publicKeys(RequestContext()) == first)
    }

    @Test("A page of maintenance in place of the key set does not displace it")
    func maintenance() async throws {
        let world = try ScriptedWorld { request in
            [.send(ScriptedUpstream.answer(request.number == 1 ? "{\"keys\":[]}" : "{\"status\":\"back soon\"}"))]
        }
        defer { world.stop() }
        let first = try await world.backend.publicKeys(RequestContext())
        world.clock.advance(by: .seconds(60))
        #expect(try await world.backend.publicKeys(RequestContext()) == first)
        #expect(world.upstream.requests.count == 2)
    }

    @Test("A relayed user is the server's own bytes; what is none is refused")
    func relayed() async throws {
        let body = "{\"odd\": [1 ,2], \"id\":\"9cce5271-c731-4366-8240-b8c51b79a0d9\"}"
        let world = try ScriptedWorld { request in
            [.send(ScriptedUpstream.answer(request.number == 1 ? body : "{\"id\":\"x\"}"))]
        }
        defer { world.stop() }
        #expect(try await world.backend.relayedUser(RawToken("t")) == Array(body.utf8))
        await #expect(throws: AuthError.self) { try await world.backend.relayedUser(RawToken("t")) }
    }
}
