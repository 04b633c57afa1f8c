import Backend
import Bytes
import Store
import Synchronization

/// An account as it was read at one moment; handed on in ``Principal/backendState``.
final class AccountSnapshot: Sendable {
    let rows: AccountRows
    let user: User

    init(_ rows: AccountRows) {
        self.rows = rows
        user = User(rows)
    }
}

/// A token whose signature was checked, with what was read for it.
final class KnownToken: Sendable {
    let token: RawToken
    let claims: AccessTokenClaims
    /// nil when the token names no user (keys of administrators).
    let userID: UserID?
    let sessionID: SessionID?
    let account: AccountSnapshot?
    /// The stamp of the account's rows, taken before they were read.
    let stamp: UInt64?

    init(
        token: RawToken, claims: AccessTokenClaims, userID: UserID?, sessionID: SessionID?,
        account: AccountSnapshot?, stamp: UInt64?
    ) {
        self.token = token
        self.claims = claims
        self.userID = userID
        self.sessionID = sessionID
        self.account = account
        self.stamp = stamp
    }
}

/// Remembers tokens that passed the signature check, with their accounts, so that a client's next call costs neither.
///
/// A fixed number of slots, each found by the end of the token's signature (which nobody can choose without the key);
/// a newer token takes the slot of an older one. What is found is a hint only: times, bans and the freshness of the
/// account are judged on each use.
final class AccountCache: Sendable {
    /// Slots, a power of two; a slot holds some 3 KB when it is full.
    static let slotsMax = 8192
    /// Locks, a power of two.
    static let shardsMax = 32
    /// Bytes of the token's end that choose the slot.
    static let keyBytes = 16

    private final class Shard: Sendable {
        let slots: Mutex<[KnownToken?]>
        init(count: Int) { slots = Mutex(Array(repeating: nil, count: count)) }
    }

    private let shards: [Shard]
    private let slotMask: UInt64

    init(slots: Int = AccountCache.slotsMax) {
        let perShard = max(slots / Self.shardsMax, 1)
        shards = (0..<Self.shardsMax).map { _ in Shard(count: perShard) }
        slotMask = UInt64(perShard &- 1)
    }

    /// What is known of a token; nil unless it is the same token to the byte.
    func find(_ token: RawToken) -> KnownToken? {
        let place = place(of: token)
        let found = shards[place.shard].slots.withLock { $0[place.slot] }
        guard let found, Self.isSame(found.token, token) else { return nil }
        return found
    }

    /// Remembers a token whose signature was found good.
    func insert(_ verified: KnownToken) {
        let place = place(of: verified.token)
        shards[place.shard].slots.withLock { $0[place.slot] = verified }
    }

    /// Compares the signature's end in constant time, then the rest, which is no secret.
    private static func isSame(_ left: RawToken, _ right: RawToken) -> Bool {
        let leftBytes = left.exposed.utf8.span
        let rightBytes = right.exposed.utf8.span
        let count = leftBytes.count
        guard count == rightBytes.count, count > secretBytes else { return false }
        return ConstantTime.equals(
            leftBytes.extracting((count - secretBytes)..<count), rightBytes.extracting((count - secretBytes)..<count))
            && left.exposed == right.exposed
    }

    /// Characters of the shortest signature that is compared in constant time (HMAC-SHA-256 in base64).
    private static let secretBytes = 43

    private func place(of token: RawToken) -> (shard: Int, slot: Int) {
        let bytes = token.exposed.utf8.span
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var index = max(bytes.count - Self.keyBytes, 0)
        while index < bytes.count {
            hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3
            index += 1
        }
        hash ^= hash >> 29
        let shard = Int(truncatingIfNeeded: hash & UInt64(Self.shardsMax - 1))
        return (shard, Int(truncatingIfNeeded: (hash >> 5) & slotMask))
    }
}
