public import Bytes
internal import CCrypt
internal import COpenSSL

/// Bcrypt through libxcrypt: pure functions that take their time on the caller's thread (43 ms at cost 10).
///
/// Bcrypt looks at the first 72 bytes of a password only. Passwords with a NUL byte are neither hashed nor matched,
/// since C would take what stands before it for the whole.
public enum Bcrypt {
    /// The costs that are accepted: each step doubles the time.
    public static let costs = 4...31
    /// How many bytes of a password count.
    public static let passwordBytesMax = 72

    /// Hashes a password under a fresh salt: `$2a$`, as Go writes it.
    /// - Throws: `.invalidPassword`, `.failed`.
    public static func hash(
        _ password: [UInt8], cost: Int = 10, random: some RandomSource
    ) throws(PasswordError) -> String {
        let scratch = BcryptScratch()
        return try scratch.hash(password, setting: setting(cost: cost, salt: random.fill(16)))
    }

    /// Whether the password is the one that was hashed, also by another system; false for a hash that cannot be read.
    public static func matches(_ password: [UInt8], _ hash: String) -> Bool {
        let scratch = BcryptScratch()
        return (try? scratch.matches(password, hash)) ?? false
    }

    /// The setting for a new hash; the cost is held to ``costs``, the salt to 16 bytes.
    static func setting(cost: Int, salt: [UInt8]) throws(PasswordError) -> String {
        let cost = min(max(cost, costs.lowerBound), costs.upperBound)
        var text = [CChar](repeating: 0, count: 64)
        let isMade = unsafe salt.withUnsafeBytes { bytes in
            unsafe crypt_gensalt_rn(
                "$2a$", UInt(cost), bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(salt.count), &text,
                Int32(text.count)) != nil
        }
        guard isMade, salt.count >= 16 else { throw .failed }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The 32 KiB that libxcrypt works in, wiped after each use. One owner, one thread at a time.
@safe
final class BcryptScratch {
    private let data: UnsafeMutablePointer<crypt_data>

    init() {
        unsafe data = .allocate(capacity: 1)
        unsafe data.initialize(to: crypt_data())
    }

    deinit {
        wipe()
        unsafe data.deallocate()
    }

    func hash(_ password: [UInt8], setting: String) throws(PasswordError) -> String {
        guard !password.contains(0) else { throw .invalidPassword }
        defer { wipe() }
        // libxcrypt refuses more than 512 bytes; bcrypt itself never looks past these.
        var phrase = Array(password.prefix(Bcrypt.passwordBytesMax)) + [0]
        defer { unsafe OPENSSL_cleanse(&phrase, phrase.count) }
        let hash = unsafe phrase.withUnsafeBytes { bytes -> String? in
            guard let start = bytes.baseAddress else { return nil }
            let size = Int32(MemoryLayout<crypt_data>.size)
            guard
                let made = unsafe crypt_rn(start.assumingMemoryBound(to: CChar.self), setting, data, size)
            else { return nil }
            return unsafe String(cString: made)
        }
        // A failure of libxcrypt reads "*0" or "*1".
        guard let hash, !hash.hasPrefix("*") else { throw .failed }
        return hash
    }

    func matches(_ password: [UInt8], _ stored: String) throws(PasswordError) -> Bool {
        switch PasswordHash(stored) {
        case .bcrypt(let text, _):
            guard !password.contains(0) else { return false }
            return ConstantTime.equals(try hash(password, setting: text), text)
        case .argon2(let hash): return try hash.matches(password)
        case .firebaseScrypt(let hash): return try hash.matches(password)
        case .unknown: throw .unsupportedHash
        }
    }

    private func wipe() {
        unsafe OPENSSL_cleanse(data, MemoryLayout<crypt_data>.size)
    }
}
