internal import Synchronization

/// Log lines on their way out. Whoever writes them never waits: what does not fit is counted and dropped.
public final class LogBuffer: Sendable {
    /// Bytes that may wait. Source: reliability-security.md C, "log disk / stdout blocked".
    public static let bytesMax = 8 << 20

    private struct State {
        var bytes: [UInt8] = []
        var dropped = 0
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void
    private let bytesMax: Int

    /// - Parameter wake: called when the first line comes into an empty buffer, from any thread.
    public init(bytesMax: Int = LogBuffer.bytesMax, wake: @escaping @Sendable () -> Void) {
        self.bytesMax = bytesMax
        self.wake = wake
    }

    /// Takes one line with its line end.
    public func append(_ line: [UInt8]) {
        let isFirst = state.withLock { state in
            guard state.bytes.count + line.count <= bytesMax else {
                state.dropped += 1
                return false
            }
            let isFirst = state.bytes.isEmpty
            state.bytes.append(contentsOf: line)
            return isFirst
        }
        if isFirst { wake() }
    }

    /// Hands over what waits.
    public func take() -> [UInt8] {
        state.withLock { state in
            var bytes: [UInt8] = []
            swap(&bytes, &state.bytes)
            return bytes
        }
    }

    /// Lines that were dropped so far.
    public var dropped: Int { state.withLock { $0.dropped } }
}
