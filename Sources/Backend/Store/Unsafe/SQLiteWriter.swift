internal import Backend
internal import Glibc

/// The one place where the database is written: the bodies of transactions run one after the other, each in a savepoint
/// of its own; one commit is made for all that waited, and then their callers go on.
///
/// `@unchecked Sendable`: touched on the writer's thread only. `SQLiteStore` calls it in tasks that prefer the writer's
/// `ThreadExecutor`, which runs one job at a time, and in that executor's hook after each batch of jobs.
final class SQLiteWriter: @unchecked Sendable {
    /// The log may grow to so many times the length at which it is to be shortened.
    private static let logFactorMax = 8
    /// The writer moves this part of that length itself.
    private static let smallPart = 16

    private let stamps: ChangeStamps
    private let checkpointer: Checkpointer
    private let readers: SQLiteReader
    private let checkpointFrames: Int
    private let batchMax: Int
    private var connection: SQLiteConnection?
    private var thread: pthread_t?
    /// Whose body is at work.
    private var running: WriteTicket?
    /// Whose body is done and whose caller waits for the commit.
    private var waiting: [WriteTicket] = []

    init(
        connection: SQLiteConnection, stamps: ChangeStamps, readers: SQLiteReader, checkpointer: Checkpointer,
        options: SQLiteOptions
    ) {
        self.connection = connection
        self.checkpointer = checkpointer
        self.readers = readers
        self.stamps = stamps
        checkpointFrames = options.checkpointFrames
        batchMax = options.batchMax
    }

    /// Runs a body; returns after the commit.
    func run<Value: Sendable>(
        _ body: @Sendable (any StoreTransaction) async throws -> Value
    ) async throws -> Value {
        let ticket = try begin()
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(SQLiteTransaction(writer: self, ticket: ticket)))
        } catch {
            outcome = .failure(error)
        }
        if case .success = outcome { end(ticket, isKept: true) } else { end(ticket, isKept: false) }
        // A refusal may rest on rows that others of this batch wrote: it waits for their commit like everyone.
        if ticket.failure == nil {
            unsafe await withUnsafeContinuation { continuation in
                unsafe ticket.continuation = continuation
                waiting.append(ticket)
            }
        }
        if let failure = ticket.failure { throw failure }
        return try outcome.get()
    }

    /// Runs typed operations of a body. A body that is over, or that left the writer's thread, is refused.
    func perform<Value>(
        _ ticket: WriteTicket, _ operation: (SQLiteWrites) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard let thread, pthread_equal(thread, pthread_self()) != 0 else {
            throw StoreError.failed("a transaction was used on another thread than its own")
        }
        if let failure = ticket.failure { throw failure }
        guard running === ticket, let connection else {
            throw StoreError.failed("a transaction was used after its end")
        }
        return try operation(SQLiteWrites(connection: connection, ticket: ticket))
    }

    /// After each batch of jobs: makes the commit and lets the callers go on.
    /// - Parameter isQueueEmpty: otherwise the commit waits for those in the queue, as long as it is not too big.
    func endBatch(isQueueEmpty: Bool = true) {
        abandonRunning()
        guard isQueueEmpty || waiting.count >= batchMax else { return }
        guard !waiting.isEmpty else { return }
        commit()
        let frames = connection?.framesInLog ?? 0
        if frames >= checkpointFrames { shortenLog(frames) }
    }

    /// Commits what is done, empties the write-ahead log and closes.
    func close() async {
        endBatch()
        checkpointer.stop()
        // Should it fail, the log stays and is read at the next start: nothing is lost.
        _ = try? connection?.checkpoint(truncates: true)
        connection = nil
    }

    private func begin() throws(StoreError) -> WriteTicket {
        thread = pthread_self()
        abandonRunning()
        guard let connection else { throw StoreError.closed }
        if !connection.isInTransaction { try connection.run(.begin) }
        try connection.run(.savepoint)
        let ticket = WriteTicket()
        running = ticket
        return ticket
    }

    private func end(_ ticket: WriteTicket, isKept: Bool) {
        guard running === ticket, let connection else { return }
        running = nil
        do throws(StoreError) {
            // A full disk or a failed read may have rolled back everything: then nothing of the batch is there.
            guard connection.isInTransaction else { throw StoreError.failed("the transaction was rolled back") }
            if !isKept {
                ticket.touched.removeAll()
                try connection.run(.rollbackToSavepoint)
            }
            try connection.run(.release)
        } catch {
            ticket.failure = error
            fail(waiting, with: error)
        }
    }

    /// A body that is still at work when the next job runs has suspended on something that is not ours.
    private func abandonRunning() {
        guard let ticket = running else { return }
        end(ticket, isKept: false)
        ticket.failure = ticket.failure ?? .failed("the body of a transaction waited for something outside of it")
    }

    private func commit() {
        guard let connection else { return }
        let done = waiting
        do throws(StoreError) {
            try connection.run(.commit)
        } catch {
            fail(done, with: error)
            return
        }
        waiting.removeAll(keepingCapacity: true)
        stamps.countCommit()
        for ticket in done {
            for user in ticket.touched { stamps.move(user) }
        }
        for ticket in done { unsafe ticket.continuation?.resume() }
    }

    private func fail(_ tickets: [WriteTicket], with error: StoreError) {
        // Where SQLite rolled back by itself there is nothing to roll back, and it says so.
        if let connection, connection.isInTransaction { try? connection.run(.rollback) }
        waiting.removeAll(keepingCapacity: true)
        for ticket in tickets {
            ticket.failure = error
            unsafe ticket.continuation?.resume()
        }
    }

    /// Lets the other thread move what is in the log; moves the little that is left itself, so that SQLite can start
    /// the log anew; and all of it when the other thread does not keep up.
    private func shortenLog(_ frames: Int) {
        guard frames < checkpointFrames * Self.logFactorMax else { return checkpoint() }
        guard !checkpointer.isBusy else { return }
        let moved = checkpointer.framesMoved
        let left = frames - moved
        if moved <= frames, left <= checkpointFrames / Self.smallPart {
            checkpoint()
        } else {
            checkpointer.request()
        }
    }

    private func checkpoint() {
        readers.releaseSnapshots()
        // When it cannot be done now (a reader is in the way), the next one does it.
        _ = try? connection?.checkpoint(truncates: false)
    }
}
