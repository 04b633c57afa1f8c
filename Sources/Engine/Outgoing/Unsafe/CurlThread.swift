internal import CCurl
internal import Glibc

/// Wakes the outgoing thread.
///
/// Sendable although it holds a pointer: `curl_multi_wakeup` may be called from any thread, and the queue's lock, under
/// which it is rung and taken away, keeps the handle alive meanwhile.
@safe struct CurlBell: @unchecked Sendable {
    fileprivate let multi: UnsafeMutableRawPointer

    func ring() {
        _ = unsafe ccurl_multi_wakeup(multi)
    }
}

/// The loop of the outgoing thread: starts what the queue hands out, lets libcurl work, answers what is done.
///
/// Made, run and ended on that thread alone.
@safe private final class CurlThread {
    private let queue: OutgoingQueue
    private let multi: UnsafeMutableRawPointer
    private var transfers: [UInt64: CurlTransfer] = [:]
    private var inFlight: [OutgoingQueue.Lane: Int] = [:]
    private let clock = ContinuousClock()

    /// The longest sleep, so that what waits in the queue is failed soon after its deadline.
    private static let sleepMillisecondsMax: Int32 = 250
    /// Sleep while nothing is under way and nothing waits; whatever is new rings the bell.
    private static let idleMillisecondsMax: Int32 = 60_000

    init?(queue: OutgoingQueue) {
        guard curlIsReady, let multi = unsafe ccurl_multi_init() else { return nil }
        unsafe self.multi = unsafe multi
        self.queue = queue
        queue.install(bell: unsafe CurlBell(multi: multi))
    }

    func run() {
        var running: Int32 = 0
        while true {
            let turn = queue.nextTurn(inFlight: inFlight)
            for order in turn.start { start(order) }
            for id in turn.cancel {
                guard let transfer = transfers[id] else { continue }
                end(transfer, .failure(OutgoingError(.cancelled, "cancelled")))
            }
            _ = unsafe ccurl_multi_perform(multi, &running)
            drain()
            if let endsAt = turn.endsAt, endsAt <= clock.now || (transfers.isEmpty && turn.isIdle) { break }
            let isIdle = transfers.isEmpty && turn.isIdle
            let sleep = isIdle ? Self.idleMillisecondsMax : Self.sleepMillisecondsMax
            _ = unsafe ccurl_multi_poll(multi, sleep)
        }
        for transfer in Array(transfers.values) {
            end(transfer, .failure(OutgoingError(.shutDown, "shutting down")))
        }
        queue.install(bell: nil)
        _ = unsafe ccurl_multi_cleanup(multi)
        queue.end()
    }

    private func start(_ order: OutgoingQueue.Order) {
        let timeLeft = clock.now.duration(to: order.deadline)
        guard
            let transfer = CurlTransfer(
                order: order, timeLeft: timeLeft, trustedAuthoritiesFile: queue.trustedAuthoritiesFile),
            unsafe ccurl_multi_add_handle(multi, transfer.easy) == CURLM_OK
        else {
            return queue.finish(order, .failure(OutgoingError(.failed, "libcurl gave no handle")))
        }
        transfers[order.id] = transfer
        inFlight[order.lane, default: 0] += 1
    }

    private func drain() {
        var left: Int32 = 0
        while let message = unsafe ccurl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let result = unsafe message.pointee.data.result
            let easy = unsafe message.pointee.easy_handle
            guard let transfer = transfers.values.first(where: { unsafe $0.easy == easy }) else { continue }
            end(transfer, transfer.outcome(result))
        }
    }

    private func end(_ transfer: CurlTransfer, _ outcome: OutgoingQueue.Outcome) {
        _ = unsafe ccurl_multi_remove_handle(multi, transfer.easy)
        transfers[transfer.order.id] = nil
        inFlight[transfer.order.lane, default: 0] -= 1
        queue.finish(transfer.order, outcome)
    }
}

/// Opens libcurl and sets it up, once a process; false where it is not installed.
private let curlIsReady = ccurl_is_there() != 0 && ccurl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

/// Starts the outgoing thread; it keeps the queue alive and ends when the queue is shut down.
///
/// - Throws: `.failed` where there is no thread to be had.
nonisolated func startCurlThread(queue: OutgoingQueue) throws(OutgoingError) {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(queue).toOpaque()
    let failure = unsafe pthread_create(
        &thread, nil,
        { context in
            guard let context = unsafe context else { return nil }
            let queue = unsafe Unmanaged<OutgoingQueue>.fromOpaque(context).takeRetainedValue()
            nameThread()
            if let loop = CurlThread(queue: queue) { loop.run() } else { queue.end() }
            return nil
        }, context)
    guard failure == 0 else {
        unsafe Unmanaged<OutgoingQueue>.fromOpaque(context).release()
        throw OutgoingError(.failed, "no thread for outgoing calls")
    }
    pthread_detach(thread)
}

/// Names the thread for `top` and blocks all signals on it, which are the main thread's.
nonisolated private func nameThread() {
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
    unsafe ccurl_name_thread("outgoing")
}
