internal import CSys
internal import Glibc
internal import Synchronization

/// Moves the write-ahead log into the database file on a thread of its own, so that nobody waits for it.
///
/// SQLite starts its log anew only when all of it has been moved. While others write, each pass here leaves what came
/// during the pass, less every time; the last little piece is moved by the writer itself between two commits.
///
/// `@unchecked Sendable`: the connection is used on the checkpointer's thread only, and freed after that has ended; the
/// thread's id is written once before anyone else can see it.
final class Checkpointer: @unchecked Sendable {
    private let connection: SQLiteConnection
    private let readers: SQLiteReader
    private let wake: Int32
    private var thread = pthread_t()
    private let isStopping = Atomic<Bool>(false)
    private let busy = Atomic<Bool>(false)
    private let moved = Atomic<Int>(0)

    /// - Throws: `StoreError.failed` when the thread cannot be started.
    init(connection: SQLiteConnection, readers: SQLiteReader) throws(StoreError) {
        self.connection = connection
        self.readers = readers
        wake = eventfd(0, Int32(EFD_CLOEXEC))
        guard wake >= 0 else { throw StoreError.failed("no descriptor for the checkpoint thread") }
        let own = unsafe Unmanaged.passRetained(self)
        var all = sigset_t()
        var old = sigset_t()
        unsafe sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP] { unsafe sigdelset(&all, fault) }
        unsafe pthread_sigmask(SIG_SETMASK, &all, &old)
        let code = unsafe pthread_create(&thread, nil, checkpointMain, own.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &old, nil)
        guard code == 0 else {
            unsafe own.release()
            throw StoreError.failed("the checkpoint thread cannot be started: error \(code)")
        }
    }

    deinit {
        _ = Glibc.close(wake)
    }

    /// Whether a pass is asked for or at work.
    var isBusy: Bool { busy.load(ordering: .acquiring) }
    /// Frames from the log's beginning that were in the file after the last pass.
    var framesMoved: Int { moved.load(ordering: .acquiring) }

    /// Asks for a pass. From any thread.
    func request() {
        guard !busy.exchange(true, ordering: .acquiringAndReleasing) else { return }
        signal()
    }

    /// Ends the thread and waits for it. To be called once.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        signal()
        _ = pthread_join(thread, nil)
    }

    private func signal() {
        var one: UInt64 = 1
        unsafe _ = write(wake, &one, 8)
    }

    fileprivate func run() {
        while true {
            var count: UInt64 = 0
            let got = unsafe read(wake, &count, 8)
            if isStopping.load(ordering: .acquiring) { return }
            guard got == 8 else { continue }
            readers.releaseSnapshots()
            // When it cannot be done now, the writer does it once the log is long.
            let frames = try? connection.checkpoint(truncates: false)
            moved.store(frames ?? 0, ordering: .releasing)
            busy.store(false, ordering: .releasing)
        }
    }
}

/// Written outside every actor on purpose: C calls it from the new thread.
private nonisolated func checkpointMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    unsafe Unmanaged<Checkpointer>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
