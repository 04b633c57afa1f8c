import EventLoop
import Glibc

/// A blocking client that sends bytes as they are and reads what comes back.
final class RawClient {
    private let descriptor: Int32

    init(_ address: SocketAddress) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = address.port.bigEndian
        target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let fd = descriptor
        let connected = unsafe withUnsafePointer(to: &target) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(fd, $0, size) }
        }
        guard connected == 0 else { throw SystemError("connect") }
    }

    deinit {
        _ = close(descriptor)
    }

    func send(_ text: String) {
        let bytes = [UInt8](text.utf8)
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = unsafe Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            if count <= 0 { return }
            sent += count
        }
    }

    func finishSending() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Reads until `text` has come, or the server closes.
    func read(until text: String) -> String {
        var all = ""
        while !all.hasSuffix(text) {
            guard let part = readSome() else { return all + "<closed>" }
            all += part
        }
        return all
    }

    /// Reads until the server closes.
    func readToEnd() -> String {
        var all = ""
        while let part = readSome() { all += part }
        return all
    }

    /// What has come; nil at the end.
    private func readSome() -> String? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
