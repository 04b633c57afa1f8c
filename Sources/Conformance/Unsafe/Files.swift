internal import CSys
import Glibc

/// Files and folders, as far as this tool needs them.
enum Files {
    static func isFolder(_ path: String) -> Bool { kind(path) == S_IFDIR }

    /// A path without what does not change where it leads: `./` at its beginning, doubled slashes.
    static func plain(_ path: String) -> String {
        var parts = ExactText.split(path, at: "/").filter { !$0.isEmpty && $0 != "." }
        if ExactText.hasPrefix(path, "/") { parts.insert("", at: 0) }
        return parts.joined(separator: "/")
    }

    /// Whether a file can be written there; one that was not there is not there afterwards.
    static func checkWritable(_ path: String) throws(SocketFailure) {
        let isNew = !exists(path)
        let descriptor = unsafe csys_open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last(path) }
        close(descriptor)
        if isNew { unsafe unlink(path) }
    }

    static func exists(_ path: String) -> Bool { kind(path) != nil }

    /// Length in bytes; nil if there is no such file.
    static func size(_ path: String) -> Int? {
        var found = stat()
        return unsafe stat(path, &found) == 0 ? Int(found.st_size) : nil
    }

    private static func kind(_ path: String, followingLinks: Bool = true) -> mode_t? {
        var found = stat()
        let status = unsafe followingLinks ? stat(path, &found) : lstat(path, &found)
        return status == 0 ? found.st_mode & S_IFMT : nil
    }

    /// The names in a folder, sorted.
    static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var out: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { out.append(name) }
        }
        return out.sorted(by: ExactText.precedes)
    }

    /// Every file below a folder with that ending, in order; links to folders are not followed.
    static func all(below folder: String, ending: String, depth: Int = 0) -> [String] {
        guard depth < 16 else { return [] }
        return names(in: folder).flatMap { name -> [String] in
            let path = folder + (ExactText.hasSuffix(folder, "/") ? "" : "/") + name
            if kind(path, followingLinks: false) == S_IFDIR {
                return all(below: path, ending: ending, depth: depth + 1)
            }
            return ExactText.hasSuffix(name, ending) && kind(path) == S_IFREG ? [path] : []
        }
    }

    /// The whole file, which may have so many bytes.
    static func read(_ path: String, bytesMax: Int) throws(SocketFailure) -> [UInt8] {
        let descriptor = unsafe csys_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw .last(path) }
        defer { close(descriptor) }
        var out: [UInt8] = []
        while true {
            var count = -1
            let part = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, length in
                count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                length = max(0, count)
            }
            guard count >= 0 else { throw .last(path) }
            if count == 0 { return out }
            out += part
            guard out.count <= bytesMax else { throw SocketFailure("\(path): over \(bytesMax) bytes") }
        }
    }

    /// Writes a file anew; it is for its owner alone.
    static func write(_ bytes: [UInt8], to path: String) throws(SocketFailure) {
        let descriptor = unsafe csys_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last(path) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw .last(path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Makes a folder that is new and for its owner alone, below the folder for such things.
    static func temporaryFolder(below parent: String) throws(SocketFailure) -> String {
        var template = Array("\(parent)/conformance-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> Bool in
            guard let start = buffer.baseAddress else { return false }
            return unsafe mkdtemp(start) != nil
        }
        guard made else { throw .last("mkdtemp") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func makeFolder(_ path: String) throws(SocketFailure) {
        guard unsafe mkdir(path, 0o700) == 0 else { throw .last(path) }
    }

    /// Removes a file, or a folder with all that is in it; links are not followed.
    static func remove(_ path: String, depth: Int = 0) {
        guard depth < 64, let kind = kind(path, followingLinks: false) else { return }
        if kind == S_IFDIR {
            for name in names(in: path) { remove(path + "/" + name, depth: depth + 1) }
            unsafe rmdir(path)
        } else {
            unsafe unlink(path)
        }
    }
}
