internal import Bytes
internal import COpenSSL

/// The SHA family (FIPS 180-4), one call a hash. Safe from any thread.
///
/// Should the library refuse (it does only without memory), the answer is random bytes: they match nothing.
public enum SHA {
    /// 20 bytes; only where a protocol asks for it, never for safety.
    public static func sha1(_ data: [UInt8]) -> [UInt8] {
        unsafe digest(data.span, size: 20) { unsafe SHA1($0, $1, $2) }
    }

    /// 28 bytes.
    public static func sha224(_ data: [UInt8]) -> [UInt8] {
        unsafe digest(data.span, size: 28) { unsafe SHA224($0, $1, $2) }
    }

    /// 32 bytes.
    public static func sha256(_ data: [UInt8]) -> [UInt8] {
        sha256(data.span)
    }

    /// 32 bytes.
    public static func sha256(_ data: Span<UInt8>) -> [UInt8] {
        unsafe digest(data, size: 32) { unsafe SHA256($0, $1, $2) }
    }

    /// 48 bytes.
    public static func sha384(_ data: [UInt8]) -> [UInt8] {
        unsafe digest(data.span, size: 48) { unsafe SHA384($0, $1, $2) }
    }

    /// 64 bytes.
    public static func sha512(_ data: [UInt8]) -> [UInt8] {
        unsafe digest(data.span, size: 64) { unsafe SHA512($0, $1, $2) }
    }

    /// SHA-224 of a text as lower-case hexadecimal: how Supabase Auth hashes one-time tokens.
    public static func sha224Hex(_ text: String) -> String {
        Hex.encode(sha224(Array(text.utf8)))
    }

    /// SHA-256 of a text as lower-case hexadecimal.
    public static func sha256Hex(_ text: String) -> String {
        Hex.encode(sha256(Array(text.utf8)))
    }

    private typealias Function = (
        UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?
    ) -> UnsafeMutablePointer<UInt8>?

    private static func digest(_ data: Span<UInt8>, size: Int, _ function: Function) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: size)
        let isDone = unsafe data.withUnsafeBufferPointer { input in
            unsafe out.withUnsafeMutableBufferPointer { output in
                unsafe function(input.baseAddress ?? emptyInput, input.count, output.baseAddress) != nil
            }
        }
        guard isDone else {
            OpenSSLErrors.clear()
            return SystemRandom().fill(size)
        }
        return out
    }

    /// Something to point at when there are no bytes: OpenSSL reads nothing there.
    private static var emptyInput: UnsafePointer<UInt8>? {
        unsafe UnsafePointer(bitPattern: MemoryLayout<UInt64>.alignment)
    }
}
