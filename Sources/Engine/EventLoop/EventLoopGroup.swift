internal import Synchronization

/// A fixed number of event loops, each on a thread of its own.
public final class EventLoopGroup: Sendable {
    public let loops: [EventLoop]
    private let threads: Mutex<[EngineThread]>

    /// Starts `count` loops (at least one).
    /// - Throws: `SystemError` when a thread or a descriptor cannot be made.
    public init(count: Int) throws(SystemError) {
        var loops: [EventLoop] = []
        for index in 0..<max(1, count) { loops.append(try EventLoop(index: index)) }
        self.loops = loops
        var threads: [EngineThread] = []
        for loop in loops { threads.append(try EngineThread(name: "loop-\(loop.index)") { loop.run() }) }
        self.threads = Mutex(threads)
    }

    /// Ends all loops and waits for their threads. Must not be called on a loop. Further calls do nothing.
    public func shutdown() {
        let ending = threads.withLock { threads in
            defer { threads.removeAll() }
            return threads
        }
        guard !ending.isEmpty else { return }
        for loop in loops { loop.stop() }
        for thread in ending { thread.join() }
    }
}
