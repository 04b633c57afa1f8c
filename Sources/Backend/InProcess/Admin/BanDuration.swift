import Backend
import Bytes

/// What an administrator says about a ban. Source: supabase-admin.md 4.2 "ban_duration forms".
enum BanDuration: Equatable {
    case unchanged
    case lifted
    /// From now; a negative one is over already.
    case lasts(Duration)

    /// - Throws: `banDurationMalformed` with Go's complaint.
    init(_ text: String?) throws(AuthError) {
        guard let text, !text.isEmpty else {
            self = .unchanged
            return
        }
        guard text != "none" else {
            self = .lifted
            return
        }
        guard let duration = GoDuration.parse(text) else {
            throw AuthError(.banDurationMalformed, Self.complaint(text))
        }
        self = duration == .zero ? .lifted : .lasts(duration)
    }

    /// Sets `banned_until` and says whether it did.
    func apply(to user: inout Timestamp?, at now: Timestamp) -> Bool {
        switch self {
        case .unchanged: return false
        case .lifted: user = nil
        case .lasts(let duration): user = now + duration
        }
        return true
    }

    /// Go's `time.ParseDuration` in the cases that people meet.
    private static func complaint(_ text: String) -> String {
        let shown = "\"" + String(text.prefix(64)) + "\""
        let bytes = Array(text.utf8)
        let digits = bytes.prefix { (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2B || $0 == 0x2D }
        let rest = bytes.dropFirst(digits.count)
        guard digits.contains(where: { (0x30...0x39).contains($0) }) else { return "time: invalid duration \(shown)" }
        guard !rest.isEmpty else { return "time: missing unit in duration \(shown)" }
        let unit = String(decoding: rest.prefix { !(0x30...0x39).contains($0) && $0 != 0x2E }.prefix(32), as: UTF8.self)
        if ["ns", "us", "µs", "μs", "ms", "s", "m", "h"].contains(unit) { return "time: invalid duration \(shown)" }
        return "time: unknown unit \"\(unit)\" in duration \(shown)"
    }
}
