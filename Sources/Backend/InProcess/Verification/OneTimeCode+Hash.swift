import Backend
import Bytes
import Crypto

extension OneTimeCode {
    /// What links of a PKCE flow begin with.
    static let pkcePrefix = "pkce_"

    /// A code of so many random digits; what is not from 6 to 10 counts as 6. Source: supabase-core.md 8.1.
    static func random(length: Int, _ source: any RandomSource) -> OneTimeCode {
        OneTimeCode(source.digits((6...10).contains(length) ? length : 6))
    }

    /// What is stored of the code: the SHA-224 of the address or number and the code, in lower-case hexadecimal.
    func hash(for address: String) -> String { SHA.sha224Hex(address + exposed) }

    /// Whether this is the code behind what is stored, with or without the mark of a PKCE flow; in constant time.
    func matches(_ stored: String, for address: String) -> Bool {
        guard !stored.isEmpty else { return false }
        let hash = hash(for: address)
        let isPlain = ConstantTime.equals(hash, stored)
        let isPKCE = ConstantTime.equals(Self.pkcePrefix + hash, stored)
        return isPlain || isPKCE
    }
}
