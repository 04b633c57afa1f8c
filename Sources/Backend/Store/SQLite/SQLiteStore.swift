public import Backend
internal import EventLoop
internal import Synchronization

/// The embedded database: one file in a folder of its own, written by one thread, read by every loop for itself.
///
/// An answer comes after the fsync of the commit; transactions that arrive together share one (architecture.md
/// "Transactions"). The folder belongs to one process at a time.
public final class SQLiteStore: AuthStore {
    private let folder: DataFolder
    private let options: SQLiteOptions
    private let stamps = ChangeStamps()
    private let writer: SQLiteWriter
    private let executor: ThreadExecutor
    private let sqliteReader: SQLiteReader
    private let queued = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)

    /// Opens the database in a folder, makes both when they are missing, and brings the tables to the newest version.
    ///
    /// Blocks for the time that takes (after a crash the write-ahead log is read again: below 100 ms).
    /// - Throws: ``StoreOpeningError`` or ``StoreError``.
    public init(folder path: String, options: SQLiteOptions = SQLiteOptions()) throws {
        let folder = try DataFolder(path: path)
        do {
            let connection = try SQLiteConnection(path: folder.databasePath, mode: .readWrite, options: options)
            try Self.prepare(connection)
            sqliteReader = SQLiteReader(path: folder.databasePath, stamps: stamps, options: options)
            let checkpointer = try Checkpointer(
                connection: SQLiteConnection(path: folder.databasePath, mode: .readWrite, options: options),
                readers: sqliteReader)
            let writer = SQLiteWriter(
                connection: connection, stamps: stamps, readers: sqliteReader, checkpointer: checkpointer,
                options: options)
            do {
                executor = try ThreadExecutor(name: "writer", batchMax: options.batchMax) { _, isEmpty in
                    writer.endBatch(isQueueEmpty: isEmpty)
                }
            } catch {
                checkpointer.stop()
                throw error
            }
            self.writer = writer
        } catch {
            folder.release()
            throw error
        }
        self.folder = folder
        self.options = options
    }

    /// Runs the body on the writer's thread. A body that suspends on anything but the transaction's own calls fails.
    /// - Throws: what the body throws; `StoreError.overloaded` when too many wait; `StoreError.failed` when the commit
    ///   failed (a full disk, for instance): then nothing was kept.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) async throws -> Value
    ) async throws -> Value {
        let before = queued.wrappingAdd(1, ordering: .relaxed).oldValue
        defer { queued.wrappingSubtract(1, ordering: .relaxed) }
        guard before < options.queueMax else { throw StoreError.overloaded }
        guard !isClosed.load(ordering: .acquiring) else { throw StoreError.closed }
        return try await withTaskExecutorPreference(executor) {
            try await writer.run(body)
        }
    }

    /// Reads on the calling thread's own connection.
    public var reader: any StoreReader { sqliteReader }

    public func changeStamp(of user: UserID) -> UInt64? {
        stamps.stamp(of: user)
    }

    /// Transactions that wait or are at work now.
    public var queueLength: Int { queued.load(ordering: .relaxed) }

    /// Copies the database into a new file (mode 0600) while it is being used.
    /// - Throws: `StoreError.failed` when there is a file already, or when it cannot be written.
    public func backUp(to path: String) async throws {
        guard !isClosed.load(ordering: .acquiring) else { throw StoreError.closed }
        let copying = try ThreadExecutor(name: "backup")
        defer { copying.shutdown() }
        let source = folder.databasePath
        try await withTaskExecutorPreference(copying) {
            try await Self.copy(source, to: path)
        }
    }

    /// Copies the database of a folder that another process may be using, without disturbing it. Blocks.
    /// - Throws: `StoreError.failed`.
    public static func copyDatabase(inFolder folder: String, to path: String) throws {
        try copyNow("\(folder)/\(DataFolder.databaseName)", to: path)
    }

    /// Writes something and waits until it is durable, then reads.
    public func probe() async throws {
        try await transaction { try ($0 as? SQLiteTransaction)?.probe() }
        _ = try sqliteReader.inbox(to: nil, limit: 1)
    }

    /// Runs what is queued, moves everything into the database file and gives the folder back. Not to be called on the
    /// writer's thread. Every later call throws `StoreError.closed`.
    public func close() async {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        sqliteReader.close()
        await withTaskExecutorPreference(executor) {
            await writer.close()
        }
        executor.shutdown()
        folder.release()
    }

    private static func prepare(_ connection: SQLiteConnection) throws {
        guard try connection.value("PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError.failed("the file system does not allow a write-ahead log")
        }
        try SQLiteMigration.run(on: connection)
    }

    private static func copy(_ source: String, to path: String) async throws {
        try copyNow(source, to: path)
    }

    private static func copyNow(_ source: String, to path: String) throws {
        let file = try NewFile(path: path)
        do {
            let connection = try SQLiteConnection(path: source, mode: .readOnly, options: SQLiteOptions())
            try connection.copy(to: file.partialPath, pagesPerStep: 256)
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
    }
}
