import Bytes
import Crypto
import JSON

/// Records calls to hooks and answers as the case scripts it.
///
/// Also serves mail templates and a range API of leaked passwords.
final class HookPeer: Sendable {
    /// A call as it came.
    struct Call: Sendable {
        var path: String
        var headers: [String: String]
        var body: [UInt8]
        var isTaken = false
    }

    /// One scripted answer. Source: conformance-format.md, `script_hook`.
    struct Answer: Sendable {
        var status = 200
        var payload: JSONValue = [:]
        var delaySeconds = 0.0
        /// Over the usual ones; an empty value leaves a header out.
        var headers: [(name: String, value: String)] = []
        var rawText: String?
        var hangsUp = false
        /// Made before the answer.
        var call: HTTPCall?
    }

    private struct State: Sendable {
        var calls: [Call] = []
        var script: [String: [Answer]] = [:]
    }

    /// Calls that nobody asked about are forgotten beyond this number.
    private static let callsMax = 10_000

    let url: String
    private let server: PeerServer
    private let state: Watched<State>

    init(port: Int, caller: HTTPCaller) throws(SocketFailure) {
        let state = Watched(State())
        self.state = state
        server = try PeerServer(port: port)
        url = "http://127.0.0.1:\(server.port)"
        server.start { request in
            switch request.method {
            case "GET": HookPages.answer(request.target)
            case "POST": Self.answer(request, state, caller)
            default: PeerAnswer(status: 501)
            }
        }
    }

    /// Forgets calls and scripts: a new case begins.
    func reset() { state.change { $0 = State() } }

    func script(_ path: String, _ answers: [Answer]) { state.change { $0.script[path] = answers } }

    /// The oldest call to a path that nobody has taken yet; nil if none comes in time.
    func take(_ path: String, seconds: Double) -> Call? {
        state.wait(seconds: seconds) { state in
            guard let index = state.calls.firstIndex(where: { !$0.isTaken && ExactText.isEqual($0.path, path) }) else {
                return nil
            }
            state.calls[index].isTaken = true
            return state.calls[index]
        }
    }

    /// Whether one of the call's webhook signatures is by this secret (`v1,whsec_…`). Source: Standard Webhooks.
    static func isSigned(_ call: Call, by secret: String) -> Bool {
        let text = ExactText.split(secret, at: "whsec_").last ?? ""
        guard let key = Base64.decodeLenient(text), let mac = try? HMAC(HMACKey(key)) else { return false }
        let id = call.headers["webhook-id"] ?? "", time = call.headers["webhook-timestamp"] ?? ""
        guard let tag = try? mac.tag(Array("\(id).\(time).".utf8) + call.body) else { return false }
        let signatures = call.headers["webhook-signature"] ?? ""
        return signatures.split { $0 == " " || $0 == "," }.contains { $0 == Base64.encode(tag) }
    }

    private static func answer(_ request: PeerRequest, _ state: Watched<State>, _ caller: HTTPCaller) -> PeerAnswer? {
        let answer = state.change { state in
            if state.calls.count < callsMax {
                state.calls.append(Call(path: request.target, headers: request.headers, body: request.body))
            }
            guard var answers = state.script[request.target], let next = answers.first else { return Answer() }
            if answers.count > 1 {
                answers.removeFirst()
                state.script[request.target] = answers
            }
            return next
        }
        if let call = answer.call { _ = try? caller.send(call) }
        if answer.delaySeconds > 0 { Threads.rest(seconds: answer.delaySeconds) }
        if answer.hangsUp { return nil }
        var out = PeerAnswer(status: answer.status)
        for (name, value) in answer.headers {
            out.headers.removeAll { $0.name == name }
            out.headers.append((name, value))
        }
        let json = ValueText.spacedJSON(changedClaims(answer.payload, request.body))
        out.body = Array((answer.rawText ?? json).utf8)
        return out
    }

    /// `{"$claims": {…}, "$without": […]}` becomes the call's own claims with these changes.
    private static func changedClaims(_ payload: JSONValue, _ body: [UInt8]) -> JSONValue {
        guard let changes = payload["$claims"]?.object else { return payload }
        var claims = (try? JSONValue.parse(body))?["claims"]?.object ?? JSONObject()
        for member in changes.members { claims[member.key] = member.value }
        for name in payload["$without"]?.array ?? [] { name.string.map { claims.remove($0) } }
        return ["claims": .object(claims)]
    }
}

/// What the hook server shows to GET: mail templates, and a range API that knows two leaked passwords.
enum HookPages {
    private static let link = #"<p><a href="{{ .ConfirmationURL }}">Continue</a></p>"# + "\n"
    private static let pages: [String: String] = [
        "hash": #"<p>{{ .Token }}</p><p><a href="{{ .SiteURL }}/landing?token_hash={{ .TokenHash }}&amp;kind=mail">"#
            + "Continue</a></p>\n",
        "all": "<p>{{ .Token }}</p><ul><li>site={{ .SiteURL }}</li><li>email={{ .Email }}</li>"
            + "<li>new={{ .NewEmail }}</li><li>to={{ .SendingTo }}</li><li>redirect={{ .RedirectTo }}</li>"
            + "<li>data={{ .Data.nickname }}</li>"
            + "<li>{{ if eq .Email .SendingTo }}same{{ else }}other{{ end }}</li></ul>" + link,
        "data": #"<p>{{ .Token }}</p><p title="{{ .Data.nickname }}">Hello {{ .Data.nickname }}!</p>"# + "\n",
        "notice":
            "<ul><li>site={{ .SiteURL }}</li><li>email={{ .Email }}</li><li>old={{ .OldEmail }}{{ .OldPhone }}</li>"
            + "<li>phone={{ .Phone }}</li><li>provider={{ .Provider }}</li><li>data={{ .Data.nickname }}</li></ul>\n",
        "unclosed": "<p>{{ .Token </p>\n",
        "unknown": "<p>{{ .Token }}</p><p>[{{ .Nonsense }}]</p>\n",
    ]
    private static let leaked = ["leaked-Password-1", "leaked-Password-2"]

    static func answer(_ target: String) -> PeerAnswer {
        if ExactText.hasPrefix(target, "/range/") { return range(ExactText.without(target, prefix: "/range/")) }
        guard ExactText.hasPrefix(target, "/templates/") else { return PeerAnswer(status: 404, headers: []) }
        var name = ExactText.without(target, prefix: "/templates/")
        if ExactText.hasSuffix(name, ".html") { name = String(name.dropLast(5)) }
        var page = pages[name] ?? "<p>{{ .Token }}</p>" + link
        if name == "large" {
            page = "<p>{{ .Token }}</p><p>" + String(repeating: "long text ", count: 220_000) + "</p>\n"
        }
        return PeerAnswer(
            status: 200, headers: [("content-type", "text/html; charset=utf-8")], body: Array(page.utf8))
    }

    private static func range(_ start: String) -> PeerAnswer {
        let zeros = String(repeating: "0", count: 40)
        let wanted = String(start.prefix(5)).uppercased()
        let hashes = [zeros] + leaked.map { Hex.encode(SHA.sha1(Array($0.utf8))).uppercased() }
        let lines = hashes.filter { $0 == zeros || $0.hasPrefix(wanted) }.map { "\($0.dropFirst(5)):3\r\n" }
        return PeerAnswer(status: 200, headers: [("content-type", "text/plain")], body: Array(lines.joined().utf8))
    }
}
