internal import Bytes
internal import JSON
internal import Synchronization

/// Whether the server was there when it was asked last, so that the log tells changes and not every request.
final class ServerHealth: Sendable {
    private let isLost = Atomic<Bool>(false)

    /// What to tell, if this is news.
    func answered() -> String? {
        guard isLost.load(ordering: .relaxed) else { return nil }
        let was = isLost.exchange(false, ordering: .relaxed)
        return was ? "the auth server behind this gateway answers again" : nil
    }

    func failed(_ reason: String) -> String? {
        guard !isLost.exchange(true, ordering: .relaxed) else { return nil }
        return "the auth server behind this gateway does not answer: \(reason)"
    }
}

/// An answer that is the same for everybody: asked again now and then, and kept while the server is away.
///
/// Source: reliability-security.md C ("slow/dead JWKS": stale while error 24 h; "local JWT/JWKS answers go on").
final class AnswerCache: Sendable {
    /// How long an answer is given without asking again, in microseconds.
    static let freshness: Int64 = 5_000_000
    /// How long it may stand in for a server that is away, in microseconds.
    static let staleness: Int64 = 86_400_000_000

    private let kept = Mutex<(value: JSONValue, at: Timestamp)?>(nil)

    func fresh(at now: Timestamp) -> JSONValue? { value(at: now, within: Self.freshness) }
    func stale(at now: Timestamp) -> JSONValue? { value(at: now, within: Self.staleness) }

    private func value(at now: Timestamp, within: Int64) -> JSONValue? {
        kept.withLock { kept in
            guard let kept else { return nil }
            let age = now.microseconds &- kept.at.microseconds
            guard age >= 0, age <= within else { return nil }
            return kept.value
        }
    }

    func keep(_ value: JSONValue, at now: Timestamp) {
        kept.withLock { $0 = (value, now) }
    }
}
