internal import CSQLite

/// One SQLite connection with its prepared statements, found by number.
///
/// `@unchecked Sendable`: opened with SQLITE_OPEN_NOMUTEX, so one thread may use it at a time. Its owner sees to
/// that: a reader keeps it behind a lock, the writer uses it on the writer's thread alone.
@safe final class SQLiteConnection: @unchecked Sendable {
    enum Mode {
        case readOnly
        case readWrite
    }

    /// What a held snapshot was taken at: it is renewed when either is over.
    struct Moment: Equatable {
        /// Commits of this process so far, loaded before the snapshot was taken.
        let commits: UInt64
        /// The system's coarse clock: what another process writes is seen a few milliseconds later.
        let tick: Int64
    }

    /// Update statements made for a set of columns are kept up to this many.
    private static let updatesMax = 64

    private let database: OpaquePointer
    private var statements: [SQLiteStatement?]
    private var updates: [UInt64: SQLiteStatement] = [:]
    /// The highest id of a refresh token, once the writer asked for it.
    var newestRefreshToken: Int64?
    /// A statement that stands on a row keeps the read transaction of the others open.
    private var anchor: SQLiteStatement?
    private var moment: Moment?
    /// Frames in the write-ahead log after the last commit of this connection.
    private let logFrames: UnsafeMutablePointer<Int32>

    /// Opens a database file that exists.
    /// - Throws: `StoreError.failed` with SQLite's message.
    init(path: String, mode: Mode, options: SQLiteOptions) throws(StoreError) {
        Self.configureLibrary
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_NOMUTEX | (mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE)
        let vfs = mode == .readWrite && options.synchronous == .full ? GatheringVFS.name : nil
        let code = unsafe sqlite3_open_v2(path, &opened, flags, vfs)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let text = unsafe opened.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            unsafe sqlite3_close_v2(opened)
            throw StoreError.failed("cannot open the database: \(text)")
        }
        unsafe database = handle
        statements = Array(repeating: nil, count: SQL.allCases.count)
        unsafe logFrames = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        unsafe logFrames.initialize(to: 0)
        unsafe sqlite3_extended_result_codes(database, 1)
        unsafe sqlite3_busy_timeout(database, Int32(clamping: options.busyTimeoutMilliseconds))
        try execute("PRAGMA cache_size = -\(mode == .readOnly ? options.readerCacheKiB : options.writerCacheKiB)")
        try execute("PRAGMA mmap_size = \(options.mappedBytesMax)")
        try execute("PRAGMA temp_store = MEMORY")
        guard mode == .readWrite else { return }
        try execute("PRAGMA synchronous = \(options.synchronous.rawValue)")
        try execute("PRAGMA foreign_keys = ON")
        // What we write is typed; the checks stand in the schema for those who write to the file by hand.
        try execute("PRAGMA ignore_check_constraints = ON")
        unsafe _ = sqlite3_wal_hook(database, noteLogFrames, logFrames)
    }

    deinit {
        anchor?.finalize()
        for statement in statements { statement?.finalize() }
        for statement in updates.values { statement.finalize() }
        unsafe sqlite3_close_v2(database)
        unsafe logFrames.deallocate()
    }

    /// The statement of that number, prepared on first use and reset.
    func prepared(_ sql: SQL) throws(StoreError) -> SQLiteStatement {
        if let statement = statements[sql.rawValue] { return statement }
        let statement = try prepare(sql.text)
        statements[sql.rawValue] = statement
        return statement
    }

    /// The update of a set of columns, prepared on first use.
    ///
    /// - Parameter isByNumber: whether the text names the row by its number.
    func preparedUpdate(
        _ columns: UserColumns, isByNumber: Bool, _ text: () -> String
    ) throws(StoreError) -> SQLiteStatement {
        let key = columns.rawValue << 1 | (isByNumber ? 1 : 0)
        if let statement = updates[key] { return statement }
        if updates.count >= Self.updatesMax {
            for statement in updates.values { statement.finalize() }
            updates.removeAll()
        }
        let statement = try prepare(text())
        updates[key] = statement
        return statement
    }

    /// A statement outside the cache; the caller finalizes it.
    func prepare(_ text: String) throws(StoreError) -> SQLiteStatement {
        var raw: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &raw, nil)
        guard code == SQLITE_OK, let handle = unsafe raw else { throw failure(code) }
        return unsafe SQLiteStatement(handle, of: database)
    }

    /// Runs one or more statements whose rows do not matter.
    func execute(_ text: String) throws(StoreError) {
        let code = unsafe sqlite3_exec(database, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs a prepared statement whose rows do not matter.
    func run(_ sql: SQL) throws(StoreError) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        _ = try statement.step()
    }

    /// Before a transaction begins: drops what an undone one did not hand on to the log's file.
    func forgetUndone() { unsafe GatheringVFS.forget(database) }

    /// The first column of the first row of a prepared statement; nil without a row.
    func integer(_ sql: SQL) throws(StoreError) -> Int64? {
        let statement = try prepared(sql)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return row.integer()
    }

    /// The first column of the first row as text; nil without a row.
    func value(_ text: String) throws(StoreError) -> String? {
        let statement = try prepare(text)
        defer { statement.finalize() }
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return row.optionalText()
    }

    /// Makes the following reads see one snapshot, taken at this moment or, when it is still the same, before.
    ///
    /// Taking a snapshot costs system calls, as much as a point read; reads that come close together share one.
    func hold(_ now: Moment) throws(StoreError) {
        guard moment != now else { return }
        releaseSnapshot()
        if anchor == nil { anchor = try prepare("SELECT 1 FROM sqlite_schema") }
        _ = try anchor?.step()
        moment = now
    }

    /// Lets the write-ahead log be moved on past the snapshot that is held.
    func releaseSnapshot() {
        anchor?.reset()
        moment = nil
    }

    /// Rows that the last statement changed.
    var changes: Int { Int(unsafe sqlite3_changes64(database)) }
    var lastInsertID: Int64 { unsafe sqlite3_last_insert_rowid(database) }
    /// False once SQLite itself rolled the transaction back (full disk, failed read).
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }
    /// Frames in the write-ahead log after the last commit.
    var framesInLog: Int { Int(unsafe logFrames.pointee) }

    /// Moves what is in the write-ahead log into the database file, as far as no reader needs it.
    /// - Parameter truncates: waits for readers and empties the log's file.
    /// - Returns: how many of the log's frames are in the file now.
    @discardableResult
    func checkpoint(truncates: Bool) throws(StoreError) -> Int {
        var moved: Int32 = 0
        let mode = truncates ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = unsafe sqlite3_wal_checkpoint_v2(database, nil, mode, nil, &moved)
        unsafe logFrames.pointee = 0
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw failure(code) }
        return max(0, Int(moved))
    }

    /// Copies the whole database as of now into the file at `path`, which must be empty, and gives way between steps.
    func copy(to path: String, pagesPerStep: Int32) throws(StoreError) {
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        defer { unsafe _ = sqlite3_close_v2(opened) }
        guard code == SQLITE_OK, let target = unsafe opened else {
            throw StoreError.failed("cannot write the backup (\(code))")
        }
        // A read transaction of ours fixes the moment: the copy never starts anew, whatever is written meanwhile.
        try execute("BEGIN")
        defer { unsafe _ = sqlite3_exec(database, "ROLLBACK", nil, nil, nil) }
        try execute("SELECT count(*) FROM sqlite_schema")
        guard let backup = unsafe sqlite3_backup_init(target, "main", database, "main") else {
            throw StoreError.failed(unsafe String(cString: sqlite3_errmsg(target)))
        }
        var result = SQLITE_OK
        repeat {
            result = unsafe sqlite3_backup_step(backup, pagesPerStep)
            if result == SQLITE_BUSY || result == SQLITE_LOCKED { sqlite3_sleep(1) }
        } while result == SQLITE_OK || result == SQLITE_BUSY || result == SQLITE_LOCKED
        let finished = unsafe sqlite3_backup_finish(backup)
        guard result == SQLITE_DONE, finished == SQLITE_OK else {
            throw StoreError.failed("the backup stopped with SQLite's code \(result)")
        }
    }

    private func failure(_ code: Int32) -> StoreError {
        StoreError(code: code, message: unsafe String(cString: sqlite3_errmsg(database)))
    }

    /// Once a process, before the first connection: no locks inside connections, no counting of memory.
    private static let configureLibrary: Void = {
        _ = csqlite_config_multithread()
        _ = csqlite_config_no_memstatus()
    }()
}

