/// How the embedded database is run. The defaults are for production.
public struct SQLiteOptions: Sendable {
    /// When a commit counts as done.
    public enum Synchronous: String, Sendable {
        /// After the fsync: nothing that was answered is lost, not even when the power fails.
        case full = "FULL"
        /// Before it: a power failure may lose the last commits, a crash of the process does not. For measurements.
        case normal = "NORMAL"
    }

    public var synchronous = Synchronous.full
    /// Page cache of each reading connection, in KiB; filled as needed.
    public var readerCacheKiB = 8 * 1024
    /// Page cache of the writing connection, in KiB; filled as needed.
    public var writerCacheKiB = 32 * 1024
    /// How much of the file is read through the kernel's page cache without a copy, in bytes: with it a reader keeps
    /// its speed while others write, for its own page cache is void after each commit.
    public var mappedBytesMax: Int64 = 1 << 30
    /// Frames (of 4 KiB) in the write-ahead log after which they are moved into the database file.
    /// Bounds the time of a start after a crash.
    public var checkpointFrames = 6_000
    /// Transactions that share one commit at most.
    public var batchMax = 32
    /// Transactions that wait at most; one more is refused as overload.
    public var queueMax = 4_096
    /// How long to wait for another process that holds the database's lock.
    public var busyTimeoutMilliseconds = 5_000

    public init() {}
}
