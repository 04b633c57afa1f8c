internal import CSys
import Glibc

/// Why a call over the network gave no answer.
struct SocketFailure: Error, CustomStringConvertible {
    let description: String

    init(_ text: String) { description = text }

    static func last(_ call: String) -> SocketFailure {
        let number = errno
        if number == EAGAIN || number == EWOULDBLOCK { return SocketFailure("timed out") }
        return unsafe SocketFailure("\(call): \(String(cString: strerror(number)))")
    }
}

/// A stream socket whose calls wait. One thread uses it at a time; closed when nobody holds it any more.
final class BlockingSocket: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to a host; each later call waits for so many seconds at most.
    static func connect(host: String, port: Int, seconds: Int) throws(SocketFailure) -> BlockingSocket {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { throw unsafe SocketFailure("\(host): \(String(cString: gai_strerror(status)))") }
        defer { unsafe freeaddrinfo(list) }
        var failure = SocketFailure("\(host) has no address")
        var next = unsafe list
        while let entry = unsafe next {
            let kind = unsafe entry.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = unsafe socket(entry.pointee.ai_family, kind, entry.pointee.ai_protocol)
            if descriptor >= 0 {
                let made = BlockingSocket(descriptor)
                made.limit(seconds: seconds)
                if unsafe Glibc.connect(descriptor, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0 {
                    return made
                }
                failure = .last("connect")
            }
            unsafe next = entry.pointee.ai_next
        }
        throw failure
    }

    /// Listens on 127.0.0.1; port 0 takes a free one, which is returned.
    static func listen(port: Int) throws(SocketFailure) -> (BlockingSocket, Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .last("socket") }
        let made = BlockingSocket(descriptor)
        var one: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
        }
        guard bound == 0 else { throw .last("bind to port \(port)") }
        guard Glibc.listen(descriptor, 128) == 0 else { throw .last("listen") }
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe _ = getsockname(descriptor, $0, &length)
            }
        }
        return (made, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Waits for the next caller; nil when no more can come.
    func accept() -> BlockingSocket? {
        while true {
            let caller = csys_accept4(descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
            if caller >= 0 { return BlockingSocket(caller) }
            if errno == EMFILE || errno == ENFILE {
                Threads.rest(seconds: 0.05)
            } else if errno != EINTR && errno != ECONNABORTED {
                return nil
            }
        }
    }

    /// How long each call may wait.
    func limit(seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
        var one: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The bytes that came; none at the end.
    func receive() throws(SocketFailure) -> [UInt8] {
        var count = -1
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, length in
            repeat {
                count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            } while count < 0 && errno == EINTR
            length = max(0, count)
        }
        guard count >= 0 else { throw .last("receive") }
        return bytes
    }

    /// Sends all of it.
    func send(_ bytes: [UInt8]) throws(SocketFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw .last("send")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Wakes an ``accept()`` that waits, for the last time.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// A port that was free a moment ago.
    static func freePort() throws(SocketFailure) -> Int {
        let (_, port) = try listen(port: 0)
        return port
    }
}
