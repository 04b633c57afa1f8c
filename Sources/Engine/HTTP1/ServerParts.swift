internal import EventLoop
internal import Synchronization

/// The time-outs in nanoseconds.
struct TimeLimits {
    let head, idle, bodyGrace, write, linger: UInt64

    init(_ limits: HTTPLimits) {
        head = limits.headTimeout.loopNanoseconds
        idle = limits.idleTimeout.loopNanoseconds
        bodyGrace = limits.bodyGrace.loopNanoseconds
        write = limits.writeTimeout.loopNanoseconds
        linger = limits.lingerTimeout.loopNanoseconds
    }
}

/// A number that all loops change and anyone reads.
final class ConnectionCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ change: Int) {
        count.add(change, ordering: .relaxed)
    }
}
