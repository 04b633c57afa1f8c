internal import COpenSSL
public import EventLoop
public import Bytes

/// Why a TLS client cannot be made, or a connection was refused.
public struct TLSError: Error, Sendable, CustomStringConvertible {
    public let description: String

    /// OpenSSL's reason for a failed step; empties the thread's queue of errors.
    init(_ step: String) {
        var text = step
        let number = ERR_get_error()
        if number != 0, let reason = unsafe ERR_reason_error_string(number) {
            unsafe text += ": " + String(cString: reason)
        }
        ERR_clear_error()
        description = text
    }
}

/// Everything that connections to one server share: trusted certificates, protocol versions, the name to be proved.
///
/// TLS 1.2 and later; the certificate must lead to one that the system trusts (`SSL_CERT_FILE` names others) and must
/// be for the host. Source: RFC 8446, RFC 9525.
///
/// `@unchecked Sendable`: the context is not changed after `init`, and OpenSSL counts its users atomically.
@safe
public final class TLSClient: @unchecked Sendable {
    private let context: OpaquePointer
    private let host: String
    private let isAddress: Bool

    /// - Parameters:
    ///   - host: a name, or an address without brackets.
    ///   - trustedAuthoritiesFile: PEM file of certificates that count in place of the system's.
    public init(host: String, trustedAuthoritiesFile: String? = nil) throws(TLSError) {
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw TLSError("SSL_CTX_new") }
        unsafe self.context = context
        self.host = host
        isAddress = SocketAddress(host: host, port: 0) != nil && host != "localhost"
        let isSet: Bool
        if let trustedAuthoritiesFile {
            isSet = unsafe SSL_CTX_load_verify_file(context, trustedAuthoritiesFile) == 1
        } else {
            isSet = unsafe SSL_CTX_set_default_verify_paths(context) == 1
        }
        unsafe _ = SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        guard isSet else { throw TLSError("the trusted certificates cannot be read") }
        // Partial writes, from a buffer that may have moved meanwhile.
        unsafe _ = SSL_CTX_ctrl(context, SSL_CTRL_MODE, 0x1 | 0x2 | 0x10, nil)
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    }

    deinit {
        unsafe SSL_CTX_free(context)
    }

    /// A connection's own state, before its handshake.
    /// - Parameter descriptor: a connected socket that does not block; it stays its owner's to close.
    public func session(on descriptor: Int32) throws(TLSError) -> TLSSession {
        guard let ssl = unsafe SSL_new(context) else { throw TLSError("SSL_new") }
        let session = unsafe TLSSession(owning: ssl)
        guard unsafe SSL_set_fd(ssl, descriptor) == 1 else { throw TLSError("SSL_set_fd") }
        let isNamed: Bool
        if isAddress {
            isNamed = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
        } else {
            isNamed = unsafe SSL_set1_host(ssl, host) == 1 && Self.indicate(host, ssl)
        }
        guard isNamed else { throw TLSError("the host cannot be named") }
        unsafe SSL_set_connect_state(ssl)
        return session
    }

    /// Server Name Indication (RFC 6066 section 3); the function of that name is a macro.
    private static func indicate(_ host: String, _ ssl: OpaquePointer) -> Bool {
        var name = Array(host.utf8CString)
        return unsafe name.withUnsafeMutableBufferPointer {
            unsafe SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), $0.baseAddress) == 1
        }
    }
}

/// The TLS of one connection. Not thread-safe: it belongs to its connection's loop.
@safe
public final class TLSSession {
    /// How far a handshake has come.
    public enum Handshake: Equatable, Sendable {
        case done
        /// Go on when the socket is readable or writable again.
        case waits
        case failed(String)
    }

    private let ssl: OpaquePointer

    init(owning ssl: OpaquePointer) {
        unsafe self.ssl = ssl
    }

    deinit {
        unsafe SSL_free(ssl)
    }

    /// Takes the handshake as far as it goes now.
    public func shakeHands() -> Handshake {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 { return .done }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .waits
        default:
            let verdict = unsafe SSL_get_verify_result(ssl)
            if verdict != Int(X509_V_OK), let text = unsafe X509_verify_cert_error_string(verdict) {
                ERR_clear_error()
                return unsafe .failed("the certificate is not trusted: " + String(cString: text))
            }
            return .failed(TLSError("the TLS handshake failed").description)
        }
    }

    /// Appends what has arrived; never says that it was short, since more may wait inside.
    public func read(into buffer: inout ByteBuffer, room: Int) -> TransferResult {
        ERR_clear_error()
        let count = unsafe buffer.appendWritten(atLeast: room) { free in
            Int(unsafe SSL_read(ssl, free.baseAddress, Int32(clamping: free.count)))
        }
        return count > 0 ? .moved(count, isShort: false) : verdict(Int32(clamping: count))
    }

    /// Sends the front of `buffer` and consumes what was taken.
    public func write(from buffer: inout ByteBuffer) -> TransferResult {
        ERR_clear_error()
        let total = buffer.count
        let count = unsafe buffer.bytes.withUnsafeBufferPointer {
            unsafe SSL_write(ssl, $0.baseAddress, Int32(clamping: $0.count))
        }
        guard count > 0 else { return verdict(count) }
        buffer.consume(Int(count))
        return .moved(Int(count), isShort: Int(count) < total)
    }

    /// Whether nothing has arrived but what TLS keeps for itself.
    public var isQuiet: Bool {
        ERR_clear_error()
        var byte: UInt8 = 0
        let count = unsafe SSL_peek(ssl, &byte, 1)
        guard count <= 0 else { return false }
        return verdict(count) == .wouldBlock
    }

    /// Tells the peer that nothing more comes.
    public func finish() {
        unsafe _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }

    private func verdict(_ result: Int32) -> TransferResult {
        let code = unsafe SSL_get_error(ssl, result)
        ERR_clear_error()
        return switch code {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: .wouldBlock
        case SSL_ERROR_ZERO_RETURN: .end
        default: .failed
        }
    }
}
