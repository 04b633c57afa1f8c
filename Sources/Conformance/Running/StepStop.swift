/// Why a case ends before its last step.
struct StepStop: Error {
    enum Kind {
        /// The server failed: no answer, or an answer that lacks what later steps need.
        case failed
        /// This program, or the way it was started, cannot do the step: nothing is said about the server.
        case notRun
    }

    let kind: Kind
    let text: String
    /// The server gave no answer at all.
    var isSilence = false

    static func silence(_ text: String) -> StepStop { StepStop(kind: .failed, text: text, isSilence: true) }
    static func failed(_ text: String) -> StepStop { StepStop(kind: .failed, text: text) }
    static func notRun(_ text: String) -> StepStop { StepStop(kind: .notRun, text: text) }
}

/// A server under test, as a running case sees it.
protocol ServerUnderTest: AnyObject {
    /// URL without the prefix and without a slash at the end.
    var base: String { get }
    /// Kills the server and starts it again on the same data; nil if it cannot be restarted.
    var restart: (() throws(SocketFailure) -> Void)? { get }
    /// Runs SQL in the server's store; nil if it cannot be reached.
    var runSQL: ((String) throws(SocketFailure) -> Void)? { get }
    /// Moves the server's clock so many seconds ahead of the real one; nil if it cannot be moved.
    var moveClock: ((Double) throws(SocketFailure) -> Void)? { get }
}

/// Keys that stand for the callers of a server.
struct CallerKeys: Sendable {
    var anonymous: String
    var service: String
}
