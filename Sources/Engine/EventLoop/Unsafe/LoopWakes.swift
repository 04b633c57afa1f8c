internal import Glibc

/// Wake-ups that a thread owes to loops: while they are held, a loop that got a job is written down instead of being
/// woken, so that many jobs in a row cost one system call a loop.
///
/// `@unchecked Sendable`: there is one for a thread, made on it and used on it alone.
final class LoopWakes: @unchecked Sendable {
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let failed = unsafe pthread_key_create(&key) { object in
            guard let object = unsafe object else { return }
            unsafe Unmanaged<LoopWakes>.fromOpaque(object).release()
        }
        return failed == 0 ? key : nil
    }()

    private var owed: [EventLoop] = []
    private var isHolding = false

    /// The calling thread's own, made now. Threads that never ask for one wake loops at once.
    static func forThisThread() -> LoopWakes {
        let wakes = LoopWakes()
        if let key {
            let object = unsafe Unmanaged.passRetained(wakes)
            if unsafe pthread_setspecific(key, object.toOpaque()) != 0 { unsafe object.release() }
        }
        return wakes
    }

    /// Wakes a loop, or writes down that it is to be woken.
    static func wake(_ loop: EventLoop) {
        if let key, let object = unsafe pthread_getspecific(key) {
            let wakes = unsafe Unmanaged<LoopWakes>.fromOpaque(object).takeUnretainedValue()
            if wakes.isHolding { return wakes.owed.append(loop) }
        }
        loop.signal()
    }

    func hold() { isHolding = true }

    /// Wakes the loops that were written down.
    func signal() {
        isHolding = false
        for loop in owed { loop.signal() }
        owed.removeAll(keepingCapacity: true)
    }
}
