internal import Bytes
internal import CSys
internal import Glibc
internal import Synchronization

/// One thread with an edge-triggered epoll: it watches sockets, keeps timers and runs the jobs of the tasks that prefer
/// it.
///
/// A turn: wait for readiness, call the sources, run the jobs, run the timers, then call the sources that asked for the
/// end of the turn (one flush for all answers of a turn). Deadlines of sources are coarse (`sweepInterval`) and cost
/// one store to set, because the sources are swept instead of a heap of times being kept.
///
/// `@unchecked Sendable`: everything but `inbox`, `thread` and the constants is touched by the loop's own thread only.
public final class EventLoop: TaskExecutor, SerialExecutor, @unchecked Sendable {
    /// Deadlines of sources are noticed this long after they passed at most, in nanoseconds.
    public static let sweepInterval: UInt64 = 250_000_000
    /// Readiness reports taken from the kernel at a time.
    static let eventsPerTurn = 256
    /// Rounds of jobs run before the kernel is asked again.
    static let jobRoundsPerTurn = 64

    /// The loop's place in its group, from 0.
    public let index: Int
    private let epoll: Int32
    private let wake: WakeDescriptor
    private let inbox = Mutex(Inbox())
    /// The thread that runs the loop; 0 until one does.
    private let thread = Atomic<UInt>(0)

