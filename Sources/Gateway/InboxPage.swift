internal import Bytes
internal import HTTP1
internal import JSON

/// The page of the built-in inbox and its JSON. Source: interface.md, addresses.
enum InboxPage {
    /// Messages of one answer.
    static let messagesMax = 200

    /// Scripts and styles come from this server alone, mails are shown in a frame without rights and load nothing.
    static let contentPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; "
        + "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    static let safety = [
        HTTPField("Content-Security-Policy", contentPolicy), HTTPField("X-Content-Type-Options", "nosniff"),
        HTTPField("Referrer-Policy", "no-referrer"), HTTPField("Cross-Origin-Resource-Policy", "same-origin"),
        HTTPField("Cache-Control", "no-store"),
    ]

    static func page(_ path: String) -> HTTPResponse? {
        switch path {
        case "/inbox", "/inbox/": answer("text/html; charset=utf-8", html)
        case "/inbox/inbox.css": answer("text/css; charset=utf-8", css)
        case "/inbox/inbox.js": answer("text/javascript; charset=utf-8", script)
        default: nil
        }
    }

    private static func answer(_ type: String, _ body: String) -> HTTPResponse {
        HTTPResponse(.ok, fields: [HTTPField("Content-Type", type)] + safety, body: Array(body.utf8))
    }

    /// The messages as JSON, newest first.
    static func messages(_ messages: [InboxMessage]) -> HTTPResponse {
        var writer = JSONWriter(capacity: 4096)
        writer.beginArray()
        for message in messages {
            writer.beginObject()
            writer.field("id", String(message.id))
            writer.field("channel", message.channel)
            writer.field("to", message.to)
            writer.field("from", message.from)
            writer.field("subject", message.subject)
            writer.field("html", message.html)
            writer.field("text", message.text)
            writer.key("code")
            if let code = message.code { writer.string(code) } else { writer.null() }
            writer.key("link")
            if let link = message.link { writer.string(link) } else { writer.null() }
            writer.field("created_at", message.createdAt.description)
            writer.endObject()
        }
        writer.endArray()
        return HTTPResponse(
            .ok, fields: [HTTPField("Content-Type", "application/json")] + safety, body: writer.bytes)
    }

    /// Whether a browser's request comes from the inbox's own page (or from no browser at all): the Host must be this
    /// machine, so that no foreign name that was bound to it reads mail, and a foreign origin is refused.
    static func isOwnRequest(host: String, origin: String?, fetchSite: String?, access: InboxAccess) -> Bool {
        switch access {
        case .never: return false
        case .loopback: if !isLoopbackName(host) { return false }
        case .anyone: break
        }
        if let fetchSite, fetchSite != "same-origin", fetchSite != "none" { return false }
        guard let origin else { return true }
        return origin.lowercased() == "http://" + host.lowercased()
            || origin.lowercased() == "https://" + host.lowercased()
    }

    /// `localhost`, `127.x.x.x` or `[::1]`, with or without a port.
    static func isLoopbackName(_ host: String) -> Bool {
        let name: String
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            name = String(host[host.index(after: host.startIndex)..<end])
        } else {
            name = host.prefix { $0 != ":" }.lowercased()
        }
        if name == "localhost" { return true }
        guard let bytes = IPNetwork.address(name) else { return false }
        if name.contains(":") { return bytes == IPNetwork.address("::1") }
        return bytes[12] == 127
    }
}
