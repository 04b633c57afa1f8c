import Backend
import Bytes
import Crypto
import Store

/// A refresh token of the second form: it carries its session and a counter, sealed with the session's own key, so
/// that no row is written for it. Source: supabase-core.md 7.3.
struct CounterToken: Equatable, CustomStringConvertible, CustomReflectable {
    let session: UUID
    let counter: UInt64
    /// What the tag is made over, as it stands in the token.
    private let signed: [UInt8]
    private let tag: [UInt8]

    private static let version: UInt8 = 0
    private static let tagSize = 16
    private static let checksumSize = 4
    private static let idRange = 1..<17
    /// Bytes of the shortest token: a counter of one byte.
    private static let bytesMin = 38
    /// Characters of the longest token: a counter of ten bytes, 47 in all.
    static let lengthMax = 63

    /// Reads a token; nil for what cannot be one. Whether it is real, ``isGenuine(_:)`` knows.
    init?(_ text: String) {
        guard text.utf8.count <= Self.lengthMax, let bytes = Base64.decode(text, .url, padding: .forbidden),
            bytes.count >= Self.bytesMin, bytes[0] == Self.version
        else { return nil }
        let body = Array(bytes.dropLast(Self.checksumSize))
        guard ConstantTime.equals(Self.checksum(body), Array(bytes.suffix(Self.checksumSize))),
            let session = UUID(bytes: Array(bytes[Self.idRange])),
            let (counter, next) = Self.varint(in: body, from: Self.idRange.upperBound),
            body.count - next == Self.tagSize
        else { return nil }
        self.session = session
        self.counter = counter
        signed = Array(body[..<next])
        tag = Array(body[next...])
    }

    /// Makes the token of a session's counter.
    init(session: UUID, counter: UInt64, key: HMACKey) throws(CryptoError) {
        self.session = session
        self.counter = counter
        var bytes = [Self.version]
        bytes += session.bytes
        var rest = counter
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
        signed = bytes
        tag = Array(try HMAC(key).tag(bytes).prefix(Self.tagSize))
    }

    /// What a client is given.
    var text: String {
        let body = signed + tag
        return Base64.encodeURL(body + Self.checksum(body))
    }

    /// Whether the token was made with this key.
    func isGenuine(_ key: HMACKey) -> Bool {
        guard let expected = try? HMAC(key).tag(signed) else { return false }
        return ConstantTime.equals(Array(expected.prefix(Self.tagSize)), tag)
    }

    var description: String { "CounterToken(redacted)" }
    var customMirror: Mirror { Mirror(self, children: []) }

    private static func checksum(_ body: [UInt8]) -> [UInt8] {
        Array(SHA.sha256(body).prefix(checksumSize))
    }

    /// Unsigned LEB128: the number and the index after it; nil when it does not end or does not fit.
    private static func varint(in bytes: [UInt8], from start: Int) -> (UInt64, Int)? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        for index in start..<min(start + 10, bytes.count) {
            let byte = bytes[index]
            if shift == 63 && byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return (value, index + 1) }
            shift += 7
        }
        return nil
    }
}

/// What a presented counter token earns. Source: supabase-core.md 7.3.
enum CounterDecision: Equatable {
    /// Normal use: the counter goes on.
    case advance
    /// The client lost our answer: the newest token is handed out again.
    case resendLost
    /// An old token that may be used nevertheless: within the interval, or where reuse is allowed.
    case resendOld
    /// Higher than any that was issued.
    case notIssued
    /// Replay: the session ends, and that is kept although the caller gets an error.
    case endSession
    /// Replay where rotation is off.
    case refuse

    /// Pure.
    static func decide(
        presented: UInt64, current: UInt64, lastRefresh: Timestamp, now: Timestamp, _ policy: Policy
    ) -> CounterDecision {
        guard presented <= current else { return .notIssued }
        switch current - presented {
        case 0: return .advance
        case 1: return .resendLost
        default:
            if policy.allowsRefreshReuse || now - lastRefresh < policy.refreshReuseInterval { return .resendOld }
            return policy.rotatesRefreshTokens ? .endSession : .refuse
        }
    }
}

extension SessionRow {
    /// Begins a session's counter at zero.
    mutating func beginCounter(_ random: any RandomSource) {
        self.refreshTokenHMACKey = Base64.encodeURL(random.fill(32))
        self.refreshTokenCounter = 0
    }

    /// The key that the session's counter tokens are sealed with; nil where it has none.
    /// - Throws: `unexpected` for one that is encrypted, which this version cannot read: the session is not over.
    func counterKey() throws(AuthError) -> HMACKey? {
        guard let text = self.refreshTokenHMACKey, !text.isEmpty else { return nil }
        if text.hasPrefix("{") {
            throw AuthError(.unexpected, detail: "the refresh token key of a session is encrypted")
        }
        return Base64.decode(text, .url, padding: .forbidden).map { HMACKey($0) }
    }

    /// The last counter that was issued.
    var counter: UInt64 { UInt64(clamping: self.refreshTokenCounter ?? 0) }

    /// The token of the last counter that was issued.
    func counterToken(_ key: HMACKey) throws(AuthError) -> String {
        do {
            return try CounterToken(session: self.id.uuid, counter: counter, key: key).text
        } catch {
            throw AuthError(.unexpected, detail: "a refresh token could not be made")
        }
    }
}

/// Which sessions with classic tokens get counter tokens at their next refresh. Source: supabase-core.md 7.3 "Upgrade".
enum CounterUpgrade {
    /// Decided by the session's id alone, so that it does not change from one refresh to the next.
    static func applies(to session: SessionID, _ policy: Policy) -> Bool {
        guard policy.issuesCounterTokens, policy.counterUpgradePercentage > 0 else { return false }
        var sum: UInt32 = 0
        for byte in session.uuid.bytes { sum = (sum &* 31) &+ UInt32(byte) }
        return Int(sum % 100) < policy.counterUpgradePercentage
    }
}
