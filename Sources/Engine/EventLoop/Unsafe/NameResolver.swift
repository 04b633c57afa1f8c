internal import Glibc
internal import Synchronization

/// Looks up the addresses of host names on threads of its own, so that no loop ever waits for a name server.
///
/// One look-up at a time; who asks meanwhile is told by the same answer.
public final class NameResolver: Sendable {
    /// The addresses found, in the order in which they are to be tried; empty when there are none or nobody knew.
    public typealias Answer = @Sendable ([SocketAddress]) -> Void

    private let host: String
    private let port: UInt16
    private let state = Mutex(State())

    private struct State {
        var waiting: [Answer] = []
        var isLooking = false
        var thread: EngineThread?
    }

    /// - Parameter host: a name, without brackets.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Starts a look-up unless one is under way. `answer` is called on the thread that looked up.
    public func lookUp(_ answer: @escaping Answer) {
        let (starts, ended) = state.withLock { state -> (Bool, EngineThread?) in
            state.waiting.append(answer)
            guard !state.isLooking else { return (false, nil) }
            state.isLooking = true
            defer { state.thread = nil }
            return (true, state.thread)
        }
        guard starts else { return }
        ended?.join()
        do {
            let thread = try EngineThread(name: "names") { [self] in finish(find()) }
            state.withLock { $0.thread = thread }
        } catch {
            finish([])
        }
    }

    private func finish(_ addresses: [SocketAddress]) {
        let waiting = state.withLock { state in
            state.isLooking = false
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for answer in waiting { answer(addresses) }
    }

    private func find() -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            var storage = sockaddr_storage()
            let size = unsafe min(Int(entry.pointee.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
            if let address = unsafe entry.pointee.ai_addr {
                unsafe withUnsafeMutableBytes(of: &storage) {
                    unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
                }
                let address = SocketAddress(storage)
                if !found.contains(address) { found.append(address) }
            }
            unsafe next = entry.pointee.ai_next
        }
        return found
    }
}
