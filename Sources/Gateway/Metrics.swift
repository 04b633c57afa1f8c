internal import HTTP1
internal import Bytes
internal import Synchronization

/// Counts of exchanges, in Prometheus' text format. Labels are bounded: routes are templates, methods are the known
/// ones. Every loop counts for itself; the numbers are added up when somebody asks.
public final class Metrics: Sendable {
    /// Upper bounds of the duration histogram, in microseconds.
    static let boundsMicroseconds: [UInt64] = [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        5_000_000, 10_000_000,
    ]

    struct Series: Hashable {
        let route: String
        let method: HTTPMethod
        let status: UInt16
    }

    struct Histogram {
        var counts = [UInt64](repeating: 0, count: Metrics.boundsMicroseconds.count + 1)
        var nanoseconds: UInt64 = 0
        var count: UInt64 = 0

        mutating func add(_ elapsed: UInt64) {
            let microseconds = elapsed / 1000
            let place = Metrics.boundsMicroseconds.firstIndex { microseconds <= $0 } ?? Metrics.boundsMicroseconds.count
            counts[place] &+= 1
            nanoseconds &+= elapsed
            count &+= 1
        }

        mutating func add(_ other: Histogram) {
            for place in counts.indices { counts[place] &+= other.counts[place] }
            nanoseconds &+= other.nanoseconds
            count &+= other.count
        }
    }

    /// One loop's numbers; the lock is only contended while somebody asks.
    final class Shard: Sendable {
        struct Slot {
            let series: Series
            var durations = Histogram()
        }

        struct State {
            var slots: [Slot] = []
            var places: [Series: Int] = [:]
            /// Where the last exchange was counted: most loops answer the same route again and again.
            var last = 0
            var bytesIn: UInt64 = 0
            var bytesOut: UInt64 = 0

            mutating func place(of series: Series) -> Int {
                if last < slots.count, slots[last].series == series { return last }
                if let known = places[series] { return known }
                slots.append(Slot(series: series))
                places[series] = slots.count - 1
                return slots.count - 1
            }
        }

        let state = Mutex(State())

        func count(_ series: Series, nanoseconds: UInt64, bytesIn: Int, bytesOut: Int) {
            state.withLock { state in
                let place = state.place(of: series)
                state.last = place
                state.slots[place].durations.add(nanoseconds)
                state.bytesIn &+= UInt64(max(0, bytesIn))
                state.bytesOut &+= UInt64(max(0, bytesOut))
            }
        }
    }

    /// A number that is asked for when it is shown.
    public struct Gauge: Sendable {
        let name: String
        let help: String
        let value: @Sendable () -> Int

        public init(_ name: String, help: String, value: @escaping @Sendable () -> Int) {
            self.name = name
            self.help = help
            self.value = value
        }
    }

    private let shards = Mutex<[Shard]>([])
    private let gauges = Mutex<[Gauge]>([])

    public init() {}

    func makeShard() -> Shard {
        let shard = Shard()
        shards.withLock { $0.append(shard) }
        return shard
    }

    /// Adds a number to what is shown.
    public func add(_ gauge: Gauge) { gauges.withLock { $0.append(gauge) } }

    /// Everything in Prometheus' text format, version 0.0.4.
    public func text() -> String {
        var requests: [Series: UInt64] = [:]
        var durations: [String: Histogram] = [:]
        var bytesIn: UInt64 = 0
        var bytesOut: UInt64 = 0
        for shard in shards.withLock({ $0 }) {
            let state = shard.state.withLock { $0 }
            for slot in state.slots {
                requests[slot.series, default: 0] &+= slot.durations.count
                durations[slot.series.route, default: Histogram()].add(slot.durations)
            }
            bytesIn &+= state.bytesIn
            bytesOut &+= state.bytesOut
        }
        var out = "# HELP drawbridge_http_requests_total Answered requests.\n"
        out += "# TYPE drawbridge_http_requests_total counter\n"
        for (series, count) in requests.sorted(by: { Self.order($0.key, $1.key) }) {
            out += "drawbridge_http_requests_total{route=\"\(series.route)\",method=\"\(series.method.name)\","
            out += "code=\"\(series.status)\"} \(count)\n"
        }
        Self.write(durations, to: &out)
        Self.write(
            "drawbridge_http_received_bytes_total", "Bytes of requests.", "counter", Int(clamping: bytesIn), &out)
        Self.write("drawbridge_http_sent_bytes_total", "Bytes of answers.", "counter", Int(clamping: bytesOut), &out)
        for gauge in gauges.withLock({ $0 }) { Self.write(gauge.name, gauge.help, "gauge", gauge.value(), &out) }
        return out
    }

    private static func order(_ left: Series, _ right: Series) -> Bool {
        (left.route, left.method.rawValue, left.status) < (right.route, right.method.rawValue, right.status)
    }

    private static func write(_ name: String, _ help: String, _ type: String, _ value: Int, _ out: inout String) {
        out += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(name) \(value)\n"
    }

    private static func write(_ durations: [String: Histogram], to out: inout String) {
        let name = "drawbridge_http_request_duration_seconds"
        out += "# HELP \(name) From the complete request to the queued answer.\n# TYPE \(name) histogram\n"
        for (route, histogram) in durations.sorted(by: { $0.key < $1.key }) {
            var sum: UInt64 = 0
            for (bound, count) in zip(boundsMicroseconds, histogram.counts) {
                sum &+= count
                out += "\(name)_bucket{route=\"\(route)\",le=\"\(Double(bound) / 1e6)\"} \(sum)\n"
            }
            out += "\(name)_bucket{route=\"\(route)\",le=\"+Inf\"} \(histogram.count)\n"
            out += "\(name)_sum{route=\"\(route)\"} \(Double(histogram.nanoseconds) / 1e9)\n"
            out += "\(name)_count{route=\"\(route)\"} \(histogram.count)\n"
        }
    }
}