    // The rest belongs to the loop's thread.
    private var jobs: [UnownedJob] = []
    private var running: [UnownedJob] = []
    private var sources: [EventSource?] = []
    private var freeSlots: [Int] = []
    private var armed = 0
    private var graveyard: [EventSource] = []
    private var turnList: [EventSource] = []
    private var flushing: [EventSource] = []
    private var again: [EventSource] = []
    private var timers = TimerHeap()
    private var nextSweep: UInt64 = 0
    private var isStopping = false
    private var clock: UInt64 = 0

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var closures: [@Sendable () -> Void] = []
        var isWakePending = false
        var isClosed = false
    }

    init(index: Int) throws(SystemError) {
        self.index = index
        wake = try WakeDescriptor(blocks: false)
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError("epoll_create1") }
        var event = unsafe epoll_event()
        unsafe event.events = Readiness.readable.rawValue
        unsafe event.data.u64 = 0
        guard unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, wake.descriptor, &event) == 0 else {
            throw SystemError("epoll_ctl")
        }
    }

    deinit {
        wake.close()
        _ = Glibc.close(epoll)
    }

    // MARK: Any thread

    /// Whether the caller runs on the loop's thread.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Takes a job of a task that prefers this loop. Called by the Swift runtime, on any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            jobs.append(job)
            return
        }
        let wakes = inbox.withLock { inbox in
            inbox.jobs.append(job)
            defer { inbox.isWakePending = true }
            return !inbox.isWakePending
        }
        if wakes { LoopWakes.wake(self) }
    }

    /// Ends the loop's waiting.
    func signal() { wake.signal() }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// Runs `body` on the loop's thread, in one of its next turns. From any thread. False when the loop has ended.
    @discardableResult
    public func execute(_ body: @escaping @Sendable () -> Void) -> Bool {
        let (accepted, wakes) = inbox.withLock { inbox -> (Bool, Bool) in
            guard !inbox.isClosed else { return (false, false) }
            inbox.closures.append(body)
            defer { inbox.isWakePending = true }
            return (true, !inbox.isWakePending)
        }
        if wakes { wake.signal() }
        return accepted
    }

    /// Suspends the calling task for `duration` without blocking the loop. Ends early when the task is cancelled.
    public func sleep(for duration: Duration) async {
        let gate = SleepGate()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard gate.hold(continuation) else { return }
                let at = LoopClock.now() &+ duration.loopNanoseconds
                let isAccepted = execute { [self] in _ = timers.add(at: at) { gate.open() } }
                if !isAccepted { gate.open() }
            }
        } onCancel: {
            gate.open()
        }
    }

    // MARK: Loop's thread

    /// The time at which this turn began, in nanoseconds of `LoopClock`. Only on the loop's thread.
    public var now: UInt64 { clock }

    /// Runs `action` once after `delay`. Only on the loop's thread.
    /// - Returns: a token for `cancelTimer`.
    @discardableResult
    public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        timers.add(at: LoopClock.now() &+ delay.loopNanoseconds, action)
    }

    /// Forgets a timer that has not run yet. Only on the loop's thread.
    public func cancelTimer(_ token: UInt64) {
        timers.cancel(token)
    }

    /// Begins to watch `source`. Only on the loop's thread.
    public func add(_ source: EventSource, _ trigger: Trigger) throws(SystemError) {
        var event = unsafe epoll_event()
        switch trigger {
        case .edge:
            let all: Readiness = [.readable, .writable, .peerClosed]
            unsafe event.events = all.rawValue | 1 << 31
        case .level:
            unsafe event.events = Readiness.readable.rawValue
        }
        unsafe event.data.ptr = Unmanaged.passUnretained(source).toOpaque()
        guard unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, source.descriptor, &event) == 0 else {
            throw SystemError("epoll_ctl")
        }
        if let slot = freeSlots.popLast() {
            sources[slot] = source
            source.slot = slot
        } else {
            source.slot = sources.count
            sources.append(source)
        }
    }

    /// Stops watching `source`; the caller then closes its descriptor. Only on the loop's thread.
    ///
    /// The source is kept alive until the turn ends, since reports about it may be waiting in the same batch.
    public func remove(_ source: EventSource) {
        let slot = source.slot
        guard slot >= 0 else { return }
        _ = epoll_ctl(epoll, EPOLL_CTL_DEL, source.descriptor, nil)
        clearDeadline(of: source)
        source.slot = -1
        // First into the other list: the table may hold the last reference.
        graveyard.append(source)
        sources[slot] = nil
        freeSlots.append(slot)
    }

    /// Sets when `source` wants `deadlinePassed`, in nanoseconds of `LoopClock`. Only on the loop's thread.
    public func setDeadline(of source: EventSource, at time: UInt64) {
        guard source.slot >= 0 else { return }
        if source.deadline == .max { armed &+= 1 }
        source.deadline = time
    }

    /// Forgets the deadline of `source`. Only on the loop's thread.
    public func clearDeadline(of source: EventSource) {
        guard source.slot >= 0, source.deadline != .max else { return }
        source.deadline = .max
        armed &-= 1
    }

    /// Asks for one `endOfTurn` call when this turn ends. Only on the loop's thread.
    public func callAtEndOfTurn(_ source: EventSource) {
        guard !source.isInTurnList else { return }
        source.isInTurnList = true
        turnList.append(source)
    }

    /// Reports `readable` to the source again in the next turn (a source that stopped early, to be fair to others).
    public func callAgain(_ source: EventSource) {
        again.append(source)
    }

    // MARK: Turns

    /// The thread's main function: turns until `stop`.
    func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        clock = LoopClock.now()
        let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: Self.eventsPerTurn)
        defer { unsafe events.deallocate() }
        takeInbox()
        while !isStopping {
            let count = unsafe epoll_wait(epoll, events.baseAddress, Int32(Self.eventsPerTurn), timeout())
            clock = LoopClock.now()
            for index in 0..<Int(max(0, count)) {
                let event = unsafe events[index]
                guard let pointer = unsafe event.data.ptr else {
                    takeInbox()
                    continue
                }
                let readiness = Readiness(rawValue: unsafe event.events)
                // `sources` or, until the turn ends, `graveyard` holds it.
                unsafe Unmanaged<EventSource>.fromOpaque(pointer)._withUnsafeGuaranteedRef { source in
                    if source.slot >= 0 { source.ready(readiness) }
                }
            }
            finishTurn()
        }
        close()
    }

    private func finishTurn() {
        if !again.isEmpty {
            let list = again
            again = []
            for source in list where source.slot >= 0 { source.ready(.readable) }
        }
        runJobs()
        if let next = timers.next, next <= clock { runTimers() }
        if armed > 0, clock >= nextSweep { sweep() }
        flush()
        if !graveyard.isEmpty { graveyard.removeAll(keepingCapacity: true) }
    }

    private func timeout() -> Int32 {
        if !jobs.isEmpty || !again.isEmpty || !turnList.isEmpty { return 0 }
        var next = timers.next ?? .max
        if armed > 0 { next = min(next, nextSweep) }
        guard next != .max else { return -1 }
        let now = clock
        return next <= now ? 0 : Int32(clamping: (next - now) / 1_000_000 + 1)
    }

    private func takeInbox() {
        wake.take()
        let (newJobs, closures) = inbox.withLock { inbox in
            defer {
                inbox.jobs.removeAll()
                inbox.closures.removeAll()
                inbox.isWakePending = false
            }
            return (inbox.jobs, inbox.closures)
        }
        jobs.append(contentsOf: newJobs)
        for closure in closures { closure() }
    }

    private func runJobs() {
        var rounds = 0
        while !jobs.isEmpty, rounds < Self.jobRoundsPerTurn {
            swap(&jobs, &running)
            for index in running.indices {
                unsafe running[index].runSynchronously(on: asUnownedTaskExecutor())
            }
            running.removeAll(keepingCapacity: true)
            rounds += 1
        }
    }

    private func runTimers() {
        while let action = timers.popDue(at: clock) { action() }
        runJobs()
    }

    private func sweep() {
        nextSweep = clock &+ Self.sweepInterval
        var slot = 0
        while slot < sources.count {
            if let source = sources[slot], source.deadline <= clock {
                source.deadline = .max
                armed &-= 1
                source.deadlinePassed()
            }
            slot += 1
        }
    }

    private func flush() {
        guard !turnList.isEmpty else { return }
        swap(&turnList, &flushing)
        for index in flushing.indices {
            let source = flushing[index]
            source.isInTurnList = false
            if source.slot >= 0 { source.endOfTurn() }
        }
        flushing.removeAll(keepingCapacity: true)
    }

    // MARK: End

    /// Ends the loop after the closures that were handed in before. From any thread.
    func stop() {
        execute { [self] in isStopping = true }
    }

    private func close() {
        let closures = inbox.withLock { inbox in
            inbox.isClosed = true
            defer { inbox.closures.removeAll() }
            return inbox.closures
        }
        for closure in closures { closure() }
        takeInbox()
        // Tasks that still wait on this loop see their sleeps end, so that nothing is left suspended for ever.
        while let action = timers.popDue(at: .max) { action() }
        runJobs()
        for source in sources { if let source { remove(source) } }
        graveyard.removeAll()
    }
}

extension Duration {
    /// Nanoseconds, clamped to what a loop's timer can hold (0 ... about 292 years).
    public var loopNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 9_000_000_000 else { return 9_000_000_000_000_000_000 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
