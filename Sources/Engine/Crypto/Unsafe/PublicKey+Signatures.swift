internal import COpenSSL

extension PublicKey {
    /// Signs a message; the result is in the form JWTs carry (r‖s for elliptic curves, RFC 7518 §3.4).
    func sign(_ message: [UInt8], _ algorithm: JWTAlgorithm) throws(CryptoError) -> [UInt8] {
        OpenSSLErrors.clear()
        guard let context = unsafe EVP_MD_CTX_new() else { throw OpenSSLErrors.failure("signing context") }
        defer { unsafe EVP_MD_CTX_free(context) }
        var options: OpaquePointer?
        guard unsafe EVP_DigestSignInit(context, &options, Self.digest(algorithm), nil, pointer) == 1,
            unsafe Self.configure(options, algorithm)
        else { throw OpenSSLErrors.failure("signing key") }
        var length = 0
        guard unsafe EVP_DigestSign(context, nil, &length, message, message.count) == 1, length > 0, length <= 4096
        else { throw OpenSSLErrors.failure("signature") }
        var signature = [UInt8](repeating: 0, count: length)
        guard unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1,
            length <= signature.count
        else { throw OpenSSLErrors.failure("signature") }
        signature.removeLast(signature.count - length)
        if case .ec(let curve) = algorithm.family { return try ECDSASignature.joined(der: signature, curve.size) }
        return signature
    }

    /// Whether the signature, in the form JWTs carry, is this key's for the message.
    func isValid(_ signature: [UInt8], for message: Span<UInt8>, _ algorithm: JWTAlgorithm) -> Bool {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        var native = signature
        if case .ec(let curve) = algorithm.family {
            guard let der = ECDSASignature.der(joined: signature, curve.size) else { return false }
            native = der
        }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        var options: OpaquePointer?
        guard unsafe EVP_DigestVerifyInit(context, &options, Self.digest(algorithm), nil, pointer) == 1,
            unsafe Self.configure(options, algorithm)
        else { return false }
        return unsafe message.withUnsafeBufferPointer { input in
            unsafe EVP_DigestVerify(context, native, native.count, input.baseAddress, input.count) == 1
        }
    }

    private static func digest(_ algorithm: JWTAlgorithm) -> OpaquePointer? {
        switch algorithm.hash {
        case .sha256?: unsafe EVP_sha256()
        case .sha384?: unsafe EVP_sha384()
        case .sha512?: unsafe EVP_sha512()
        case nil: nil
        }
    }

    private static func configure(_ options: OpaquePointer?, _ algorithm: JWTAlgorithm) -> Bool {
        guard algorithm.isPSS else { return true }
        // The salt is as long as the hash (RFC 7518 §3.5): -1 says so.
        return unsafe EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, -1) == 1
    }
}

/// The two numbers of an ECDSA signature: OpenSSL has them in DER, a JWT joins them at fixed length.
enum ECDSASignature {
    static func joined(der: [UInt8], _ size: Int) throws(CryptoError) -> [UInt8] {
        var joined = [UInt8](repeating: 0, count: size * 2)
        let isDone = unsafe der.withUnsafeBufferPointer { input in
            var start = input.baseAddress
            let signature = unsafe d2i_ECDSA_SIG(nil, &start, input.count)
            defer { unsafe ECDSA_SIG_free(signature) }
            guard let signature = unsafe signature else { return false }
            let length = Int32(truncatingIfNeeded: size)
            return unsafe joined.withUnsafeMutableBufferPointer { out in
                guard let first = out.baseAddress else { return false }
                return unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), first, length) == length
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), first + size, length) == length
            }
        }
        guard isDone else { throw OpenSSLErrors.failure("ECDSA signature") }
        return joined
    }

    /// Nil for a signature of the wrong length.
    static func der(joined: [UInt8], _ size: Int) -> [UInt8]? {
        guard joined.count == size * 2 else { return nil }
        let body = integer(joined[..<size]) + integer(joined[size...])
        // A sequence of two integers (X.690 §8.9); from 128 bytes on its length takes a byte more.
        return body.count < 128
            ? [0x30, UInt8(body.count)] + body : [0x30, 0x81, UInt8(truncatingIfNeeded: body.count)] + body
    }

    /// A DER integer: no needless leading zeros, but one where the first bit is set, for the sign.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.isEmpty || digits[0] & 0x80 != 0 { digits.insert(0, at: 0) }
        return [0x02, UInt8(truncatingIfNeeded: digits.count)] + digits
    }
}
