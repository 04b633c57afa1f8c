/// An SMTP server that keeps every message it is given.
final class MailPeer: Sendable {
    /// How it behaves. Source: conformance-format.md, `script_mail`.
    enum Mode: String, Sendable {
        case keep
        /// 550 to every recipient.
        case refuse
        /// Hangs up at once.
        case close
        /// Takes the call and stays silent.
        case hang
    }

    private struct State: Sendable {
        var mode = Mode.keep
        var messages: [KeptMail] = []
    }

    static let messageBytesMax = 16 << 20

    let port: Int
    private let listener: BlockingSocket
    private let state = Watched(State())

    init(port: Int) throws(SocketFailure) {
        (listener, self.port) = try BlockingSocket.listen(port: port)
        let listener = listener, state = state
        Threads.start {
            while let caller = listener.accept() {
                Threads.start { Self.serve(caller, state) }
            }
        }
    }

    deinit { listener.stop() }

    func behave(_ mode: Mode) { state.change { $0.mode = mode } }

    /// The oldest message to an address that nobody has taken yet; nil if none comes in time.
    func take(_ address: String, seconds: Double) -> KeptMail? {
        let wanted = address.lowercased()
        return state.wait(seconds: seconds) { state in
            guard let index = state.messages.firstIndex(where: { $0.recipients.contains { $0.lowercased() == wanted } })
            else { return nil }
            return state.messages.remove(at: index)
        }
    }

    private static func serve(_ caller: BlockingSocket, _ state: Watched<State>) {
        caller.limit(seconds: 60)
        switch state.change({ $0.mode }) {
        case .close: return
        case .hang: _ = state.wait(seconds: 3600) { $0.mode == .hang ? nil : true }
        case .keep, .refuse:
            var dialogue = MailDialogue(caller)
            do {
                try dialogue.run(refuses: { state.change { $0.mode } == .refuse }) { mail in
                    state.change { $0.messages.append(mail) }
                }
            } catch {
                // A caller that hung up: what it delivered before is kept.
                return
            }
        }
    }
}

/// One SMTP connection.
private struct MailDialogue {
    private let socket: BlockingSocket
    private var buffer: [UInt8] = []
    private var start = 0

    init(_ socket: BlockingSocket) { self.socket = socket }

    mutating func run(refuses: () -> Bool, keep: (KeptMail) -> Void) throws(SocketFailure) {
        try say("220 127.0.0.1 ready")
        var recipients: [String] = []
        while let line = try line() {
            let verb = ExactText.trimmed(line).uppercased()
            if verb.hasPrefix("EHLO") || verb.hasPrefix("HELO") {
                try say("250-127.0.0.1\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN LOGIN")
            } else if verb.hasPrefix("AUTH LOGIN") {
                for _ in 0..<2 {
                    try say("334 VXNlcm5hbWU6")
                    _ = try self.line()
                }
                try say("235 ok")
            } else if verb.hasPrefix("AUTH") {
                try say("235 ok")
            } else if verb.hasPrefix("RCPT TO:") {
                if refuses() {
                    try say("550 no such mailbox")
                } else {
                    let address = ExactText.split(line, at: ":", cutsMax: 1).last ?? ""
                    recipients.append(ExactText.split(address, at: ">")[0].filter { $0 != "<" && $0 != " " })
                    try say("250 ok")
                }
            } else if verb == "DATA" {
                try say("354 go on")
                keep(MailReader.mail(try message(), recipients: recipients))
                recipients = []
                try say("250 kept")
            } else if verb == "QUIT" {
                try say("221 bye")
                return
            } else {
                try say("250 ok")
            }
        }
    }

    private func say(_ line: String) throws(SocketFailure) { try socket.send(Array((line + "\r\n").utf8)) }

    /// The message up to the line with a lone dot, dots at the beginning of lines undone.
    private mutating func message() throws(SocketFailure) -> [UInt8] {
        var out: [UInt8] = []
        while let row = try rawLine() {
            if row == Array(".\r\n".utf8) || row == Array(".\n".utf8) { break }
            out += row.starts(with: "..".utf8) ? row[1...] : row[...]
            guard out.count <= MailPeer.messageBytesMax else { throw SocketFailure("a mail of over 16 MiB") }
        }
        return out
    }

    private mutating func line() throws(SocketFailure) -> String? {
        try rawLine().map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func rawLine() throws(SocketFailure) -> [UInt8]? {
        var from = start
        while true {
            if let end = buffer[from...].firstIndex(of: 10) {
                defer { start = end + 1 }
                return Array(buffer[start...end])
            }
            buffer.removeFirst(start)
            start = 0
            from = buffer.count
            guard buffer.count <= MailPeer.messageBytesMax else { throw SocketFailure("a line of over 16 MiB") }
            let more = try socket.receive()
            guard !more.isEmpty else { return nil }
            buffer += more
        }
    }
}
