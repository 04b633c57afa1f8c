internal import Bytes
internal import EventLoop
internal import Synchronization

/// The limits that heads and chunks are judged by, shared by all parsers of a loop.
final class SharedLimits: Sendable {
    let methodBytesMax, targetBytesMax, fieldBytesMax, fieldNameBytesMax, fieldsMax: Int
    let headBytesMax, hostBytesMax, emptyLinesMax: Int
    let chunkExtensionBytesMax, chunkSizeDigitsMax, chunkOverheadFactor, chunkOverheadBytesMin: Int

    init(_ limits: HTTPLimits) {
        methodBytesMax = limits.methodBytesMax
        targetBytesMax = limits.targetBytesMax
        fieldBytesMax = limits.fieldBytesMax
        fieldNameBytesMax = limits.fieldNameBytesMax
        fieldsMax = limits.fieldsMax
        headBytesMax = limits.headBytesMax
        hostBytesMax = limits.hostBytesMax
        emptyLinesMax = limits.emptyLinesMax
        chunkExtensionBytesMax = limits.chunkExtensionBytesMax
        chunkSizeDigitsMax = limits.chunkSizeDigitsMax
        chunkOverheadFactor = max(0, limits.chunkOverheadFactor)
        chunkOverheadBytesMin = limits.chunkOverheadBytesMin
    }
}

/// What the connections of a loop use in turn while they work: warm buffers, a parser, a writer.
struct Workbench: ~Copyable {
    var pool = BlockPool()
    var parser: HeadParser
    var writer = ResponseWriter()

    init(_ limits: SharedLimits) {
        parser = HeadParser(shared: limits)
    }
}

/// A connection's socket and the bytes that wait at it.
struct Stream: ~Copyable {
    var socket: Socket
    var input = ByteBuffer()
    var output = ByteBuffer()
    /// The parser of a request that is not complete yet.
    var partial: HeadParser?
    /// Whether there is one: cheaper to ask than the parser itself.
    var isPartial = false
    var isReadable = false
    var isWritable = true
    /// The kernel has announced the peer's last byte.
    var endIsNear = false
    /// The peer's last byte has been read.
    var hasEnded = false

    init(descriptor: Int32) {
        socket = Socket(descriptor: descriptor)
    }
}

/// The time-outs in nanoseconds.
struct TimeLimits {
    let head, idle, bodyGrace, write, linger: UInt64

    init(_ limits: HTTPLimits) {
        head = limits.headTimeout.loopNanoseconds
        idle = limits.idleTimeout.loopNanoseconds
        bodyGrace = limits.bodyGrace.loopNanoseconds
        write = limits.writeTimeout.loopNanoseconds
        linger = limits.lingerTimeout.loopNanoseconds
    }
}

/// A number that all loops change and anyone reads.
final class ConnectionCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ change: Int) {
        count.add(change, ordering: .relaxed)
    }
}
