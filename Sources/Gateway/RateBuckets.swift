public import Compat
internal import Synchronization

/// How much one bucket lets through. Source: supabase-admin.md 16.
public struct RateLimit: Sendable, Equatable {
    /// Tokens a period.
    public var count: Double
    public var period: Duration
    /// Tokens that a fresh client has at once.
    public var burst: Double

    public init(count: Double, period: Duration, burst: Double) {
        self.count = count
        self.period = period
        self.burst = burst
    }
}

/// Token buckets for each kind of call and each client, exact over all loops.
///
/// The table is bounded: buckets that are full again tell nothing and go first, then those that were used longest ago.
public final class RateBuckets: RateLimiting {
    /// Clients remembered for each kind of call.
    public static let clientsMax = 100_000

    private struct Bucket {
        var tokens: Double
        /// Nanoseconds of the monotonic clock.
        var time: UInt64
    }

    private struct Table {
        var buckets: [String: Bucket] = [:]
    }

    private final class Shard: Sendable {
        let limit: RateLimit
        let perNanosecond: Double
        let table = Mutex(Table())

        init(_ limit: RateLimit) {
            self.limit = limit
            let (seconds, attoseconds) = limit.period.components
            let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
            perNanosecond = nanoseconds > 0 ? limit.count / nanoseconds : 0
        }
    }

    private let shards: [RateLimitBucket: Shard]
    private let now: @Sendable () -> UInt64
    private let clientsMax: Int

    /// - Parameters:
    ///   - limits: kinds of call that are not named are not limited.
    ///   - now: a monotonic clock in nanoseconds.
    public init(
        _ limits: [RateLimitBucket: RateLimit], clientsMax: Int = RateBuckets.clientsMax,
        now: @escaping @Sendable () -> UInt64
    ) {
        shards = limits.mapValues { Shard($0) }
        self.clientsMax = max(1, clientsMax)
        self.now = now
    }

    public func take(_ bucket: RateLimitBucket, key: String) -> Duration? {
        guard let shard = shards[bucket] else { return nil }
        let time = now()
        return shard.table.withLock { table in
            var entry = table.buckets[key] ?? Bucket(tokens: shard.limit.burst, time: time)
            entry.tokens = Self.tokens(entry, at: time, shard)
            entry.time = max(entry.time, time)
            let isLetIn = entry.tokens >= 1
            if isLetIn { entry.tokens -= 1 }
            if table.buckets[key] == nil, table.buckets.count >= clientsMax { makeRoom(&table, at: time, shard) }
            table.buckets[key] = entry
            return isLetIn ? nil : Self.wait(for: entry, shard)
        }
    }

    private static func tokens(_ bucket: Bucket, at time: UInt64, _ shard: Shard) -> Double {
        let elapsed = time > bucket.time ? Double(time - bucket.time) : 0
        return min(shard.limit.burst, bucket.tokens + elapsed * shard.perNanosecond)
    }

    /// The longest time that a refused client is told to wait.
    private static let waitMax: Duration = .seconds(3600)

    private static func wait(for bucket: Bucket, _ shard: Shard) -> Duration {
        guard shard.perNanosecond > 0, shard.limit.burst >= 1 else { return waitMax }
        let nanoseconds = (1 - bucket.tokens) / shard.perNanosecond
        guard nanoseconds < 3600e9 else { return waitMax }
        return .nanoseconds(Int64(nanoseconds.rounded(.up)))
    }

    /// Drops full buckets, and when that is not enough the older half.
    private func makeRoom(_ table: inout Table, at time: UInt64, _ shard: Shard) {
        table.buckets = table.buckets.filter { Self.tokens($0.value, at: time, shard) < shard.limit.burst }
        guard table.buckets.count >= clientsMax else { return }
        let times = table.buckets.values.map(\.time).sorted()
        let middle = times[times.count / 2]
        table.buckets = table.buckets.filter { $0.value.time > middle }
    }
}
