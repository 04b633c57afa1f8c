internal import EventLoop
internal import Synchronization

/// The addresses of a client's server, found again from time to time. Any thread may ask.
final class AddressBook: Sendable {
    /// How long addresses count when nobody can say any more whether they are right, in nanoseconds.
    /// Source: reliability-security C ("DNS failure").
    static let staleMax: UInt64 = 300_000_000_000

    private let resolver: NameResolver?
    private let state: Mutex<State>

    private struct State {
        var addresses: [SocketAddress]
        /// When they were found, in nanoseconds of the loops' clock.
        var foundAt: UInt64 = 0
        var askedAt: UInt64 = 0
    }

    init(_ origin: Origin) {
        if let address = SocketAddress(host: origin.host, port: origin.port) {
            resolver = nil
            state = Mutex(State(addresses: [address]))
        } else {
            resolver = NameResolver(host: origin.host, port: origin.port)
            state = Mutex(State(addresses: []))
        }
    }

    /// The addresses as far as they are known; nil when a look-up has to be waited for. Starts one when they are old.
    /// - Parameter lifetime: in nanoseconds.
    func known(now: UInt64, lifetime: UInt64) -> [SocketAddress]? {
        guard let resolver else { return state.withLock { $0.addresses } }
        let (addresses, asks) = state.withLock { state -> ([SocketAddress]?, Bool) in
            guard !state.addresses.isEmpty, now &- state.foundAt <= Self.staleMax else { return (nil, false) }
            let asks = now &- state.foundAt > lifetime && now &- state.askedAt > lifetime / 4
            if asks { state.askedAt = now }
            return (state.addresses, asks)
        }
        if asks { resolver.lookUp { [self] in keep($0) } }
        return addresses
    }

    /// Looks the addresses up. `answer` is called on another thread; empty: there are none.
    func lookUp(_ answer: @escaping @Sendable ([SocketAddress]) -> Void) {
        guard let resolver else {
            answer(state.withLock { $0.addresses })
            return
        }
        resolver.lookUp { [self] found in
            keep(found)
            answer(found)
        }
    }

    private func keep(_ found: [SocketAddress]) {
        guard !found.isEmpty else { return }
        state.withLock { state in
            state.addresses = found
            state.foundAt = LoopClock.now()
        }
    }
}
