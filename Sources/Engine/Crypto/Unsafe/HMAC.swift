internal import Bytes
internal import COpenSSL
internal import Synchronization

/// An HMAC (RFC 2104) with its key already worked in: the cheap way to tag many messages.
///
/// Safe from any thread; a lock serialises the use of its context, so give each loop an instance of its own.
public final class HMAC: Sendable {
    /// The tag's length in bytes.
    public let size: Int
    private let context: Mutex<Context>

    /// Works a key in. A key may have any length, also none.
    /// - Throws: `.operationFailed` if OpenSSL cannot.
    public init(_ key: HMACKey, _ hash: HMACHash = .sha256) throws(CryptoError) {
        size = hash.size
        context = Mutex(try Context(key, hash))
    }

    /// The tag of a message.
    public func tag(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try tag(message.span)
    }

    /// The tag of a message.
    public func tag(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let tag = compute(message)
        guard tag.length == size else { throw OpenSSLErrors.failure("HMAC") }
        return [UInt8](capacity: size) { (out: inout OutputSpan<UInt8>) in
            for index in 0..<size { out.append(tag.bytes[index]) }
        }
    }

    /// Whether the tag is that of the message; compared in constant time.
    public func isValid(_ candidate: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        guard candidate.count == size else { return false }
        let tag = compute(message)
        guard tag.length == size else {
            OpenSSLErrors.clear()
            return false
        }
        return ConstantTime.equals(candidate, tag.bytes.span.extracting(first: size))
    }

    /// Whether the tag is that of the message; compared in constant time.
    public func isValid(_ candidate: [UInt8], for message: [UInt8]) -> Bool {
        isValid(candidate.span, for: message.span)
    }

    private struct Tag {
        var bytes = InlineArray<64, UInt8>(repeating: 0)
        /// How many bytes were made; 0 if OpenSSL failed.
        var length = 0
    }

    private func compute(_ message: Span<UInt8>) -> Tag {
        unsafe message.withUnsafeBufferPointer { input in
            // The pointer lives through the closure, which runs at once.
            let start = UInt(bitPattern: input.baseAddress)
            let count = input.count
            return context.withLock { context in
                unsafe context.compute(UnsafePointer(bitPattern: start), count)
            }
        }
    }

    /// The owner of OpenSSL's context. The lock around it serialises access.
    @safe
    private struct Context: ~Copyable, @unchecked Sendable {
        private let pointer: OpaquePointer

        init(_ key: HMACKey, _ hash: HMACHash) throws(CryptoError) {
            OpenSSLErrors.clear()
            let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil)
            defer { unsafe EVP_MAC_free(algorithm) }
            guard let algorithm = unsafe algorithm, let made = unsafe EVP_MAC_CTX_new(algorithm) else {
                throw OpenSSLErrors.failure("HMAC context")
            }
            // A null key would mean "keep the old one", so an empty key still points somewhere.
            let bytes = key.bytes.isEmpty ? [0] : key.bytes
            let isKeyed = unsafe bytes.withUnsafeBufferPointer { buffer in
                // OpenSSL keeps both pointers: a literal handed over as an argument would be gone after the call.
                let name = unsafe UnsafeMutablePointer(mutating: Self.cString(hash.name))
                var parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(Self.cString("digest"), name, 0), OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_MAC_init(made, buffer.baseAddress, key.bytes.count, &parameters) == 1
            }
            guard isKeyed else {
                unsafe EVP_MAC_CTX_free(made)
                throw OpenSSLErrors.failure("HMAC key")
            }
            unsafe pointer = made
        }

        private static func cString(_ text: StaticString) -> UnsafePointer<CChar> {
            unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
        }

        deinit {
            // Freed memory is cleansed by OpenSSL.
            unsafe EVP_MAC_CTX_free(pointer)
        }

        mutating func compute(_ message: UnsafePointer<UInt8>?, _ count: Int) -> Tag {
            var tag = Tag()
            guard unsafe EVP_MAC_init(pointer, nil, 0, nil) == 1 else { return tag }
            if count > 0 {
                guard unsafe EVP_MAC_update(pointer, message, count) == 1 else { return tag }
            }
            var length = 0
            let isDone = unsafe withUnsafeMutableBytes(of: &tag.bytes) { out in
                unsafe EVP_MAC_final(
                    pointer, out.baseAddress?.assumingMemoryBound(to: UInt8.self), &length, out.count) == 1
            }
            tag.length = isDone ? length : 0
            return tag
        }
    }
}
