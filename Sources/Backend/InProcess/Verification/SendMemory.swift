import Backend
import Bytes
import Crypto
import Store
import Synchronization

/// Remembers for an interval that a message was asked for, whether an account was there to get it or not.
///
/// The rows of an account know when something was sent to it; an unknown address has none, and a second request would
/// tell the two apart. Holds hashes of addresses, at most ``entriesMax``: the oldest is given up for a new one. A
/// value; whoever keeps it serialises access. Lost at a restart, and not shared between processes. Source:
/// reliability-security.md cr-05.
struct SendMemory: Sendable {
    /// What was asked for: as with the rows of an account, signing in and recovering share one time.
    enum Purpose: UInt8, Sendable, CaseIterable { case signIn, confirmation }

    /// Requests that are remembered, some 100 bytes each.
    static let entriesMax = 16_384

    /// An address and a purpose, as 128 bits of a SHA-256.
    struct Key: Hashable, Sendable {
        private let high: UInt64
        private let low: UInt64

        init(_ purpose: Purpose, _ address: SignUpRequest.Address) {
            let text =
                switch address {
                case .email(let email): "\(purpose.rawValue)e\(email)"
                case .phone(let phone): "\(purpose.rawValue)p\(phone)"
                }
            let digest = SHA.sha256(Array(text.utf8))
            high = digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            low = digest.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private struct Entry {
        let key: Key
        let at: Timestamp
    }

    private var times: [Key: Timestamp] = [:]
    /// Everything noted, oldest first, from `head` on; what was forgotten or noted anew meanwhile is in it too.
    private var order: [Entry] = []
    private var head = 0

    var count: Int { times.count }

    /// When it was asked for; nil when it never was or the interval is over. What lies in the future counts as never:
    /// the clock was set back.
    func time(of key: Key, interval: Duration, now: Timestamp) -> Timestamp? {
        guard let time = times[key], time <= now, time + interval > now else { return nil }
        return time
    }

    /// Notes a request; an earlier one that still counts stays as it is.
    mutating func note(_ key: Key, interval: Duration, at now: Timestamp) {
        guard interval > .zero, time(of: key, interval: interval, now: now) == nil else { return }
        while order.count - head >= Self.entriesMax { giveUpOldest() }
        times[key] = now
        order.append(Entry(key: key, at: now))
    }

    /// The owner of the address has shown up: nothing counts against it any more.
    mutating func forget(_ key: Key) { times[key] = nil }

    private mutating func giveUpOldest() {
        let entry = order[head]
        if times[entry.key] == entry.at { times[entry.key] = nil }
        head += 1
        guard head >= Self.entriesMax else { return }
        order.removeFirst(head)
        head = 0
    }
}

extension InProcessBackend {
    private func interval(_ address: SignUpRequest.Address) -> (Duration, AuthError.Reason) {
        switch address {
        case .email: (policy.emailSendInterval, .emailSendInterval)
        case .phone: (policy.smsSendInterval, .smsSendInterval)
        }
    }

    /// Whether a message to this address may be asked for now, as far as known and unknown ones are judged alike. Where
    /// they need not be, the rows alone count.
    /// - Throws: `emailSendInterval`, `smsSendInterval`.
    func checkAsked(_ purposes: [SendMemory.Purpose], _ address: SignUpRequest.Address) throws(AuthError) {
        guard policy.preventsEnumeration else { return }
        let (interval, reason) = interval(address)
        let now = clock.now()
        let last = askedFor.withLock { memory in
            purposes.compactMap { memory.time(of: .init($0, address), interval: interval, now: now) }.max()
        }
        try SendInterval(interval: interval).check(lastSent: last, now: now, reason)
    }

    /// Remembers that a message to this address was asked for.
    func noteAsked(_ purposes: [SendMemory.Purpose], _ address: SignUpRequest.Address) {
        guard policy.preventsEnumeration else { return }
        let (interval, _) = interval(address)
        let now = clock.now()
        askedFor.withLock { memory in
            for purpose in purposes { memory.note(.init(purpose, address), interval: interval, at: now) }
        }
    }

    /// Checks and remembers in one: false when it was asked for already.
    func isFirstAsked(_ purposes: [SendMemory.Purpose], _ address: SignUpRequest.Address) -> Bool {
        do throws(AuthError) {
            try checkAsked(purposes, address)
        } catch {
            return false
        }
        noteAsked(purposes, address)
        return true
    }

    /// A code or link proved the account's addresses: from now on its rows alone count.
    func forgetAsked(_ user: UserRow) {
        guard policy.preventsEnumeration else { return }
        var addresses: [SignUpRequest.Address] = []
        if let email = user.email, !email.isEmpty { addresses.append(.email(email)) }
        if let phone = user.phone, !phone.isEmpty { addresses.append(.phone(phone)) }
        askedFor.withLock { memory in
            for address in addresses {
                for purpose in SendMemory.Purpose.allCases { memory.forget(.init(purpose, address)) }
            }
        }
    }
}
