internal import Bytes
internal import CArgon2
internal import COpenSSL

extension Argon2Hash {
    /// Whether the password is the one that was hashed; takes its time on the caller's thread, whatever the lanes.
    /// - Throws: `.failed` when the library has not the memory.
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool {
        var password = password
        var salt = salt
        var made = [UInt8](repeating: 0, count: digest.count)
        defer {
            unsafe OPENSSL_cleanse(&password, password.count)
            unsafe OPENSSL_cleanse(&made, made.count)
        }
        guard let passwordCount = UInt32(exactly: password.count), let saltCount = UInt32(exactly: salt.count),
            let madeCount = UInt32(exactly: made.count)
        else { throw .failed }
        let status = unsafe password.withUnsafeMutableBufferPointer { secret in
            unsafe salt.withUnsafeMutableBufferPointer { salt in
                unsafe made.withUnsafeMutableBufferPointer { out in
                    var context = unsafe argon2_context()
                    unsafe context.out = out.baseAddress
                    unsafe context.outlen = madeCount
                    unsafe context.pwd = secret.baseAddress
                    unsafe context.pwdlen = passwordCount
                    unsafe context.salt = salt.baseAddress
                    unsafe context.saltlen = saltCount
                    unsafe context.t_cost = passes
                    unsafe context.m_cost = memory
                    unsafe context.lanes = lanes
                    unsafe context.threads = 1
                    unsafe context.version = ARGON2_VERSION_13.rawValue
                    return unsafe argon2_ctx(&context, variant == .argon2i ? Argon2_i : Argon2_id)
                }
            }
        }
        guard status == ARGON2_OK.rawValue else { throw .failed }
        return ConstantTime.equals(made, digest)
    }
}

extension FirebaseScryptHash {
    /// Bytes of the derived key, an AES-256 key.
    private static let keySize = 32

    /// Whether the password is the one that was hashed; takes its time on the caller's thread.
    /// - Throws: `.failed` when the library has not the memory.
    func matches(_ password: [UInt8]) throws(PasswordError) -> Bool {
        // HMAC fills a short key up with zeros, so that a password and the same with zeros behind it are one to it.
        guard !password.contains(0) else { return false }
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        var key = [UInt8](repeating: 0, count: Self.keySize)
        defer { unsafe OPENSSL_cleanse(&key, key.count) }
        // What the library takes beside the table of N blocks: a few blocks a lane.
        let memory = Self.memoryMax + (1 << 26)
        let isDerived = unsafe password.withUnsafeBytes { secret in
            unsafe EVP_PBE_scrypt(
                secret.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.emptyText, secret.count, salt,
                salt.count, 1 << UInt64(logCost), UInt64(blockSize), UInt64(parallelism), memory, &key, key.count) == 1
        }
        guard isDerived else { throw .failed }
        return ConstantTime.equals(try encrypt(signerKey, key), digest)
    }

    /// AES-256 in counter mode from a counter of zero.
    private func encrypt(_ plain: [UInt8], _ key: [UInt8]) throws(PasswordError) -> [UInt8] {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .failed }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let counter = [UInt8](repeating: 0, count: 16)
        var out = [UInt8](repeating: 0, count: plain.count)
        var written: Int32 = 0
        guard let size = Int32(exactly: plain.count),
            unsafe EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, counter) == 1,
            unsafe EVP_EncryptUpdate(context, &out, &written, plain, size) == 1, written == size
        else { throw .failed }
        return out
    }

    /// Something to point at when there are no bytes: nothing is read there.
    private static var emptyText: UnsafePointer<CChar>? {
        unsafe UnsafePointer(bitPattern: MemoryLayout<UInt64>.alignment)
    }
}
