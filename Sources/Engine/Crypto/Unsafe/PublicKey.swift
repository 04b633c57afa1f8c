internal import COpenSSL

/// The owner of one of OpenSSL's asymmetric keys.
///
/// `@unchecked Sendable`: the key is never changed after its initialiser, and OpenSSL allows any number of threads to
/// sign and verify with one unchanging key, each with a context of its own.
@safe
final class PublicKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over a key that OpenSSL made.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Makes the key that the parts describe.
    /// - Throws: `.invalidKey` if they describe none, or one that is too weak or too large.
    convenience init(_ material: JWK.Material) throws(CryptoError) {
        OpenSSLErrors.clear()
        switch material {
        case .secret: throw CryptoError(.invalidKey, "a shared secret is no asymmetric key")
        case .rsa(let key): unsafe self.init(owning: try Self.rsa(key))
        case .ec(let curve, let x, let y, let secret):
            unsafe self.init(owning: try Self.ec(curve, x: x, y: y, secret: secret?.bytes))
        case .ed25519(let x, let secret):
            unsafe self.init(owning: try Self.ed25519(x: x, seed: secret?.bytes))
        }
    }

    private static func rsa(_ key: JWK.RSA) throws(CryptoError) -> OpaquePointer {
        let bits = key.modulus.drop { $0 == 0 }.count * 8
        guard bits >= 2048, bits <= 8192 else {
            throw CryptoError(.invalidKey, "an RSA key has 2048 to 8192 bits here")
        }
        guard key.exponent.count <= 8 else { throw CryptoError(.invalidKey, "the RSA exponent is too long") }
        let builder = try KeyParameters()
        try builder.add("n", number: key.modulus)
        try builder.add("e", number: key.exponent)
        if let secret = key.secret {
            try builder.add("d", number: secret.exponent)
            try builder.add("rsa-factor1", number: secret.prime1)
            try builder.add("rsa-factor2", number: secret.prime2)
            try builder.add("rsa-exponent1", number: secret.exponent1)
            try builder.add("rsa-exponent2", number: secret.exponent2)
            try builder.add("rsa-coefficient1", number: secret.coefficient)
        }
        return unsafe try builder.key(type: "RSA", isPrivate: key.secret != nil)
    }

    private static func ec(
        _ curve: JWK.Curve, x: [UInt8], y: [UInt8], secret: [UInt8]?
    ) throws(CryptoError) -> OpaquePointer {
        let builder = try KeyParameters()
        try builder.add("group", text: curve.rawValue)
        // 4: an uncompressed point (SEC 1 §2.3.3). OpenSSL refuses one that is not on the curve.
        try builder.add("pub", bytes: [4] + x + y)
        if let secret { try builder.add("priv", number: secret) }
        return unsafe try builder.key(type: "EC", isPrivate: secret != nil)
    }

    private static func ed25519(x: [UInt8], seed: [UInt8]?) throws(CryptoError) -> OpaquePointer {
        let key: OpaquePointer?
        if let seed {
            unsafe key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        } else {
            unsafe key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, x, x.count)
        }
        guard let key = unsafe key else { throw OpenSSLErrors.failure("Ed25519 key", .invalidKey) }
        return unsafe key
    }
}

/// The named parts from which OpenSSL makes a key. Numbers and bytes handed over stay alive as long as this does.
@safe
private final class KeyParameters {
    private let builder: OpaquePointer
    private var numbers: [OpaquePointer]
    private var keptBytes: [UnsafeMutableBufferPointer<UInt8>]

    init() throws(CryptoError) {
        guard let made = unsafe OSSL_PARAM_BLD_new() else { throw OpenSSLErrors.failure("key parameters") }
        unsafe builder = made
        unsafe numbers = []
        unsafe keptBytes = []
    }

    deinit {
        unsafe OSSL_PARAM_BLD_free(builder)
        unsafe numbers.forEach { unsafe BN_clear_free($0) }
        unsafe keptBytes.forEach { buffer in
            unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
            unsafe buffer.deallocate()
        }
    }

    func add(_ name: StaticString, number bytes: [UInt8]) throws(CryptoError) {
        guard let number = unsafe BN_bin2bn(bytes, Int32(truncatingIfNeeded: bytes.count), nil) else {
            throw OpenSSLErrors.failure("key number")
        }
        unsafe numbers.append(number)
        guard unsafe OSSL_PARAM_BLD_push_BN(builder, cString(name), number) == 1 else {
            throw OpenSSLErrors.failure("key number")
        }
    }

    func add(_ name: StaticString, bytes: [UInt8]) throws(CryptoError) {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = unsafe buffer.initialize(from: bytes)
        unsafe keptBytes.append(buffer)
        guard unsafe OSSL_PARAM_BLD_push_octet_string(builder, cString(name), buffer.baseAddress, buffer.count) == 1
        else { throw OpenSSLErrors.failure("key bytes") }
    }

    func add(_ name: StaticString, text: String) throws(CryptoError) {
        let bytes = Array(text.utf8) + [0]
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = unsafe buffer.initialize(from: bytes)
        unsafe keptBytes.append(buffer)
        let isPushed = unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
            unsafe OSSL_PARAM_BLD_push_utf8_string(builder, cString(name), characters.baseAddress, bytes.count - 1) == 1
        }
        guard isPushed else { throw OpenSSLErrors.failure("key text") }
    }

    func key(type: StaticString, isPrivate: Bool) throws(CryptoError) -> OpaquePointer {
        let parameters = unsafe OSSL_PARAM_BLD_to_param(builder)
        defer { unsafe OSSL_PARAM_free(parameters) }
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, cString(type), nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        // EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR are macros of several flags.
        let selection =
            OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS
            | OSSL_KEYMGMT_SELECT_PUBLIC_KEY | (isPrivate ? OSSL_KEYMGMT_SELECT_PRIVATE_KEY : 0)
        guard unsafe parameters != nil, unsafe context != nil, unsafe EVP_PKEY_fromdata_init(context) == 1,
            unsafe EVP_PKEY_fromdata(context, &key, selection, parameters) == 1, let key = unsafe key
        else { throw OpenSSLErrors.failure("key", .invalidKey) }
        return unsafe key
    }

    private func cString(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
