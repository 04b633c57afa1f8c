internal import CSys
import Glibc

/// Files that only their owner may read (0600), replaced as a whole.
enum PrivateFile {
    /// Makes the folder (0700) when it is missing.
    static func makeFolder(_ path: String) throws(UnavailableError) {
        var made = ""
        if path.hasPrefix("/") { made = "/" }
        for part in path.split(separator: "/") {
            made += made.isEmpty || made == "/" ? part : "/" + part
            if unsafe mkdir(made, 0o700) != 0, errno != EEXIST {
                throw UnavailableError("\(made) cannot be made: \(reason())")
            }
        }
    }

    /// The file's text; nil when there is none.
    static func read(_ path: String) throws(UnavailableError) -> String? {
        let descriptor = unsafe csys_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw UnavailableError("\(path) cannot be read: \(reason())")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw UnavailableError("\(path) cannot be read: \(reason())") }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= 1 << 20 else { throw UnavailableError("\(path) is too large") }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw UnavailableError("\(path) is not UTF-8")
        }
        return text
    }

    /// Writes a new file beside it, makes it durable and puts it in place.
    static func replace(_ path: String, with text: String) throws(UnavailableError) {
        let fresh = "\(path).\(getpid()).new"
        let descriptor = unsafe csys_open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw UnavailableError("\(fresh) cannot be written: \(reason())") }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                let why = reason()
                close(descriptor)
                unsafe _ = unlink(fresh)
                throw UnavailableError("\(fresh) cannot be written: \(why)")
            }
            rest = rest.dropFirst(count)
        }
        let isDurable = fsync(descriptor) == 0
        close(descriptor)
        guard isDurable, unsafe rename(fresh, path) == 0 else {
            let why = reason()
            unsafe _ = unlink(fresh)
            throw UnavailableError("\(path) cannot be written: \(why)")
        }
    }

    /// Holds a lock on a file while something is read, changed and written again.
    static func withLock<Result>(
        on path: String, _ body: () throws -> Result
    ) throws -> Result {
        let descriptor = unsafe csys_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw UnavailableError("\(path) cannot be opened: \(reason())") }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw UnavailableError("\(path) cannot be locked: \(reason())") }
        return try body()
    }

    private static func reason() -> String {
        let number = errno
        return unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}
