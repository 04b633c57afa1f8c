internal import Synchronization

/// Holds the continuation of a sleeping task until its timer or its cancellation opens it, whichever is first.
final class SleepGate: Sendable {
    private enum State {
        case unused
        case waiting(CheckedContinuation<Void, Never>)
        case open
    }

    private let state = Mutex(State.unused)

    /// Keeps `continuation`; false when the gate was opened before (then it has been resumed).
    func hold(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        let isHeld = state.withLock { state in
            if case .open = state { return false }
            state = .waiting(continuation)
            return true
        }
        if !isHeld { continuation.resume() }
        return isHeld
    }

    func open() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .open }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }
}
