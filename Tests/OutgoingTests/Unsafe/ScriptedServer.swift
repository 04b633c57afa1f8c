import Foundation
import Glibc
import Synchronization

/// A TCP server on a port of its own whose every connection runs a script on a thread of its own.
final class ScriptedServer: Sendable {
    let port: Int
    private let listener: Int32
    private let kept = Mutex<[String]>([])

    /// Everything the scripts noted, in order.
    var notes: [String] { kept.withLock { $0 } }

    init(_ script: @escaping @Sendable (ScriptedConnection) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let isUp = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard listener >= 0, isUp else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread {
                    let connection = ScriptedConnection(
                        client, note: { note in self.kept.withLock { $0.append(note) } })
                    script(connection)
                    connection.close()
                }
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}

/// One connection of a scripted server; used by its own thread only.
final class ScriptedConnection {
    private let socket: Int32
    private var buffer: [UInt8] = []
    let note: (String) -> Void

    fileprivate init(_ socket: Int32, note: @escaping (String) -> Void) {
        self.socket = socket
        self.note = note
    }

    /// The next line without its end, or nil once the peer has hung up.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeSubrange(...end)
                return line.hasSuffix("\r") ? String(line.dropLast()) : line
            }
            guard fill() else { return nil }
        }
    }

    func bytes(_ count: Int) -> [UInt8]? {
        while buffer.count < count {
            guard fill() else { return nil }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Says nothing until the peer hangs up.
    func staySilent() {
        while fill() {}
    }

    fileprivate func close() {
        shutdown(socket, Int32(SHUT_RDWR))
        Glibc.close(socket)
    }
}

/// How a scripted mail server behaves.
struct MailScript: Sendable {
    var greeting = "220 test ready"
    var extensions = ["8BITMIME", "AUTH PLAIN LOGIN"]
    var auth = "235 ok"
    var recipient = "250 ok"
    var afterData = "250 kept"
    var answersQuit = true

    func run(_ peer: ScriptedConnection) {
        peer.write(greeting + "\r\n")
        while let line = peer.line() {
            peer.note(line)
            let verb = line.uppercased()
            if verb.hasPrefix("EHLO") {
                let lines = ["test"] + extensions
                for (index, text) in lines.enumerated() {
                    peer.write("250\(index + 1 == lines.count ? " " : "-")\(text)\r\n")
                }
            } else if verb.hasPrefix("AUTH") {
                peer.write(auth + "\r\n")
            } else if verb.hasPrefix("RCPT") {
                peer.write(recipient + "\r\n")
            } else if verb == "DATA" {
                peer.write("354 go on\r\n")
                var message: [String] = []
                while let row = peer.line(), row != "." { message.append(row) }
                peer.note("MESSAGE\n" + message.joined(separator: "\n"))
                peer.write(afterData + "\r\n")
            } else if verb == "QUIT" {
                guard answersQuit else { return peer.staySilent() }
                peer.write("221 bye\r\n")
                return
            } else {
                peer.write("250 ok\r\n")
            }
        }
    }
}
