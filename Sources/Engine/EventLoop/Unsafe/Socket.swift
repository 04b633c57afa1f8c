public import Bytes
internal import CSys
internal import Glibc

/// What a read or write on a socket came to.
public enum TransferResult: Equatable, Sendable {
    /// So many bytes were moved; `isShort`: fewer than there was room for, so the socket is drained (or full).
    case moved(Int, isShort: Bool)
    case wouldBlock
    /// The peer has sent its last byte.
    case end
    case failed
}

/// A non-blocking TCP socket: the one place that makes system calls on connections. Owned by whoever holds it.
public struct Socket: ~Copyable {
    public let descriptor: Int32

    /// Takes over `descriptor`.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Appends what has arrived to `buffer`, at least `room` bytes of free space being made for it.
    public func read(into buffer: inout ByteBuffer, room: Int) -> TransferResult {
        var space = 0
        let fd = descriptor
        let count = unsafe buffer.appendWritten(atLeast: room) { free in
            space = free.count
            return unsafe recv(fd, free.baseAddress, free.count, 0)
        }
        if count > 0 { return .moved(count, isShort: count < space) }
        if count == 0 { return .end }
        return Self.isTemporary(errno) ? .wouldBlock : .failed
    }

    /// Sends the front of `buffer` and consumes what the kernel took.
    public func write(from buffer: inout ByteBuffer) -> TransferResult {
        let total = buffer.count
        let fd = descriptor
        let count = unsafe buffer.bytes.withUnsafeBufferPointer {
            unsafe send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count >= 0 else { return Self.isTemporary(errno) ? .wouldBlock : .failed }
        buffer.consume(count)
        return .moved(count, isShort: count < total)
    }

    private static func isTemporary(_ number: Int32) -> Bool {
        number == EAGAIN || number == EINTR
    }

    /// Bytes that the kernel holds because the peer has not taken them yet.
    public var unsentBytes: Int {
        var value: Int32 = 0
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &value) == 0 ? Int(value) : 0
    }

    /// Says that nothing more will be sent.
    public func shutdownWriting() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Gives the descriptor back. `isReset`: what is unsent is thrown away and the peer is told by a reset.
    public func close(isReset: Bool = false) {
        if isReset {
            var value = linger(l_onoff: 1, l_linger: 0)
            unsafe _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        }
        _ = Glibc.close(descriptor)
    }
}

/// What taking a connection from a listener came to.
public enum AcceptResult: Sendable {
    case accepted(descriptor: Int32, peer: SocketAddress)
    case wouldBlock
    /// No descriptors or memory are left; try again later.
    case exhausted
    /// The connection was gone before it could be taken; try again at once.
    case aborted
}

/// A listening TCP socket of one loop; several of them share an address (SO_REUSEPORT).
public struct ListeningSocket: Sendable {
    public let descriptor: Int32
    /// The address with the port that was bound.
    public let address: SocketAddress

    /// Binds and listens.
    /// - Parameter isShared: other sockets of this process may bind the same address.
    /// - Throws: `SystemError`; `isAddressInUse` tells whether someone else has the address.
    public init(_ wanted: SocketAddress, isShared: Bool, backlog: Int32 = 4096) throws(SystemError) {
        let fd = try Self.bound(wanted, isShared: isShared)
        guard listen(fd, backlog) == 0 else {
            let listenError = errno
            _ = Glibc.close(fd)
            throw SystemError("listen", listenError)
        }
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let named = unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe getsockname(fd, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        guard named == 0 else {
            _ = Glibc.close(fd)
            throw SystemError("getsockname")
        }
        descriptor = fd
        address = SocketAddress(storage)
    }

    /// Finds out whether someone else listens at an address, by binding it without listening: no connection is taken
    /// that would be reset.
    /// - Throws: `SystemError`; `isAddressInUse` tells that someone does.
    public static func checkFree(_ wanted: SocketAddress) throws(SystemError) {
        _ = Glibc.close(try bound(wanted, isShared: false))
    }

    private static func bound(_ wanted: SocketAddress, isShared: Bool) throws(SystemError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let fd = socket(wanted.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        guard fd >= 0 else { throw SystemError("socket") }
        Self.set(fd, SOL_SOCKET, SO_REUSEADDR)
        if isShared { Self.set(fd, SOL_SOCKET, SO_REUSEPORT) }
        if wanted.isIPv6 { Self.set(fd, Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
        // Connections inherit it from their listener.
        Self.set(fd, Int32(IPPROTO_TCP), TCP_NODELAY)
        let isBound = unsafe wanted.withKernelAddress { unsafe bind(fd, $0, $1) } == 0
        let bindError = errno
        guard isBound else {
            _ = Glibc.close(fd)
            throw SystemError("bind", bindError)
        }
        return fd
    }

    private static func set(_ fd: Int32, _ level: Int32, _ option: Int32) {
        var one: Int32 = 1
        unsafe _ = setsockopt(fd, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Takes one waiting connection.
    public func accept() -> AcceptResult {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let fd = unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe csys_accept4(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size, flags)
        }
        if fd >= 0 { return .accepted(descriptor: fd, peer: SocketAddress(storage)) }
        switch errno {
        case EAGAIN: return .wouldBlock
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
        default: return .aborted
        }
    }

    public func close() {
        _ = Glibc.close(descriptor)
    }
}
