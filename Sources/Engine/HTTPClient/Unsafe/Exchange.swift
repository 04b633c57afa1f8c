internal import EventLoop

/// A request under way and who waits for its answer.
///
/// `@unchecked Sendable`: everything is touched on its pool's loop only; the task that waits carries it there.
final class Exchange: @unchecked Sendable {
    typealias Outcome = Result<ClientResponse, HTTPClientError>

    let request: ClientRequest
    private let pool: UpstreamPool
    private var waiter: CheckedContinuation<Outcome, Never>?
    /// The connection that is busy with it.
    var connection: UpstreamConnection?
    /// Tries to connect so far.
    var connectTries = 0
    /// It was sent once and is being sent again.
    var isRepeated = false
    /// When it is given up, in nanoseconds of the loop's clock.
    let deadline: UInt64
    /// When it is given up in the queue.
    var queueDeadline: UInt64 = 0

    init(_ request: ClientRequest, pool: UpstreamPool, deadline: UInt64, waiter: CheckedContinuation<Outcome, Never>) {
        self.request = request
        self.pool = pool
        self.deadline = deadline
        self.waiter = waiter
    }

    var isOver: Bool { waiter == nil }

    func end(_ outcome: Outcome) {
        guard let waiter else { return }
        self.waiter = nil
        connection = nil
        waiter.resume(returning: outcome)
    }

    func fail(_ kind: HTTPClientError.Kind, _ reason: String) {
        end(.failure(HTTPClientError(kind, reason)))
    }

    /// Nobody waits any more.
    func cancel() {
        guard !isOver else { return }
        let busy = connection
        fail(.cancelled, "the caller does not wait any more")
        busy?.abandon()
    }
}

/// Takes a cancellation to the exchange, which is made after the handler for it.
///
/// `@unchecked Sendable`: everything is touched on the loop only.
final class ExchangeSlot: @unchecked Sendable {
    var exchange: Exchange?
}
