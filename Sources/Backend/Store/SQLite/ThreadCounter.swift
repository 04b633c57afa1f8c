internal import Synchronization

/// Hands out 1, 2, 3 …
final class ThreadCounter: Sendable {
    private let last = Atomic<Int>(0)

    func next() -> Int {
        last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
