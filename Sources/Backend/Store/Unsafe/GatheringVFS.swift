internal import CSQLite
internal import Glibc

/// SQLite's file system, but for one thing: what is written to the write-ahead log is gathered, and goes to the kernel
/// in one call before the log is synced or read.
///
/// SQLite writes each page of a commit with two calls, its 24 bytes of head and the page; for a commit of a hundred
/// pages that costs more than the pages. Only for connections with `synchronous=FULL`: there each commit syncs the log
/// before any other connection is told of the new pages, so nobody can look for a page that is still here.
///
/// What cannot be handed on (a full disk) stays here and is tried again: SQLite took it for written. After a failed
/// read it may undo one statement only and go on, and a later commit must not name frames that were never written.
///
/// The statics are set once, before the first connection, and never changed.
@safe enum GatheringVFS {
    /// What `sqlite3_open_v2` is given; nil when it could not be made, then SQLite's own is used.
    static let name: String? = register() ? vfsName : nil

    private static let vfsName = "drawbridge-gathering"
    nonisolated(unsafe) fileprivate static let base: UnsafeMutablePointer<sqlite3_vfs>? = unsafe sqlite3_vfs_find(nil)

    /// What ``forget(_:)`` asks of an open log, and SQLite's own files do not know.
    fileprivate static let forgetting: Int32 = 0x4442_0001

    /// Forgets what a rolled back transaction left behind. Only while the connection is in no transaction: then
    /// everything that was committed is synced.
    static func forget(_ database: OpaquePointer) {
        var log: UnsafeMutablePointer<sqlite3_file>?
        guard unsafe sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK,
            let log = unsafe log, let methods = unsafe log.pointee.pMethods
        else { return }
        unsafe _ = methods.pointee.xFileControl(log, forgetting, nil)
    }

    private static func register() -> Bool {
        guard let base = unsafe base, let name = unsafe strdup(vfsName) else { return false }
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe own.initialize(to: base.pointee)
        unsafe own.pointee.zName = UnsafePointer(name)
        unsafe own.pointee.pNext = nil
        unsafe own.pointee.szOsFile = base.pointee.szOsFile + Int32(MemoryLayout<UnsafeMutableRawPointer>.size)
        unsafe own.pointee.xOpen = { vfs, name, file, flags, outFlags in
            guard let open = unsafe GatheringVFS.base?.pointee.xOpen else { return SQLITE_CANTOPEN }
            let code = unsafe open(vfs, name, file, flags, outFlags)
            guard code == SQLITE_OK, flags & SQLITE_OPEN_WAL != 0, let file = unsafe file else { return code }
            unsafe LogGatherer.attach(to: file)
            return code
        }
        return unsafe sqlite3_vfs_register(own, 0) == SQLITE_OK
    }
}

/// What was written to one open log and is not with the kernel yet. Used by the thread that uses the connection.
@safe private final class LogGatherer {
    /// Bytes gathered at most; more is handed on in several calls. SQLite's own writing takes less than 128 KiB.
    private static let bytesMax = 120 * 1024

    private let original: UnsafePointer<sqlite3_io_methods>
    private let methods: UnsafeMutablePointer<sqlite3_io_methods>
    private let buffer = UnsafeMutableRawPointer.allocate(byteCount: LogGatherer.bytesMax, alignment: 4096)
    private var start: sqlite3_int64 = 0
    private var count = 0

    private init(_ original: UnsafePointer<sqlite3_io_methods>) {
        unsafe self.original = original
        unsafe methods = .allocate(capacity: 1)
        unsafe methods.initialize(to: original.pointee)
        unsafe methods.pointee.xWrite = { file, data, count, offset in
            guard let file = unsafe file, let data = unsafe data else { return SQLITE_MISUSE }
            return unsafe LogGatherer.of(file).write(file, data, count, offset)
        }
        unsafe methods.pointee.xRead = { file, data, count, offset in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            return unsafe LogGatherer.of(file).afterFlush(file) { unsafe $0.xRead(file, data, count, offset) }
        }
        unsafe methods.pointee.xSync = { file, flags in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            return unsafe LogGatherer.of(file).afterFlush(file) { unsafe $0.xSync(file, flags) }
        }
        unsafe methods.pointee.xTruncate = { file, size in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            return unsafe LogGatherer.of(file).afterFlush(file) { unsafe $0.xTruncate(file, size) }
        }
        unsafe methods.pointee.xFileSize = { file, size in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            return unsafe LogGatherer.of(file).afterFlush(file) { unsafe $0.xFileSize(file, size) }
        }
        unsafe methods.pointee.xFileControl = { file, operation, argument in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            let gatherer = unsafe LogGatherer.of(file)
            guard operation == GatheringVFS.forgetting else {
                return unsafe gatherer.original.pointee.xFileControl(file, operation, argument)
            }
            gatherer.count = 0
            return SQLITE_OK
        }
        unsafe methods.pointee.xClose = { file in
            guard let file = unsafe file else { return SQLITE_MISUSE }
            return unsafe LogGatherer.detach(from: file)
        }
    }

    deinit {
        unsafe methods.deallocate()
        unsafe buffer.deallocate()
    }

    /// The place behind SQLite's own part of an open file.
    private static func place(
        in file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer> {
        let size = Int(unsafe GatheringVFS.base?.pointee.szOsFile ?? 0)
        return unsafe (UnsafeMutableRawPointer(file) + size).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
    }

    static func attach(to file: UnsafeMutablePointer<sqlite3_file>) {
        guard let original = unsafe file.pointee.pMethods else { return }
        let gatherer = unsafe LogGatherer(original)
        unsafe place(in: file).initialize(to: Unmanaged.passRetained(gatherer).toOpaque())
        unsafe file.pointee.pMethods = UnsafePointer(gatherer.methods)
    }

    private static func of(_ file: UnsafeMutablePointer<sqlite3_file>) -> LogGatherer {
        unsafe Unmanaged<LogGatherer>.fromOpaque(place(in: file).pointee).takeUnretainedValue()
    }

    /// Commits are synced: what is still here was rolled back, or is about to be.
    private static func detach(from file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        let gatherer = unsafe Unmanaged<LogGatherer>.fromOpaque(place(in: file).pointee).takeRetainedValue()
        unsafe file.pointee.pMethods = gatherer.original
        return unsafe gatherer.original.pointee.xClose(file)
    }

    private func write(
        _ file: UnsafeMutablePointer<sqlite3_file>, _ data: UnsafeRawPointer, _ size: Int32, _ offset: sqlite3_int64
    ) -> Int32 {
        let size = Int(size)
        if count > 0, offset != start + sqlite3_int64(count) || count + size > Self.bytesMax {
            let code = unsafe flush(file)
            guard code == SQLITE_OK else { return code }
        }
        guard size <= Self.bytesMax else { return unsafe original.pointee.xWrite(file, data, Int32(size), offset) }
        if count == 0 { start = offset }
        unsafe (buffer + count).copyMemory(from: data, byteCount: size)
        count += size
        return SQLITE_OK
    }

    private func flush(_ file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        guard count > 0 else { return SQLITE_OK }
        let code = unsafe original.pointee.xWrite(file, buffer, Int32(count), start)
        if code == SQLITE_OK { count = 0 }
        return code
    }

    private func afterFlush(
        _ file: UnsafeMutablePointer<sqlite3_file>, _ call: (sqlite3_io_methods) -> Int32
    ) -> Int32 {
        let code = unsafe flush(file)
        return code == SQLITE_OK ? unsafe call(original.pointee) : code
    }
}
