internal import CSys
import Glibc
import Synchronization

/// A command that runs beside this program, in a process group of its own.
final class ChildProcess: Sendable {
    let id: pid_t
    /// The status of `waitpid`, once the command has ended.
    private let status = Mutex<Int32?>(nil)

    /// Starts a shell command; what it prints goes to the file, or to where this program prints if there is none.
    init(command: String, environment: [String: String], output: String?) throws(SocketFailure) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if let output {
            unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        var standard = sigset_t()
        unsafe sigemptyset(&standard)
        for number in [SIGPIPE, SIGINT, SIGTERM] { unsafe sigaddset(&standard, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &standard)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
        let shellWords: [String] = ["/bin/sh", "-c", command]
        var words: [UnsafeMutablePointer<CChar>?] = unsafe shellWords.map {
            unsafe strdup($0)
        }
        unsafe words.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map {
            unsafe strdup("\($0.key)=\($0.value)")
        }
        unsafe variables.append(nil)
        defer {
            unsafe (words + variables).forEach { unsafe free($0) }
        }
        var id = pid_t()
        let failed = unsafe posix_spawn(&id, "/bin/sh", &actions, &attributes, words, variables)
        guard failed == 0 else { throw unsafe SocketFailure("posix_spawn: \(String(cString: strerror(failed)))") }
        self.id = id
        LaunchedGroups.add(id)
    }

    /// Whether the command has ended.
    var isOver: Bool { ending != nil }

    /// How the command ended, in words for a person; nil while it runs.
    var endingText: String? {
        guard let ending else { return nil }
        let signal = ending & 0x7F
        return signal == 0
            ? "the command ended with status \((ending >> 8) & 0xFF)" : "the command was ended by signal \(signal)"
    }

    private var ending: Int32? {
        status.withLock { status in
            var now: Int32 = 0
            if status == nil, unsafe waitpid(id, &now, WNOHANG) == id {
                status = now
                LaunchedGroups.remove(id)
            }
            return status
        }
    }

    /// Waits for the end; false if it has not come after so many seconds.
    func wait(seconds: Double) -> Bool {
        let end = Threads.clock() + seconds
        while !isOver {
            guard Threads.clock() < end else { return false }
            Threads.rest(seconds: 0.01)
        }
        return true
    }

    /// Ends the whole group at once and waits for it.
    func kill() {
        guard !isOver else { return }
        Glibc.kill(-id, SIGKILL)
        _ = wait(seconds: 10)
    }

    /// Asks the group to end, and makes it after ten seconds.
    func stop() {
        guard !isOver else { return }
        Glibc.kill(-id, SIGTERM)
        if !wait(seconds: 10) { kill() }
    }

    /// Runs a command with this input to its end; what it printed if it failed.
    static func run(
        _ command: String, input: String, environment: [String: String], folder: String
    ) throws(SocketFailure) {
        let inputFile = folder + "/input", output = folder + "/output"
        Files.remove(output)
        try Files.write(Array(input.utf8), to: inputFile)
        let child = try ChildProcess(
            command: "(\(command)\n) <'\(inputFile)'", environment: environment, output: output)
        guard child.wait(seconds: 30) else {
            child.kill()
            throw SocketFailure("the command took over 30 s")
        }
        guard child.ending == 0 else {
            let said = (try? Files.read(output, bytesMax: 1 << 20)) ?? []
            let text = ExactText.trimmed(String(decoding: said.suffix(300), as: UTF8.self))
            throw SocketFailure((child.endingText ?? "the command failed") + (text.isEmpty ? "" : ": " + text))
        }
    }
}

/// The process groups that this program started, so that a signal that ends it ends them too.
///
/// The handler only reads atomics and calls `kill` and `_exit`, which are safe there.
private enum LaunchedGroups {
    static let first = Atomic<Int32>(0)
    static let second = Atomic<Int32>(0)
    static let third = Atomic<Int32>(0)
    static let handlers: Void = {
        for number in [SIGINT, SIGTERM, SIGHUP] { _ = signal(number, endLaunchedGroups) }
    }()

    static func add(_ id: Int32) {
        for slot in 0..<3 where exchange(slot, 0, id) { break }
        _ = handlers
    }

    static func remove(_ id: Int32) {
        for slot in 0..<3 where exchange(slot, id, 0) { break }
    }

    private static func exchange(_ slot: Int, _ old: Int32, _ new: Int32) -> Bool {
        switch slot {
        case 0: first.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
        case 1: second.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
        default: third.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
        }
    }
}

/// Written outside every actor on purpose: the system calls it.
private nonisolated func endLaunchedGroups(_ number: Int32) {
    let first = LaunchedGroups.first.load(ordering: .relaxed)
    let second = LaunchedGroups.second.load(ordering: .relaxed)
    let third = LaunchedGroups.third.load(ordering: .relaxed)
    if first > 1 { Glibc.kill(-first, SIGTERM) }
    if second > 1 { Glibc.kill(-second, SIGTERM) }
    if third > 1 { Glibc.kill(-third, SIGTERM) }
    _exit(128 + number)
}
