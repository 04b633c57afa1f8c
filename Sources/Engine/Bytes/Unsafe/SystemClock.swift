internal import CSys

/// The system's wall clock (`CLOCK_REALTIME`); callable from any thread.
public struct SystemClock: WallClock {
    public init() {}

    /// The time now, to the microsecond.
    public func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(unixSeconds: Int64(time.tv_sec), microseconds: Int64(time.tv_nsec) / 1000)
    }
}
