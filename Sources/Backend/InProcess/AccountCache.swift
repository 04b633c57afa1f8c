import Backend
import Bytes
import Store
import Synchronization

/// An account as it was read at one moment.
final class AccountSnapshot: Sendable {
    let rows: AccountRows
    let shared: SharedUser
    var user: User { shared.user }
    let bannedUntil: Timestamp?

    init(_ rows: AccountRows) {
        self.rows = rows
        shared = SharedUser(User(rows))
        bannedUntil = rows.user.bannedUntil
    }
}

/// A token whose signature was checked, with what was read for it; handed on in ``Principal/backendState``.
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
/// A fixed number of slots in sets of a few, found by the end of the token's signature (which nobody can choose without
/// the key); in a full set a newer token takes the slot of an older one. What is found is a hint only: times, bans and
/// the freshness of the account are judged on each use.
final class AccountCache: Sendable {
    /// Slots, a power of two; a slot holds some 3 KB when it is full.
    static let slotsMax = 8192
    /// Locks, a power of two.
    static let shardsMax = 32
    /// Slots of a set, all of which are searched.
    static let setSlots = 4
    /// Bytes of the token's end that choose the slot.
    static let keyBytes = 16

    private final class Shard: Sendable {
        let slots: Mutex<Slots>
        init(sets: Int) { slots = Mutex(Slots(sets: sets)) }
    }

    private struct Slots {
        private var tokens: [KnownToken?]
        /// The slot of a full set that is given up next, counted on through all sets.
        private var next = 0

        init(sets: Int) {
            tokens = Array(repeating: nil, count: sets * AccountCache.setSlots)
        }

        func find(_ token: Span<UInt8>, in set: Int) -> KnownToken? {
            for slot in 0..<AccountCache.setSlots {
                if let known = tokens[set &* AccountCache.setSlots &+ slot], AccountCache.isSame(known.token, token) {
                    return known
                }
            }
            return nil
        }

        mutating func insert(_ verified: KnownToken, in set: Int) {
            let first = set &* AccountCache.setSlots
            let slots = first..<first &+ AccountCache.setSlots
            let token = verified.token.exposed.utf8.span
            let place =
                slots.first { tokens[$0].map { AccountCache.isSame($0.token, token) } ?? false }
                ?? slots.first { tokens[$0] == nil } ?? first &+ next
            if place == first &+ next { next = (next &+ 1) % AccountCache.setSlots }
            tokens[place] = verified
        }
    }

    private let shards: [Shard]
    private let setMask: UInt64

    init(slots: Int = AccountCache.slotsMax) {
        let sets = max(slots / Self.shardsMax / Self.setSlots, 1)
        shards = (0..<Self.shardsMax).map { _ in Shard(sets: sets) }
        setMask = UInt64(sets &- 1)
    }

    /// What is known of a token; nil unless it is the same token to the byte.
    func find(_ token: RawToken) -> KnownToken? {
        find(token.exposed.utf8.span)
    }

    /// The same for a token that still stands in its request.
    func find(_ token: Span<UInt8>) -> KnownToken? {
        let place = place(of: token)
        return shards[place.shard].slots.withLock { $0.find(token, in: place.set) }
    }

    /// Remembers a token whose signature was found good.
    func insert(_ verified: KnownToken) {
        let place = place(of: verified.token.exposed.utf8.span)
        shards[place.shard].slots.withLock { $0.insert(verified, in: place.set) }
    }

    /// Compares the signature's end in constant time, then the rest, which is no secret.
    private static func isSame(_ known: RawToken, _ token: Span<UInt8>) -> Bool {
        let known = known.exposed.utf8.span
        let count = known.count
        guard count == token.count, count > secretBytes else { return false }
        let secret = (count - secretBytes)..<count
        return ConstantTime.equals(known.extracting(secret), token.extracting(secret))
            && Scan.equals(known.extracting(..<secret.lowerBound), token.extracting(..<secret.lowerBound))
    }

    /// Characters of the shortest signature that is compared in constant time (HMAC-SHA-256 in base64).
    private static let secretBytes = 43

    private func place(of bytes: Span<UInt8>) -> (shard: Int, set: Int) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var index = max(bytes.count - Self.keyBytes, 0)
        while index < bytes.count {
            hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3
            index += 1
        }
        hash ^= hash >> 29
        let shard = Int(truncatingIfNeeded: hash & UInt64(Self.shardsMax - 1))
        return (shard, Int(truncatingIfNeeded: (hash >> 5) & setMask))
    }
}
