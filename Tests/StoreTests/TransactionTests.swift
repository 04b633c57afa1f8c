import Backend
import Bytes
import EventLoop
import Store
import Synchronization
import TestKit
import Testing

@Suite struct TransactionTests {
    private let fixtures = Fixtures()

    @Test("a body that throws keeps nothing, and those around it keep theirs") func refusals() async throws {
        try await TemporaryStore.use { store in
            let users = (0..<100).map { fixtures.user("u\($0)@example.com") }
            await withTaskGroup(of: Void.self) { group in
                for (number, user) in users.enumerated() {
                    group.addTask {
                        do {
                            try await store.write {
                                try await $0.insert(user)
                                if number % 3 == 0 { throw Refusal(reason: "\(number)") }
                            }
                            #expect(number % 3 != 0)
                        } catch {
                            #expect(error as? Refusal == Refusal(reason: "\(number)"))
                        }
                    }
                }
            }
            for (number, user) in users.enumerated() {
                let isThere = try await store.reader.user(user.id) != nil
                #expect(isThere == (number % 3 != 0))
            }
        }
    }

    @Test("a body sees what it wrote; others see it after the answer") func ownWrites() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            try await store.write { transaction in
                try await transaction.lock(user: user.id)
                try await transaction.insert(user)
                #expect(try await transaction.user(user.id) != nil)
                #expect(try await transaction.account(user.id, session: nil) != nil)
            }
            #expect(try await store.reader.user(user.id) != nil)
        }
    }

    @Test("an error inside a body that goes on leaves the rest of the body whole") func caughtErrors() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let other = fixtures.user("a@example.com")
            let third = fixtures.user("b@example.com")
            try await store.write { transaction in
                try await transaction.insert(user)
                await #expect(throws: StoreError.self) { try await transaction.insert(other) }
                try await transaction.insert(third)
            }
            #expect(try await store.reader.user(user.id) != nil)
            #expect(try await store.reader.user(third.id) != nil)
        }
    }

    @Test("of many who revoke the same token, or use the same code, exactly one wins") func races() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let session = fixtures.session(of: user.id)
            let token = fixtures.refreshToken("t", of: session)
            let flow = FlowStateRow(
                id: FlowStateID(fixtures.uuid()), providerType: "email", authenticationMethod: "otp",
                createdAt: fixtures.clock.now())
            let time = fixtures.clock.now()
            let id = try await store.transaction { transaction in
                try await transaction.insert(user)
                try await transaction.insert(session)
                try await transaction.insert(flow)
                return try await transaction.insert(token)
            }
            let wins = await withTaskGroup(of: (Bool, Bool).self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        let revoked = try? await store.transaction {
                            try await $0.revoke(refreshToken: id, at: time)
                        }
                        let deleted = try? await store.transaction { try await $0.delete(flowState: flow.id) }
                        return (revoked ?? false, deleted ?? false)
                    }
                }
                return await group.reduce(into: (0, 0)) { sum, one in
                    sum.0 += one.0 ? 1 : 0
                    sum.1 += one.1 ? 1 : 0
                }
            }
            #expect(wins == (1, 1))
        }
    }

    @Test("bodies run one after the other: counting in a row never loses a count") func oneByOne() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            try await store.write { try await $0.insert(user) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<500 {
                    group.addTask {
                        try await store.write { transaction in
                            guard var row = try await transaction.user(user.id) else { throw Refusal() }
                            row.updatedAt = row.updatedAt + .seconds(1)
                            try await transaction.update(row, [])
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.reader.user(user.id)?.updatedAt == user.updatedAt + .seconds(500))
        }
    }

    @Test("a body that waits for something else fails, keeps nothing and harms nobody")
    func foreignWait() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let other = fixtures.user("b@example.com")
            let gate = Gate()
            async let stuck: Void = store.write { transaction in
                try await transaction.insert(user)
                await gate.wait()
                try await transaction.insert(other)
            }
            await gate.entered()
            try await store.write { try await $0.insert(other) }
            gate.open()
            do {
                try await stuck
                Issue.record("a body that waited was kept")
            } catch StoreError.failed(let reason) {
                #expect(reason.contains("waited"))
            }
            #expect(try await store.reader.user(user.id) == nil)
            #expect(try await store.reader.user(other.id) != nil)
        }
    }

    @Test("a transaction that is over, or on another thread, is refused") func misuse() async throws {
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            let kept = Mutex<(any StoreTransaction)?>(nil)
            try await store.write { transaction in kept.withLock { $0 = transaction } }
            let transaction = try #require(kept.withLock { $0 })
            await #expect(throws: StoreError.self) { try await transaction.insert(user) }
            try await store.write { _ in
                await #expect(throws: StoreError.self) { try await transaction.insert(user) }
            }
        }
    }

    @Test("more transactions than the queue takes are refused as overload, the others are done")
    func overload() async throws {
        var options = SQLiteOptions()
        options.queueMax = 8
        try await TemporaryStore.use(options: options) { store in
            let results = await withTaskGroup(of: Bool?.self) { group in
                for _ in 0..<400 {
                    group.addTask {
                        do {
                            try await store.probe()
                            return true
                        } catch StoreError.overloaded {
                            return false
                        } catch {
                            return nil
                        }
                    }
                }
                return await group.reduce(into: [Bool?]()) { $0.append($1) }
            }
            #expect(results.contains(true))
            #expect(!results.contains(nil))
            #expect(store.queueLength == 0)
            try await store.probe()
        }
    }

    @Test("reads and writes work on a loop as they do elsewhere") func onLoop() async throws {
        let group = try EventLoopGroup(count: 1)
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            try await withTaskExecutorPreference(group.loops[0]) {
                try await store.write { try await $0.insert(user) }
                #expect(try await store.reader.user(user.id) != nil)
            }
        }
        group.shutdown()
    }
}

/// Holds a body at the interesting point.
private final class Gate: Sendable {
    private struct State {
        var isEntered = false
        var isOpen = false
        var inside: [CheckedContinuation<Void, Never>] = []
        var outside: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let (outside, goesOn) = state.withLock { state in
                state.isEntered = true
                if !state.isOpen { state.inside.append(continuation) }
                defer { state.outside = [] }
                return (state.outside, state.isOpen)
            }
            for one in outside { one.resume() }
            if goesOn { continuation.resume() }
        }
    }

    func entered() async {
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if !state.isEntered { state.outside.append(continuation) }
                return state.isEntered
            }
            if goesOn { continuation.resume() }
        }
    }

    func open() {
        let inside = state.withLock { state in
            state.isOpen = true
            defer { state.inside = [] }
            return state.inside
        }
        for one in inside { one.resume() }
    }
}
