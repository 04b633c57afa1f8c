internal import CSys
internal import Glibc

/// The folder of the embedded database, held by one process at a time.
///
/// The lock is the kernel's (`flock`): it goes with the process, however that ends.
struct DataFolder: Sendable {
    static let databaseName = "drawbridge.db"
    static let lockName = "drawbridge.lock"

    let path: String
    private let lock: Int32

    var databasePath: String { "\(path)/\(Self.databaseName)" }

    /// Makes the folder (0700) and the database's file (0600) when they are missing, and takes the lock.
    init(path: String) throws(StoreOpeningError) {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
            throw StoreOpeningError.unusable(path, reason: Self.lastError())
        }
        let lock = unsafe csys_open("\(path)/\(Self.lockName)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw StoreOpeningError.unusable(path, reason: Self.lastError()) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let reason = Self.lastError()
            _ = Glibc.close(lock)
            throw isTaken ? StoreOpeningError.inUse(path) : StoreOpeningError.unusable(path, reason: reason)
        }
        // SQLite gives the files beside it the same mode.
        let file = unsafe csys_open("\(path)/\(Self.databaseName)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let reason = Self.lastError()
            _ = Glibc.close(lock)
            throw StoreOpeningError.unusable(path, reason: reason)
        }
        _ = Glibc.close(file)
        self.path = path
        self.lock = lock
    }

    /// Lets the next one in.
    func release() {
        _ = Glibc.close(lock)
    }

    static func lastError() -> String {
        unsafe String(cString: strerror(errno))
    }
}

/// A file that is written under a temporary name and gets its own when it is whole. Mode 0600.
struct NewFile {
    let path: String
    let partialPath: String

    /// - Throws: `StoreError.failed` when there is a file of that name already.
    init(path: String) throws(StoreError) {
        self.path = path
        partialPath = path + ".partial"
        guard unsafe access(path, F_OK) != 0 else { throw StoreError.failed("\(path) exists; nothing was written") }
        let file = unsafe csys_open(partialPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw StoreError.failed("cannot write \(partialPath): \(DataFolder.lastError())")
        }
        _ = Glibc.close(file)
    }

    /// Gives the whole file its name, unless someone else took it meanwhile.
    func finish() throws(StoreError) {
        let file = unsafe csys_open(partialPath, O_RDWR | O_CLOEXEC, 0)
        guard file >= 0, fsync(file) == 0, Glibc.close(file) == 0 else {
            throw StoreError.failed("cannot write \(partialPath): \(DataFolder.lastError())")
        }
        guard unsafe link(partialPath, path) == 0 else {
            throw StoreError.failed("cannot name \(path): \(DataFolder.lastError())")
        }
        discard()
    }

    func discard() {
        unsafe _ = unlink(partialPath)
    }
}

/// A small number for each thread, the same on every call: which of several connections the thread uses.
enum ThreadNumber {
    /// Numbers of different threads are different until `count` threads have asked.
    static func current(below count: Int) -> Int {
        let known = Int(bitPattern: unsafe pthread_getspecific(key))
        if known > 0 { return (known - 1) % count }
        let number = Self.counter.next()
        unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: number))
        return (number - 1) % count
    }

    private static let counter = ThreadCounter()
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()
}
