internal import CSys
import Glibc

/// Threads that nobody waits for: the peers' listeners and connections, and the callers of a race.
enum Threads {
    /// Runs the closure on a thread of its own, with all signals blocked; false if the system gives no more threads.
    @discardableResult
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = unsafe Unmanaged.passRetained(ThreadBody(body))
        var all = sigset_t()
        var old = sigset_t()
        unsafe sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP] { unsafe sigdelset(&all, fault) }
        unsafe pthread_sigmask(SIG_SETMASK, &all, &old)
        var id = pthread_t()
        let failed = unsafe pthread_create(&id, nil, conformanceThread, box.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &old, nil)
        guard failed == 0 else {
            unsafe box.release()
            return false
        }
        pthread_detach(id)
        return true
    }

    /// Lets the calling thread rest.
    static func rest(seconds: Double) {
        let nanoseconds = UInt64(min(max(0, seconds), 86_400) * 1e9)
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        unsafe _ = nanosleep(&time, nil)
    }

    /// Seconds of the monotonic clock.
    static func clock() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Written outside every actor on purpose: C calls it from the new thread.
private nonisolated func conformanceThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}

/// A value that threads change and wait for.
///
/// `@unchecked Sendable`: the mutex serialises every access to the value; the two C objects live as long as this one.
@safe final class Watched<Value: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    init(_ value: Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe changed = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(changed, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Changes or reads the value, and wakes who waits.
    @discardableResult
    func change<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(changed)
            unsafe pthread_mutex_unlock(mutex)
        }
        return body(&value)
    }

    /// Waits until the closure finds something, or so many seconds are over.
    func wait<Result>(seconds: Double, _ find: (inout Value) -> Result?) -> Result? {
        let end = Threads.clock() + min(max(0, seconds), 86_400)
        var limit = timespec(tv_sec: Int(end), tv_nsec: Int((end - end.rounded(.down)) * 1e9))
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let found = find(&value) { return found }
            if unsafe pthread_cond_timedwait(changed, mutex, &limit) == ETIMEDOUT { return find(&value) }
        }
    }
}
