public import Bytes
import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: WallClock {
    private let time: Mutex<Timestamp>

    /// - Parameter start: 2026-01-02T03:04:05.678901Z unless said otherwise.
    public init(_ start: Timestamp = Timestamp(unixSeconds: 1_767_323_045, microseconds: 678_901)) {
        time = Mutex(start)
    }

    /// The time at which it stands.
    public func now() -> Timestamp { time.withLock { $0 } }

    /// Moves it on, or back.
    public func advance(by duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}
