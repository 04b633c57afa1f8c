internal import CSys
public import Glibc

/// A failed system call: which, and the error number.
public struct SystemError: Error, Sendable, CustomStringConvertible {
    public let call: String
    public let number: Int32

    public init(_ call: String, _ number: Int32 = errno) {
        self.call = call
        self.number = number
    }

    public var description: String {
        unsafe "\(call): \(String(cString: strerror(number)))"
    }

    /// Whether an address is taken by someone else (EADDRINUSE).
    public var isAddressInUse: Bool { number == EADDRINUSE }
}

/// The monotonic clock of the loops, in nanoseconds.
public enum LoopClock {
    /// Now, from CLOCK_MONOTONIC.
    public static func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Seconds since 1970 from the coarse wall clock (a few milliseconds behind at most).
    public static func wallSeconds() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return time.tv_sec
    }
}

/// A joinable thread that runs one closure, with all signals blocked (the main thread takes signals).
///
/// `@unchecked Sendable`: the thread id is written once in `init` and read by `join`, which one caller calls.
final class EngineThread: @unchecked Sendable {
    private let id: pthread_t

    init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let box = unsafe Unmanaged.passRetained(ThreadBody(name: name, run: body))
        var all = sigset_t()
        var old = sigset_t()
        unsafe sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP] { unsafe sigdelset(&all, fault) }
        unsafe pthread_sigmask(SIG_SETMASK, &all, &old)
        var id = pthread_t()
        let failed = unsafe pthread_create(&id, nil, threadMain, box.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &old, nil)
        guard failed == 0 else {
            unsafe box.release()
            throw SystemError("pthread_create", failed)
        }
        self.id = id
    }

    /// Waits until the closure has returned.
    func join() {
        _ = pthread_join(id, nil)
    }
}

private final class ThreadBody: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

/// Written outside every actor on purpose: C calls it from the new thread.
private nonisolated func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let body = unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    unsafe _ = csys_set_thread_name(body.name)
    body.run()
    return nil
}

/// An eventfd: something one thread writes to wake another.
struct WakeDescriptor: Sendable {
    let descriptor: Int32

    init(blocks: Bool) throws(SystemError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | (blocks ? 0 : Int32(EFD_NONBLOCK)))
        guard descriptor >= 0 else { throw SystemError("eventfd") }
    }

    func signal() {
        var one: UInt64 = 1
        unsafe _ = write(descriptor, &one, 8)
    }

    func take() {
        var value: UInt64 = 0
        unsafe _ = read(descriptor, &value, 8)
    }

    func close() {
        _ = Glibc.close(descriptor)
    }
}
