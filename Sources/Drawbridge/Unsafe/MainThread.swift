internal import CSys
import Glibc

/// What the main thread waits for: signals, log lines, changes in the data folder, and the end of a task.
///
/// Made and used by the main thread; only ``wake()`` may be called from others.
final class MainThread: Sendable {
    enum Event {
        /// SIGTERM; or SIGINT, with which a person ends it.
        case stop(isByHand: Bool)
        /// SIGHUP, or a file of the data folder was replaced.
        case reload
        /// Log lines wait, or something else wants to be looked at.
        case woken
        /// Nothing happened for as long as was asked.
        case timedOut
    }

    private let signals: Int32
    private let wakes: Int32
    private let changes: Int32

    /// Blocks the signals, so that threads started from now on never get them.
    init() {
        var set = Self.handled()
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        signals = unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        wakes = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        changes = csys_inotify_init()
    }

    private static func handled() -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
        return set
    }

    /// Wakes ``wait(milliseconds:)``. From any thread.
    func wake() {
        var one: UInt64 = 1
        _ = unsafe write(wakes, &one, 8)
    }

    /// Reports files of a folder that were written or moved there. What is written to by the store stays open and is
    /// not reported.
    func watch(folder: String) { unsafe _ = csys_inotify_watch(changes, folder) }

    func wait(milliseconds: Int32 = -1) -> Event {
        var entries = [signals, wakes, changes].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
        if count == 0 { return .timedOut }
        guard count > 0 else { return .woken }
        if entries[0].revents != 0 {
            var info = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            if unsafe read(signals, &info, size) == size {
                let number = Int32(bitPattern: info.ssi_signo)
                return number == SIGHUP ? .reload : .stop(isByHand: number == SIGINT)
            }
        }
        if entries[1].revents != 0 {
            var number: UInt64 = 0
            _ = unsafe read(wakes, &number, 8)
        }
        if entries[2].revents != 0, hasChangedKeys() { return .reload }
        return .woken
    }

    /// Reads what was reported and tells whether the keys file was among it.
    private func hasChangedKeys() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 8192)
        var isFound = false
        let wanted = Array(KeysFile.name.utf8)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(changes, $0.baseAddress, $0.count) }
            guard count > 0 else { return isFound }
            if buffer[..<count].split(separator: 0).contains(where: { Array($0) == wanted }) { isFound = true }
        }
    }

    /// From now on a second signal ends the process at once.
    func letSignalsKill() {
        for number in [SIGTERM, SIGINT] { _ = signal(number, SIG_DFL) }
        var set = Self.handled()
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        _ = signal(SIGHUP, SIG_IGN)
    }
}