extension StoreError {
    /// What a result code of SQLite means.
    init(code: Int32, message: String) {
        // The extended codes are macros that Swift does not see: SQLITE_CONSTRAINT and a number above it.
        let constraint = SQLITE_CONSTRAINT
        switch code {
        case constraint | 8 << 8, constraint | 6 << 8, constraint | 10 << 8:
            // "UNIQUE constraint failed: users.email", for an index on an expression "… failed: index 'name'".
            let name = message.split(separator: ":", maxSplits: 1).last.map(String.init) ?? message
            let quotes = name.split(separator: "'", omittingEmptySubsequences: false)
            self = .notUnique(quotes.count == 3 ? String(quotes[1]) : String(name.drop { $0 == " " }))
        case constraint | 3 << 8: self = .missingReference
        case _ where [SQLITE_FULL, SQLITE_IOERR].contains(code & 0xFF):
            self = .unavailable("SQLite \(code): \(message)")
        default: self = .failed("SQLite \(code): \(message)")
        }
    }
}

/// SQLite calls it after each commit, on the thread of that commit.
private nonisolated func noteLogFrames(
    _ context: UnsafeMutableRawPointer?, _ database: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ frames: Int32
) -> Int32 {
    unsafe context?.assumingMemoryBound(to: Int32.self).pointee = frames
    return SQLITE_OK
}
