internal import CSys
import Glibc

/// What the program asks of its process. Called by the main thread alone.
enum Process {
    static func exit(_ status: ExitStatus) -> Never { Glibc.exit(status.rawValue) }

    /// A write to a closed pipe, or beyond the limit of a file's size, shall fail and not end the process.
    static func ignoreFailedWrites() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
    }

    /// Cores that this process may run on.
    static var cores: Int {
        let count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        return min(max(1, count), 64)
    }

    /// Lets as many descriptors be opened as the system allows.
    static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        unsafe _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// Standard output and standard error, written whole.
enum Terminal {
    static func out(_ text: String) { write(Array(text.utf8), to: 1) }
    static func error(_ text: String) { write(Array(text.utf8), to: 2) }
    static var isTerminal: Bool { isatty(1) == 1 }

    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes what can be written without waiting, at most 4096 bytes at once; returns what is left.
    static func writeWithoutWaiting(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> ArraySlice<UInt8> {
        var rest = bytes
        while !rest.isEmpty {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&entry, 1, 0) > 0 else { return rest }
            if entry.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return [] }
            // A pipe that is ready takes PIPE_BUF bytes without blocking.
            let part = rest.prefix(4096)
            let count = unsafe part.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN ? rest : []
            }
            rest = rest.dropFirst(count)
        }
        return rest
    }
}
