/// One-shot timers in order of their time (a binary heap), with cancellation by token.
struct TimerHeap {
    struct Entry {
        let at: UInt64
        let token: UInt64
        let action: @Sendable () -> Void
    }

    private var entries: [Entry] = []
    private var lastToken: UInt64 = 0

    /// When the next timer is due, in nanoseconds of the loop's clock; nil without timers.
    var next: UInt64? { entries.first?.at }

    var count: Int { entries.count }

    mutating func add(at: UInt64, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        lastToken &+= 1
        entries.append(Entry(at: at, token: lastToken, action: action))
        siftUp(entries.count - 1)
        return lastToken
    }

    mutating func cancel(_ token: UInt64) {
        guard let index = entries.firstIndex(where: { $0.token == token }) else { return }
        remove(at: index)
    }

    /// Takes one timer that is due at `now`.
    mutating func popDue(at now: UInt64) -> (@Sendable () -> Void)? {
        guard let first = entries.first, first.at <= now else { return nil }
        remove(at: 0)
        return first.action
    }

    private mutating func remove(at index: Int) {
        let last = entries.count - 1
        if index != last { entries.swapAt(index, last) }
        entries.removeLast()
        if index < entries.count {
            siftDown(index)
            siftUp(index)
        }
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(child, parent) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && isBefore(child, least) {
                least = child
            }
            if least == parent { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }

    /// Timers of the same time run in the order in which they were added.
    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (entries[left].at, entries[left].token) < (entries[right].at, entries[right].token)
    }
}
