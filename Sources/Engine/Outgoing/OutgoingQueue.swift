internal import Synchronization

/// What callers and the thread share: the orders that wait, the wishes to cancel, and the end.
final class OutgoingQueue: Sendable {
    enum Work: Sendable {
        case web(WebRequest)
        case mail(MailOrder)
    }

    enum Lane: CaseIterable, Sendable {
        case web, mail
    }

    typealias Outcome = Result<WebResponse, OutgoingError>

    /// One call on its way, with the caller who waits for it.
    struct Order: Sendable {
        let id: UInt64
        let work: Work
        let deadline: ContinuousClock.Instant
        let caller: CheckedContinuation<Outcome, Never>

        var lane: Lane {
            switch work {
            case .web: .web
            case .mail: .mail
            }
        }
    }

    /// What the thread has to do in this turn.
    struct Turn: Sendable {
        var start: [Order] = []
        var cancel: [UInt64] = []
        /// Set once no more orders are taken: when the thread must end at the latest.
        var endsAt: ContinuousClock.Instant?
        var isIdle = false
    }

    private struct State {
        var waiting: [Lane: [Order]] = [.web: [], .mail: []]
        var cancelledInFlight: [UInt64] = []
        /// Calls whose task was cancelled before they had been queued.
        var cancelledEarly: Set<UInt64> = []
        var queued: Set<UInt64> = []
        var nextID: UInt64 = 1
        var endsAt: ContinuousClock.Instant?
        var hasEnded = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
        var bell: CurlBell?
    }

    private let limits: OutgoingClient.Limits
    private let state = Mutex(State())
    private let clock = ContinuousClock()

    init(limits: OutgoingClient.Limits) {
        self.limits = limits
    }

    var trustedAuthoritiesFile: String? { limits.trustedAuthoritiesFile }

    // MARK: The callers' side

    func run(_ work: Work, within: Duration) async -> Outcome {
        let deadline = clock.now.advanced(by: within)
        let id = state.withLock { state in
            defer { state.nextID &+= 1 }
            return state.nextID
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                enqueue(Order(id: id, work: work, deadline: deadline, caller: caller))
            }
        } onCancel: {
            cancel(id)
        }
        // From here on `cancel` cannot be called any more; a wish that came after the answer is forgotten.
        if Task.isCancelled { state.withLock { _ = $0.cancelledEarly.remove(id) } }
        return outcome
    }

    private func enqueue(_ order: Order) {
        let queueMax = order.lane == .web ? limits.webQueueMax : limits.mailQueueMax
        let refusal: OutgoingError? = state.withLock { state in
            if state.cancelledEarly.remove(order.id) != nil { return OutgoingError(.cancelled, "cancelled") }
            if state.hasEnded || state.endsAt != nil { return OutgoingError(.shutDown, "shutting down") }
            guard state.waiting[order.lane, default: []].count < queueMax else {
                return OutgoingError(.overloaded, "too many outgoing calls are waiting")
            }
            state.waiting[order.lane, default: []].append(order)
            state.queued.insert(order.id)
            state.bell?.ring()
            return nil
        }
        if let refusal { order.caller.resume(returning: .failure(refusal)) }
    }

    private func cancel(_ id: UInt64) {
        let removed: Order? = state.withLock { state in
            guard state.queued.contains(id) else {
                // Either not queued yet, then `enqueue` finds it, or answered already, then `run` forgets it.
                state.cancelledEarly.insert(id)
                return nil
            }
            for lane in Lane.allCases {
                guard let index = state.waiting[lane, default: []].firstIndex(where: { $0.id == id }) else { continue }
                state.queued.remove(id)
                return state.waiting[lane, default: []].remove(at: index)
            }
            state.cancelledInFlight.append(id)
            state.bell?.ring()
            return nil
        }
        removed?.caller.resume(returning: .failure(OutgoingError(.cancelled, "cancelled")))
    }

    func beginShutDown(grace: Duration) {
        let end = clock.now.advanced(by: grace)
        state.withLock { state in
            state.endsAt = min(state.endsAt ?? end, end)
            state.bell?.ring()
        }
    }

    func ended() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                if !state.hasEnded { state.waitingForEnd.append(waiter) }
                return state.hasEnded
            }
            if isOver { waiter.resume() }
        }
    }

    // MARK: The thread's side

    /// Lets callers wake the thread from now on; nil is set before the bell's handle goes away.
    func install(bell: CurlBell?) {
        state.withLock { $0.bell = bell }
    }

    /// Hands out what can be started beside what is under way, and fails what has waited too long.
    func nextTurn(inFlight: [Lane: Int]) -> Turn {
        let now = clock.now
        var late: [Order] = []
        let turn = state.withLock { state in
            var turn = Turn()
            for lane in Lane.allCases {
                let orders = state.waiting[lane, default: []]
                guard !orders.isEmpty else { continue }
                let inFlightMax = lane == .web ? limits.webInFlightMax : limits.mailInFlightMax
                let room = max(0, inFlightMax - inFlight[lane, default: 0])
                late += orders.filter { $0.deadline <= now }
                let alive = orders.filter { $0.deadline > now }
                turn.start += alive.prefix(room)
                state.waiting[lane] = Array(alive.dropFirst(room))
            }
            for order in late { state.queued.remove(order.id) }
            turn.cancel = state.cancelledInFlight
            state.cancelledInFlight = []
            turn.endsAt = state.endsAt
            turn.isIdle = Lane.allCases.allSatisfy { state.waiting[$0, default: []].isEmpty }
            return turn
        }
        for order in late {
            order.caller.resume(returning: .failure(OutgoingError(.timedOut, "timed out in the queue")))
        }
        return turn
    }

    /// Answers the caller of an order that was under way.
    func finish(_ order: Order, _ outcome: Outcome) {
        state.withLock { state in
            state.queued.remove(order.id)
            state.cancelledInFlight.removeAll { $0 == order.id }
        }
        order.caller.resume(returning: outcome)
    }

    /// Fails what still waits and tells those who wait for the end.
    func end() {
        let (orders, waiters) = state.withLock { state in
            let orders = Lane.allCases.flatMap { state.waiting[$0, default: []] }
            let waiters = state.waitingForEnd
            state.waiting = [:]
            state.waitingForEnd = []
            state.hasEnded = true
            return (orders, waiters)
        }
        for order in orders {
            order.caller.resume(returning: .failure(OutgoingError(.shutDown, "shutting down")))
        }
        for waiter in waiters { waiter.resume() }
    }
}
