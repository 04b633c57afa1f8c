import Foundation
import Outgoing
import Testing

@Suite("Mails over SMTP")
struct MailTests {
    let client: OutgoingClient

    init() throws {
        client = try OutgoingClient()
    }

    private func message(to: String = "ann@example.com") throws -> MailMessage {
        MailMessage(
            from: try MailAddress("auth@example.com", name: "Example"), to: try MailAddress(to),
            subject: "Willkommen, Jürgen",
            html: "<p>Your code: 123456</p>\n.\n<p>end</p>", text: "Your code: 123456",
            messageID: "1@example.com", dateUnixSeconds: 1_704_067_200, extraHeaders: [("X-Kind", "signup")])
    }

    private func server(_ port: Int, seconds: Double = 5) -> SMTPServer {
        var server = SMTPServer(host: "127.0.0.1", port: port, heloName: "gate.example.com")
        server.totalTimeout = .seconds(seconds)
        return server
    }

    private func failure(of server: SMTPServer) async throws -> OutgoingError? {
        do {
            try await client.deliver(try message(), via: server)
            return nil
        } catch let error as OutgoingError {
            return error
        }
    }

    @Test("a mail arrives with envelope, headers and both bodies")
    func arrives() async throws {
        let peer = try ScriptedServer { MailScript().run($0) }
        defer { peer.stop() }
        try await client.deliver(try message(), via: server(peer.port))
        let notes = peer.notes
        #expect(notes.contains("EHLO gate.example.com"))
        #expect(notes.contains { $0.hasPrefix("MAIL FROM:<auth@example.com>") })
        #expect(notes.contains("RCPT TO:<ann@example.com>"))
        #expect(!notes.contains { $0.hasPrefix("AUTH") })
        let mail = try #require(notes.first { $0.hasPrefix("MESSAGE") })
        for part in [
            "From: \"Example\" <auth@example.com>", "To: <ann@example.com>", "Subject: =?UTF-8?Q?", "X-Kind: signup",
            "Date: Mon, 01 Jan 2024 00:00:00 +0000", "Message-ID: <1@example.com>", "text/plain", "text/html",
            "123456", "=2E\n<p>end</p>",
        ] {
            #expect(mail.contains(part), "\(part)")
        }
    }

    @Test("user and password are sent when there are any, on loopback also in the clear")
    func authenticates() async throws {
        let peer = try ScriptedServer { MailScript().run($0) }
        defer { peer.stop() }
        var server = server(peer.port)
        (server.user, server.password) = ("ann", "s3cret")
        try await client.deliver(try message(), via: server)
        let plain = Data("\0ann\0s3cret".utf8).base64EncodedString()
        #expect(peer.notes.contains { $0.hasPrefix("AUTH PLAIN") } && peer.notes.contains { $0.contains(plain) })
    }

    @Test(
        "a refusal carries the reply code",
        arguments: [
            (MailScript(recipient: "550 no such mailbox"), 550), (MailScript(recipient: "450 later"), 450),
            (MailScript(afterData: "554 spam"), 554), (MailScript(afterData: "451 disk full"), 451),
            (MailScript(greeting: "421 busy"), 421),
        ])
    func refuses(script: MailScript, code: Int) async throws {
        let peer = try ScriptedServer { script.run($0) }
        defer { peer.stop() }
        let error = try #require(try await failure(of: server(peer.port)))
        #expect(error.kind == .mailReply(code))
        #expect(error.isPermanentRefusal == (code >= 500) && error.isTransient == (code < 500))
    }

    @Test("a wrong password is a permanent refusal, and the error does not hold it")
    func refusesPassword() async throws {
        let peer = try ScriptedServer { MailScript(auth: "535 no").run($0) }
        defer { peer.stop() }
        var server = server(peer.port)
        (server.user, server.password) = ("ann", "s3cret")
        let error = try #require(try await failure(of: server))
        #expect(error.kind == .mailReply(535))
        #expect(!"\(error) \(server)".contains("s3cret") && !String(reflecting: server).contains("s3cret"))
    }

    @Test("a silent server is left after the time-out")
    func hangs() async throws {
        let peer = try ScriptedServer { $0.staySilent() }
        defer { peer.stop() }
        #expect(try await failure(of: server(peer.port, seconds: 0.3))?.kind == .timedOut)
    }

    @Test("a server that hangs up at once is an error")
    func closes() async throws {
        let peer = try ScriptedServer { _ in }
        defer { peer.stop() }
        #expect(try await failure(of: server(peer.port))?.kind == .closed)
    }

    @Test("no server at all is refused")
    func nobody() async throws {
        let peer = try ScriptedServer { _ in }
        peer.stop()
        #expect(try await failure(of: server(peer.port))?.kind == .refused)
    }

    @Test("required STARTTLS that is not offered stops the mail before anything is said")
    func requiresTLS() async throws {
        let peer = try ScriptedServer { MailScript().run($0) }
        defer { peer.stop() }
        var server = server(peer.port)
        server.security = .startTLSRequired
        #expect(try await failure(of: server)?.kind == .tls)
        #expect(!peer.notes.contains { $0.hasPrefix("MAIL") })
    }

    @Test("a server that never answers QUIT does not cost the mail")
    func silentQuit() async throws {
        let peer = try ScriptedServer { MailScript(answersQuit: false).run($0) }
        defer { peer.stop() }
        // Waiting for QUIT's answer to the end of the time would fail the mail.
        await #expect(throws: Never.self) {
            try await client.deliver(try message(), via: server(peer.port, seconds: 30))
        }
    }

    @Test("line breaks cannot get into envelope or headers", arguments: ["a\r\nBcc: b", "a\nb", "a\0b"])
    func injection(text: String) async throws {
        #expect(throws: OutgoingError.self) { try MailAddress("\(text)@example.com") }
        #expect(throws: OutgoingError.self) { try MailAddress("a@example.com", name: text) }
        var mail = try message()
        mail.subject = text
        #expect(throws: OutgoingError.self) { try mail.encoded() }
        mail.subject = "x"
        mail.extraHeaders = [("X-A", text)]
        #expect(throws: OutgoingError.self) { try mail.encoded() }
        mail.extraHeaders = [("X-A: b\r\nX-B", "c")]
        #expect(throws: OutgoingError.self) { try mail.encoded() }
    }

    @Test(
        "addresses with brackets, blanks or several mailboxes are refused",
        arguments: [
            "", "a", "@b", "a@", "a@b@c", "<a@b>", "a b@c", "a,b@c", "a@b>c",
        ])
    func addresses(text: String) {
        #expect(throws: OutgoingError.self) { try MailAddress(text) }
    }

    @Test("quoted-printable keeps lines short and gives the text back")
    func quotedPrintable() throws {
        var mail = try message()
        mail.text = nil
        mail.html = String(repeating: "ä=x ", count: 200) + "\n\nlast \r\n.dot\rend"
        let text = String(decoding: try mail.encoded(), as: UTF8.self)
        #expect(text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 78 })
        #expect(!text.contains("\r\n.") && text.contains("last=20\r\n=2Edot\r\nend"))
    }

    @Test("long and foreign subjects become encoded words of legal length")
    func encodedSubject() throws {
        var mail = try message()
        mail.subject = String(repeating: "Grüße 🎉 ", count: 40)
        let lines = String(decoding: try mail.encoded(), as: UTF8.self).split(separator: "\r\n")
        #expect(
            lines.prefix { !$0.hasPrefix("Date") }.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { $0 < 128 } }
        )
    }
}
