internal import Backend
internal import Bytes
internal import Glibc
internal import Synchronization

/// A counter for every user, shared by those whose ids fall together: it moves when rows of one of them are committed.
///
/// `@unchecked Sendable`: the memory is made once and freed once; what is in it is atomic.
@safe final class ChangeStamps: @unchecked Sendable {
    private static let count = 65_536
    private let commitCount = Atomic<UInt64>(0)
    private let stamps: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        // Zeroed pages from the kernel: those that are never touched take no memory. An atomic word of zeros is a zero.
        if let memory = unsafe calloc(Self.count, MemoryLayout<Atomic<UInt64>>.stride) {
            unsafe stamps = memory.bindMemory(to: Atomic<UInt64>.self, capacity: Self.count)
        } else {
            unsafe stamps = .allocate(capacity: Self.count)
            for index in 0..<Self.count { unsafe (stamps + index).initialize(to: Atomic(0)) }
        }
    }

    /// The coarse monotonic clock, in its own steps of a few milliseconds (given in nanoseconds).
    static func tick() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    deinit {
        unsafe free(stamps)
    }

    func stamp(of user: UserID) -> UInt64 {
        unsafe stamps[place(of: user)].load(ordering: .acquiring)
    }

    /// Commits so far.
    var commits: UInt64 { commitCount.load(ordering: .acquiring) }

    /// Called after each commit, before stamps are moved and callers are answered.
    func countCommit() {
        commitCount.wrappingAdd(1, ordering: .releasing)
    }

    /// Called after a commit and before its callers are answered.
    func move(_ user: UserID) {
        unsafe _ = stamps[place(of: user)].wrappingAdd(1, ordering: .releasing)
    }

    /// The last bits of a random UUID are as good as a hash; others are stirred a little.
    private func place(of user: UserID) -> Int {
        let word = (user.uuid.high ^ user.uuid.low) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: word >> 48)
    }
}
