internal import EventLoop

/// Takes connections from one listening socket.
///
/// `@unchecked Sendable`: touched on the loop's thread only; its timer carries it there.
final class Listener: EventSource, @unchecked Sendable {
    /// Connections taken in one turn at most, so that open connections are served between.
    private static let acceptsPerTurn = 64
    private let socket: ListeningSocket
    private let server: LoopServer
    private let handler: any HTTPHandler
    private var isFinished = false

    init(_ socket: ListeningSocket, server: LoopServer, handler: any HTTPHandler) {
        self.socket = socket
        self.server = server
        self.handler = handler
        super.init(descriptor: socket.descriptor)
    }

    /// Begins, or begins again, to take connections.
    func resume() {
        guard !isFinished, !isWatched else { return }
        if (try? server.loop.add(self, .level)) == nil { pause() }
    }

    override func ready(_ readiness: Readiness) {
        take(Self.acceptsPerTurn)
    }

    private func take(_ count: Int) {
        for _ in 0..<count {
            switch socket.accept() {
            case .accepted(let descriptor, let peer): server.open(descriptor: descriptor, peer: peer, handler: handler)
            case .wouldBlock: return
            case .aborted: continue
            case .exhausted:
                server.closeLongestIdle()
                pause()
                return
            }
        }
    }

    /// Rests a moment: taking connections cannot succeed now.
    private func pause() {
        server.loop.remove(self)
        server.loop.schedule(after: server.limits.acceptPause) { [self] in resume() }
    }

    /// Takes the connections that are complete already, then closes the socket.
    func finish() {
        guard !isFinished else { return }
        take(Self.acceptsPerTurn * Self.acceptsPerTurn)
        isFinished = true
        server.loop.remove(self)
        socket.close()
    }
}
