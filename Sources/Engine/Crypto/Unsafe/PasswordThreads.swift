internal import CSys

/// The threads behind ``PasswordHasher``, and what waits for them.
///
/// `@unchecked Sendable`: the mutex serialises access to every stored variable.
@safe
final class PasswordThreads: @unchecked Sendable {
    /// What is to be done.
    enum Work: Sendable {
        case hash([UInt8], setting: String)
        case match([UInt8], hash: String)
    }

    /// What came of it.
    enum Outcome: Sendable {
        case hash(String)
        case match(Bool)
        case failure(PasswordError)
    }

    private struct Job {
        let id: UInt64
        let work: Work
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let count: Int
    private let queueMax: Int
    private let niceness: Int32
    private var queue: [Job] = []
    private var lastID: UInt64 = 0
    private var working = 0
    private var started = 0
    private var isStopped = false

    init(count: Int, queueMax: Int, niceness: Int) {
        self.count = count
        self.queueMax = queueMax
        self.niceness = Int32(min(max(niceness, 0), 19))
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
        for _ in 0..<count where startThread() { started += 1 }
    }

    deinit {
        // Every thread holds a reference until it ends, so nobody waits here any more.
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    var queueLength: Int { locked { queue.count } }

    /// Does the work on one of the threads, or says at once that there is no room.
    func run(_ work: Work) async -> Outcome {
        if Task.isCancelled { return .failure(.cancelled) }
        let id = locked {
            lastID &+= 1
            return lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let refusal = enqueue(Job(id: id, work: work, continuation: continuation)) {
                    continuation.resume(returning: .failure(refusal))
                }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Lets the threads end after their present work; what waits is told so.
    func stop() {
        let waiting = locked {
            isStopped = true
            let waiting = queue
            queue = []
            unsafe pthread_cond_broadcast(condition)
            return waiting
        }
        for job in waiting { job.continuation.resume(returning: .failure(.stopped)) }
    }

    private func enqueue(_ job: Job) -> PasswordError? {
        locked {
            if isStopped { return .stopped }
            guard started > 0, working + queue.count < started + queueMax else { return .overloaded }
            queue.append(job)
            unsafe pthread_cond_signal(condition)
            return nil
        }
    }

    private func cancel(_ id: UInt64) {
        let job: Job? = locked {
            if let place = queue.firstIndex(where: { $0.id == id }) { return queue.remove(at: place) }
            return nil
        }
        job?.continuation.resume(returning: .failure(.cancelled))
    }

    private func work() {
        // PRIO_PROCESS with 0 means the calling thread on Linux.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        let scratch = BcryptScratch()
        while let job = next() {
            let outcome: Outcome
            do throws(PasswordError) {
                switch job.work {
                case .hash(let password, let setting):
                    outcome = .hash(try scratch.hash(password, setting: setting))
                case .match(let password, let hash):
                    outcome = .match(try scratch.matches(password, hash))
                }
            } catch {
                outcome = .failure(error)
            }
            locked { working -= 1 }
            job.continuation.resume(returning: outcome)
        }
    }

    private func next() -> Job? {
        locked {
            while queue.isEmpty, !isStopped { unsafe pthread_cond_wait(condition, mutex) }
            guard !queue.isEmpty else { return nil }
            working += 1
            return queue.removeFirst()
        }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Starts a thread that takes no signals (the main thread does); false if the system has none left.
    private func startThread() -> Bool {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var all = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
        var thread = pthread_t()
        let reference = unsafe Unmanaged.passRetained(self)
        let status = unsafe pthread_create(&thread, &attributes, passwordThreadMain, reference.toOpaque())
        if status != 0 { unsafe reference.release() }
        return status == 0
    }

    fileprivate static func main(_ argument: UnsafeMutableRawPointer?) {
        guard let argument = unsafe argument else { return }
        let threads = unsafe Unmanaged<PasswordThreads>.fromOpaque(argument).takeRetainedValue()
        threads.work()
    }
}

/// What a thread runs: a plain function, since a closure formed on the main actor would trap on another thread.
private func passwordThreadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    unsafe PasswordThreads.main(argument)
    return nil
}
