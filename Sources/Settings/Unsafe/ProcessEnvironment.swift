internal import CSys
import Glibc

/// The environment of the process and the files that settings name: the one place that reads either.
///
/// Called while the process has a single thread (start) or by the main thread alone (reload).
public enum ProcessEnvironment {
    /// Every variable; a later one of the same name counts.
    public static func variables() -> [String: String] {
        var found: [String: String] = [:]
        guard var next = unsafe environ as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? else { return found }
        while let line = unsafe next.pointee {
            let text = unsafe String(cString: line)
            if let equals = text.firstIndex(of: "=") {
                found[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            unsafe next = unsafe next + 1
        }
        return found
    }

    /// Whether a file can be read and has something in it.
    public static func canRead(file path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var byte: [UInt8] = [0]
        return unsafe byte.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) } == 1
    }

    /// The largest file of settings, in bytes.
    public static let fileBytesMax = 1 << 20

    /// A file's text; nil when it cannot be read, is no UTF-8 or is larger than ``fileBytesMax``.
    public static func text(ofFile path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 { return nil }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
            if bytes.count > fileBytesMax { return nil }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
