/// A point in time: microseconds since 1970-01-01T00:00:00Z, as PostgreSQL keeps `timestamptz`.
///
/// Arithmetic saturates at the ends of the range instead of trapping.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Microseconds since 1970-01-01T00:00:00Z; negative before it.
    public let microseconds: Int64

    /// 1970-01-01T00:00:00Z.
    public static let epoch = Timestamp(microseconds: 0)

    /// Makes a point in time from microseconds since 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Makes a point in time from whole seconds since 1970 and microseconds on top; saturates.
    public init(unixSeconds: Int64, microseconds: Int64 = 0) {
        let scaled = unixSeconds.multipliedReportingOverflow(by: 1_000_000)
        let limit: Int64 = unixSeconds < 0 ? .min : .max
        self.microseconds = Self.saturatingSum(scaled.overflow ? limit : scaled.partialValue, microseconds)
    }

    /// Whole seconds since 1970, rounded down (towards the past).
    public var unixSeconds: Int64 {
        Self.floorDivide(microseconds, 1_000_000)
    }

    /// The same point in time with the fraction of its second cut off.
    public var wholeSeconds: Timestamp {
        Timestamp(unixSeconds: unixSeconds)
    }

    /// RFC 3339 in UTC, as Go's `time.RFC3339Nano` prints it: `2024-01-01T00:00:00.12Z`.
    public var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The time from `earlier` to this one, negative if it is later.
    public func since(_ earlier: Timestamp) -> Duration {
        let difference = microseconds.subtractingReportingOverflow(earlier.microseconds)
        guard !difference.overflow else { return .microseconds(microseconds < 0 ? Int64.min : Int64.max) }
        return .microseconds(difference.partialValue)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The point in time so much later; a duration finer than a microsecond is rounded down; saturates.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(microseconds: saturatingSum(time.microseconds, wholeMicroseconds(duration)))
    }

    /// The point in time so much earlier; saturates.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        let amount = wholeMicroseconds(duration)
        let result = time.microseconds.subtractingReportingOverflow(amount)
        guard result.overflow else { return Timestamp(microseconds: result.partialValue) }
        return Timestamp(microseconds: amount < 0 ? .max : .min)
    }

    /// The time between two points, negative if the first is the earlier.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        left.since(right)
    }

    private static func wholeMicroseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let scaled = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !scaled.overflow else { return seconds < 0 ? .min : .max }
        return saturatingSum(scaled.partialValue, floorDivide(attoseconds, 1_000_000_000_000))
    }

    private static func saturatingSum(_ left: Int64, _ right: Int64) -> Int64 {
        let sum = left.addingReportingOverflow(right)
        guard sum.overflow else { return sum.partialValue }
        return right < 0 ? .min : .max
    }

    static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}
