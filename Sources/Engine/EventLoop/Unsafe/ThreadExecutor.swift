internal import CSys
internal import Glibc
internal import Synchronization

/// A thread of its own as the executor of tasks: what prefers it runs there, one job after the other.
///
/// Jobs are taken in batches; after each batch a hook runs on the thread, so that a store can make one commit for all
/// of them and answer its callers after it. While the hook works, new jobs gather for the next batch. Tasks that the
/// thread itself lets go on (the answered callers) run right after the hook, without the queue, and the loops that they
/// go back to are woken once for all of them.
///
/// `@unchecked Sendable`: `queue` is locked, `thread` is atomic, `released` is touched on the thread only.
public final class ThreadExecutor: TaskExecutor, SerialExecutor, @unchecked Sendable {
    private let queue = Mutex(Queue())
    private let wake: WakeDescriptor
    private let batchMax: Int
    private let afterBatch: @Sendable (_ ran: Int, _ isEmpty: Bool) -> Void
    private let thread = Atomic<UInt>(0)
    /// Jobs that came from the thread itself.
    private var released: [UnownedJob] = []

    private struct Queue {
        var jobs: [UnownedJob] = []
        var isWaiting = false
        var isStopping = false
        var thread: EngineThread?
    }

    /// Starts the thread.
    /// - Parameters:
    ///   - name: the thread's name, at most 15 bytes are kept.
    ///   - batchMax: jobs run at most before `afterBatch`.
    ///   - afterBatch: called on the thread after each batch with the number of jobs run and whether the queue is empty
    ///     now (jobs that a resumed continuation adds come in the next batch).
    public init(
        name: String, batchMax: Int = 64,
        afterBatch: @escaping @Sendable (_ ran: Int, _ isEmpty: Bool) -> Void = { _, _ in }
    ) throws(SystemError) {
        self.batchMax = max(1, batchMax)
        self.afterBatch = afterBatch
        wake = try WakeDescriptor(blocks: true)
        let thread = try EngineThread(name: String(name.prefix(15))) { [self] in run() }
        queue.withLock { $0.thread = thread }
    }

    deinit {
        wake.close()
    }

    /// Takes a job. Called by the Swift runtime, on any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if thread.load(ordering: .relaxed) == UInt(pthread_self()) {
            released.append(job)
            return
        }
        let wakes = queue.withLock { queue in
            queue.jobs.append(job)
            defer { queue.isWaiting = false }
            return queue.isWaiting
        }
        if wakes { wake.signal() }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// Jobs that wait now.
    public var queueLength: Int { queue.withLock { $0.jobs.count } }

    /// Runs what is queued, ends the thread and waits for it. Must not be called on the thread itself.
    public func shutdown() {
        let (thread, wakes) = queue.withLock { queue -> (EngineThread?, Bool) in
            queue.isStopping = true
            let thread = queue.thread
            queue.thread = nil
            defer { queue.isWaiting = false }
            return (thread, queue.isWaiting)
        }
        if wakes { wake.signal() }
        thread?.join()
    }

    private enum Step {
        case run([UnownedJob])
        case wait
        case end
    }

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        let wakes = LoopWakes.forThisThread()
        while true {
            switch next() {
            case .run(let batch):
                for job in batch { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
                var count = batch.count
                repeat {
                    count &+= runReleased()
                    wakes.hold()
                    afterBatch(count, queueLength == 0)
                    count = runReleased()
                    wakes.signal()
                } while count > 0
            case .wait: wake.take()
            case .end: return
            }
        }
    }

    private func runReleased() -> Int {
        var count = 0
        while !released.isEmpty {
            let jobs = released
            released.removeAll(keepingCapacity: true)
            for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
            count &+= jobs.count
        }
        return count
    }

    private func next() -> Step {
        queue.withLock { queue in
            if queue.jobs.isEmpty {
                if queue.isStopping { return .end }
                queue.isWaiting = true
                return .wait
            }
            let batch = Array(queue.jobs.prefix(batchMax))
            queue.jobs.removeFirst(batch.count)
            return .run(batch)
        }
    }
}
