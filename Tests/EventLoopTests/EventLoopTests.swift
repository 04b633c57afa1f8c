import Synchronization
import Testing

@testable import EventLoop

@Suite("Timers")
struct TimerHeapTests {
    @Test("timers run by time, those of one time in their order")
    func order() {
        var heap = TimerHeap()
        let ran = Log()
        for (index, at) in [UInt64(50), 10, 30, 10, 20, 50, 0].enumerated() { _ = heap.add(at: at) { ran.add(index) } }
        while let action = heap.popDue(at: 30) { action() }
        #expect(ran.entries == [6, 1, 3, 4, 2])
        #expect(heap.next == 50)
    }

    @Test("a cancelled timer does not run, the others do")
    func cancellation() {
        for cancelled in 0..<9 {
            var heap = TimerHeap()
            let ran = Log()
            let tokens = (0..<9).map { index in heap.add(at: UInt64(index * 7 % 9)) { ran.add(index) } }
            heap.cancel(tokens[cancelled])
            heap.cancel(tokens[cancelled])
            while let action = heap.popDue(at: 100) { action() }
            #expect(ran.entries.count == 8 && !ran.entries.contains(cancelled))
            #expect(ran.entries == ran.entries.sorted { $0 * 7 % 9 < $1 * 7 % 9 })
        }
    }

    @Test("durations are clamped to what a timer holds")
    func durations() {
        #expect(Duration.milliseconds(3).loopNanoseconds == 3_000_000)
        #expect(Duration.seconds(-1).loopNanoseconds == 0)
        #expect(Duration.seconds(Int64.max).loopNanoseconds == 9_000_000_000_000_000_000)
    }
}

/// Numbers in the order in which they were added, from any thread.
final class Log: Sendable {
    private let list = Mutex<[Int]>([])

    var entries: [Int] { list.withLock { $0 } }

    func add(_ entry: Int) {
        list.withLock { $0.append(entry) }
    }
}

@Suite("Event loops")
struct EventLoopTests {
    @Test("closures handed in from another thread run on the loop in their order")
    func execute() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let log = Log()
        await withCheckedContinuation { done in
            for index in 0..<1000 { loop.execute { log.add(loop.isCurrent ? index : -1) } }
            loop.execute { done.resume() }
        }
        #expect(log.entries == Array(0..<1000))
        #expect(!loop.isCurrent)
        group.shutdown()
        group.shutdown()
        #expect(!loop.execute {})
    }

    @Test("a task that prefers a loop runs there, and comes back after every wait")
    func preference() async throws {
        let group = try EventLoopGroup(count: 2)
        let (first, second) = (group.loops[0], group.loops[1])
        let places = await withTaskExecutorPreference(first) {
            var places = [first.isCurrent]
            await Task.yield()
            places.append(first.isCurrent)
            let there = await withTaskExecutorPreference(second) { second.isCurrent }
            places += [there, first.isCurrent]
            await first.sleep(for: .milliseconds(1))
            places.append(first.isCurrent)
            return places
        }
        #expect(places == [true, true, true, true, true])
        group.shutdown()
    }

    @Test("many tasks hop between two loops and a thread without losing one")
    func hops() async throws {
        let group = try EventLoopGroup(count: 2)
        let worker = try ThreadExecutor(name: "worker")
        let total = await withTaskGroup(of: Int.self) { tasks in
            for index in 0..<200 {
                tasks.addTask(executorPreference: group.loops[index % 2]) {
                    var sum = 0
                    for _ in 0..<20 {
                        sum += await withTaskExecutorPreference(worker) { 1 }
                        sum += await withTaskExecutorPreference(group.loops[(index + 1) % 2]) { 1 }
                    }
                    return sum
                }
            }
            return await tasks.reduce(0, +)
        }
        #expect(total == 200 * 40)
        worker.shutdown()
        group.shutdown()
    }

    @Test("one-shot timers run on the loop, by time; a cancelled one does not")
    func timers() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let log = Log()
        await withCheckedContinuation { done in
            loop.execute {
                loop.schedule(after: .milliseconds(20)) { done.resume() }
                loop.schedule(after: .milliseconds(10)) { log.add(2) }
                loop.cancelTimer(loop.schedule(after: .milliseconds(5)) { log.add(9) })
                loop.schedule(after: .milliseconds(1)) { log.add(1) }
            }
        }
        #expect(log.entries == [1, 2])
        group.shutdown()
    }

    @Test("a sleeping task wakes early when it is cancelled or its loop ends")
    func sleeps() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let ended = await withTaskGroup(of: Bool.self) { tasks in
            tasks.addTask {
                await loop.sleep(for: .seconds(3600))
                return Task.isCancelled
            }
            tasks.cancelAll()
            return await tasks.next()
        }
        #expect(ended == true)
        async let sleeper: Void = loop.sleep(for: .seconds(3600))
        await Task.yield()
        group.shutdown()
        await sleeper
    }

    @Test("a thread executor runs jobs in batches and says when its queue is empty")
    func batches() async throws {
        let batches = Log()
        let worker = try ThreadExecutor(name: "a name that is too long", batchMax: 4) { ran, isEmpty in
            batches.add(isEmpty ? -ran : ran)
        }
        let order = Log()
        await withTaskGroup(of: Void.self) { tasks in
            for index in 0..<50 { tasks.addTask(executorPreference: worker) { order.add(index) } }
        }
        worker.shutdown()
        #expect(order.entries.count == 50)
        #expect(batches.entries.map(abs).reduce(0, +) >= 50)
        #expect(batches.entries.allSatisfy { abs($0) <= 4 && $0 != 0 })
        #expect((batches.entries.last ?? 0) < 0)
    }
}

@Suite("Socket addresses")
struct SocketAddressTests {
    @Test(
        "addresses are read and written",
        arguments: [
            ("127.0.0.1", "127.0.0.1:80", true), ("localhost", "127.0.0.1:80", true), ("*", "0.0.0.0:80", false),
            ("192.0.2.7", "192.0.2.7:80", false), ("::1", "[::1]:80", true),
            ("[2001:db8::5]", "[2001:db8::5]:80", false),
        ])
    func notation(host: String, text: String, isLoopback: Bool) throws {
        let address = try #require(SocketAddress(host: host, port: 80))
        #expect(address.description == text)
        #expect(address.isLoopback == isLoopback)
        #expect(address.bytes.count == (address.isIPv6 ? 16 : 4))
    }

    @Test("what is no address is refused", arguments: ["example.com", "1.2.3", "1.2.3.4.5", ":::", "127.0.0.1 "])
    func refused(host: String) {
        #expect(SocketAddress(host: host, port: 1) == nil)
    }
}
