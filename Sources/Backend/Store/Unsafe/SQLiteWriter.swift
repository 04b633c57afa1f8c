internal import Backend
internal import Glibc

/// The one place where the database is written: the bodies of transactions run one after the other, one commit is made
/// for all that waited, and then their callers go on.
///
/// A savepoint costs a copy of each page that is written after it, and nearly every body that fails does so before it
/// wrote anything. So bodies run without: one that fails after it wrote takes the whole batch back, and all bodies of
/// the batch run again, this time each in a savepoint of its own; so does every other until the next commit, for no
/// batch is to be taken back twice.
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
    /// Whether a batch was taken back since the last commit.
    private var isCareful = false
    /// SQLite's number for what other processes wrote; see `PRAGMA data_version`.
    private var dataVersion: Int64?
    /// What is known of accounts, as of the last statement.
    private let accounts = WriterCache()

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
        var isAgain = false
        while true {
            let ticket = try begin(hasSavepoint: isAgain || isCareful)
            let outcome: Result<Value, any Error>
            do {
                outcome = .success(try await body(SQLiteTransaction(writer: self, ticket: ticket)))
            } catch {
                outcome = .failure(error)
            }
            if case .success = outcome { end(ticket, isKept: true) } else { end(ticket, isKept: false) }
            // A refusal may rest on rows that others of this batch wrote: it waits for their commit like everyone.
            if ticket.failure == nil, !ticket.runsAgain {
                unsafe await withUnsafeContinuation { continuation in
                    unsafe ticket.continuation = continuation
                    waiting.append(ticket)
                }
            }
            if let failure = ticket.failure { throw failure }
            guard ticket.runsAgain else { return try outcome.get() }
            isAgain = true
        }
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
        // Outside of a transaction each statement would be kept at once.
        guard connection.isInTransaction else { throw StoreError.unavailable("the transaction was rolled back") }
        return try operation(SQLiteWrites(connection: connection, ticket: ticket, accounts: accounts))
    }

    /// After each batch of jobs: makes the commit and lets the callers go on.
    /// - Parameter isQueueEmpty: otherwise the commit waits for those in the queue, as long as it is not too big.
    func endBatch(isQueueEmpty: Bool = true) {
        abandonRunning()
        guard isQueueEmpty || waiting.count >= batchMax else { return }
        if waiting.isEmpty {
            // Nobody waits for what a body that was given up may have left open.
            if let connection, connection.isInTransaction { rollBack(connection) }
            // The callers of the last commit are on their way: now there is time for this.
            let frames = connection?.framesInLog ?? 0
            if frames >= checkpointFrames { shortenLog(frames) }
        } else {
            commit()
        }
    }

    /// Commits what is done, empties the write-ahead log and closes.
    func close() async {
        endBatch()
        checkpointer.stop()
        // Should it fail, the log stays and is read at the next start: nothing is lost.
        _ = try? connection?.checkpoint(truncates: true)
        connection = nil
    }

    private func begin(hasSavepoint: Bool) throws(StoreError) -> WriteTicket {
        thread = pthread_self()
        abandonRunning()
        guard let connection else { throw StoreError.closed }
        if !connection.isInTransaction {
            connection.forgetUndone()
            try connection.run(.begin)
            try forgetIfOthersWrote(connection)
        }
        if hasSavepoint { try connection.run(.savepoint) }
        let ticket = WriteTicket(hasSavepoint: hasSavepoint)
        running = ticket
        return ticket
    }

    private func end(_ ticket: WriteTicket, isKept: Bool) {
        guard running === ticket, let connection else { return }
        running = nil
        do throws(StoreError) {
            // A full disk or a failed read may have rolled back everything: then nothing of the batch is there.
            guard connection.isInTransaction else { throw StoreError.unavailable("the transaction was rolled back") }
            if ticket.hasSavepoint {
                if !isKept {
                    forget(ticket)
                    try connection.run(.rollbackToSavepoint)
                }
                try connection.run(.release)
            } else if !isKept, ticket.hasWritten {
                try connection.run(.rollback)
                accounts.removeAll()
                isCareful = true
                ticket.runsAgain = true
                resumeAll { $0.runsAgain = true }
            }
        } catch {
            ticket.failure = error
            fail(with: error)
        }
    }

    /// Nothing of what the ticket's body wrote is there any more.
    private func forget(_ ticket: WriteTicket) {
        for user in ticket.touched { accounts.remove(user) }
        ticket.touched.removeAll()
    }

    /// A body that is still at work when the next job runs has suspended on something that is not ours.
    private func abandonRunning() {
        guard let ticket = running else { return }
        end(ticket, isKept: false)
        ticket.runsAgain = false
        ticket.failure = ticket.failure ?? .failed("the body of a transaction waited for something outside of it")
    }

    private func commit() {
        guard let connection else { return }
        do throws(StoreError) {
            try connection.run(.commit)
        } catch {
            fail(with: error)
            return
        }
        isCareful = false
        stamps.countCommit()
        for ticket in waiting {
            for user in ticket.touched { stamps.move(user) }
        }
        resumeAll { _ in }
    }

    /// Nothing of the batch is kept.
    private func fail(with error: StoreError) {
        // Where SQLite rolled back by itself there is nothing to roll back, and it says so.
        if let connection, connection.isInTransaction { rollBack(connection) }
        accounts.removeAll()
        isCareful = false
        resumeAll { $0.failure = error }
    }

    /// SQLite leaves the transaction also where it says that something failed.
    private func rollBack(_ connection: SQLiteConnection) {
        try? connection.run(.rollback)
        accounts.removeAll()
    }

    /// Whoever writes to the file from outside is seen by the next transaction.
    private func forgetIfOthersWrote(_ connection: SQLiteConnection) throws(StoreError) {
        let version = try connection.integer(.dataVersion)
        guard version != dataVersion else { return }
        dataVersion = version
        accounts.removeAll()
        guard let newest = connection.newestRefreshToken else { return }
        connection.newestRefreshToken = max(newest, try connection.integer(.newestRefreshToken) ?? 0)
    }

    private func resumeAll(_ note: (WriteTicket) -> Void) {
        let tickets = waiting
        waiting.removeAll(keepingCapacity: true)
        for ticket in tickets {
            note(ticket)
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
