import Backend
import Bytes

/// The shortest time between two messages of one purpose to one account. Source: supabase-core.md 8.4.
struct SendInterval: Sendable {
    let interval: Duration

    /// Whether a message may leave now.
    /// - Throws: the given reason, with the whole seconds left, rounded up, in its argument (FR-61).
    func check(
        lastSent: Timestamp?, now: Timestamp, _ reason: AuthError.Reason
    ) throws(AuthError) {
        guard let lastSent else { return }
        let left = (lastSent + interval).since(now)
        guard left > .zero else { return }
        let (whole, rest) = left.components
        let seconds = max(rest > 0 ? whole &+ 1 : whole, 1)
        throw AuthError(reason, String(seconds), retryAfter: .seconds(seconds))
    }
}

/// How many messages may leave the whole server: a fixed window of an hour, or a bucket. A value; whoever keeps it
/// serialises access. Source: supabase-admin.md 16.
struct SendBudget: Sendable {
    static let window: Duration = .seconds(3600)

    private let limit: SendLimit
    private var windowStart: Timestamp?
    private var used = 0
    private var level: Double
    private var filledAt: Timestamp?

    init(_ limit: SendLimit) {
        self.limit = limit
        if case .bucket(let size, _) = limit { level = Double(max(size, 0)) } else { level = 0 }
    }

    /// True when nothing at all may leave.
    var isClosed: Bool {
        switch limit {
        case .perHour(let count): count <= 0
        case .bucket(let size, _): size <= 0
        case .unlimited: false
        }
    }

    /// Takes one message out of the budget; false when none is left.
    mutating func take(at now: Timestamp) -> Bool {
        switch limit {
        case .unlimited: return true
        case .perHour(let count):
            if let start = windowStart, now >= start, now.since(start) < Self.window {
                guard used < count else { return false }
                used += 1
                return true
            }
            guard count > 0 else { return false }
            windowStart = now
            used = 1
            return true
        case .bucket(let size, let step):
            refill(size: size, step: step, now: now)
            guard level >= 1 else { return false }
            level -= 1
            return true
        }
    }

    private mutating func refill(size: Int, step: Duration, now: Timestamp) {
        defer { filledAt = now }
        guard let filledAt, now > filledAt else { return }
        let stepSeconds = step / .seconds(1)
        let gained = stepSeconds > 0 ? (now.since(filledAt) / .seconds(1)) / stepSeconds : Double(size)
        level = min(Double(size), level + gained)
    }
}
