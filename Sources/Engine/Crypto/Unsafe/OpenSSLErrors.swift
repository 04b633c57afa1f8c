internal import COpenSSL

/// The calling thread's queue of OpenSSL errors: emptied before and after each use, so that none is met elsewhere.
enum OpenSSLErrors {
    static func clear() {
        ERR_clear_error()
    }

    /// An error for a step that failed, with OpenSSL's reason; empties the queue.
    static func failure(_ step: String, _ code: CryptoError.Code = .operationFailed) -> CryptoError {
        var text = step
        let number = ERR_get_error()
        if number != 0, let reason = unsafe ERR_reason_error_string(number) {
            unsafe text += ": " + String(cString: reason)
        }
        ERR_clear_error()
        return CryptoError(code, text)
    }
}
