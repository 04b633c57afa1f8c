internal import CSys
internal import Glibc

extension Socket {
    /// Begins to connect to `address`. The result is known when the socket becomes writable: ask `connectError` then.
    /// - Throws: `SystemError` when the connection fails at once, or when there is no descriptor left.
    public static func connecting(to address: SocketAddress) throws(SystemError) -> Socket {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let fd = socket(address.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        guard fd >= 0 else { throw SystemError("socket") }
        var one: Int32 = 1
        unsafe _ = setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        let isConnected = unsafe address.withKernelAddress { unsafe connect(fd, $0, $1) } == 0
        let number = errno
        guard isConnected || number == EINPROGRESS else {
            _ = Glibc.close(fd)
            throw SystemError("connect", number)
        }
        return Socket(descriptor: fd)
    }

    /// How connecting ended: nil when it succeeded.
    public var connectError: SystemError? {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 else {
            return SystemError("getsockopt")
        }
        return number == 0 ? nil : SystemError("connect", number)
    }

    /// Whether nothing has arrived, no byte and no end either: an idle connection of which this is false is of no use.
    public var isQuiet: Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count < 0 && errno == EAGAIN
    }
}
