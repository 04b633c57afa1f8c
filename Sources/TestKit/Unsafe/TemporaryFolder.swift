internal import Glibc

/// A new folder of a test's own under the system's temporary folder (or `$TMPDIR`).
public struct TemporaryFolder: Sendable {
    public let path: String

    /// What went wrong while a folder was made.
    public struct Failure: Error {
        public let number: Int32
    }

    public init() throws {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/drawbridge-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw Failure(number: errno)
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Deletes the folder and the files in it (folders in it are emptied, too).
    public func remove() {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        if let folder = unsafe opendir(path) {
            while let entry = unsafe readdir(folder) {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                    unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            unsafe _ = closedir(folder)
            unsafe _ = rmdir(path)
        } else {
            unsafe _ = unlink(path)
        }
    }
}
