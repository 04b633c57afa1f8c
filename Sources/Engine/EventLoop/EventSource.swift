/// What the kernel reported about a file descriptor.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There are bytes (or connections) to take.
    public static let readable = Readiness(rawValue: 0x001)
    /// There is room to write.
    public static let writable = Readiness(rawValue: 0x004)
    /// The descriptor is broken.
    public static let failed = Readiness(rawValue: 0x008)
    /// Both directions are closed.
    public static let hungUp = Readiness(rawValue: 0x010)
    /// The peer will send no more (half-close).
    public static let peerClosed = Readiness(rawValue: 0x2000)
}

/// How a source is told about readiness.
public enum Trigger: Sendable {
    /// Once per change, for reading and writing. The source must go on until the kernel says "would block".
    case edge
    /// As long as there is something to read.
    case level
}

/// Something with a file descriptor that an `EventLoop` watches. Every method is called on the loop's thread.
open class EventSource {
    /// The watched descriptor. The source owns it and closes it after `EventLoop.remove`.
    public let descriptor: Int32
    /// The place in the loop's table; -1 when the source is not watched.
    var slot = -1
    var isInTurnList = false
    /// When `deadlinePassed` is wanted, in nanoseconds of the loop's clock; `.max`: never.
    var deadline = UInt64.max

    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether a loop watches the source.
    public final var isWatched: Bool { slot >= 0 }

    /// The kernel reported `readiness`.
    open func ready(_ readiness: Readiness) {}

    /// The deadline set by `EventLoop.setDeadline` has passed; it is no longer set.
    open func deadlinePassed() {}

    /// The turn of the loop ends; called once after `EventLoop.callAtEndOfTurn`.
    open func endOfTurn() {}
}
