public import Bytes
internal import COpenSSL

extension JWK {
    /// Makes a secret of 32 random bytes for HS256.
    public static func generateSecret(id: String? = nil, from random: some RandomSource) -> JWK {
        JWK(.secret(HMACKey(random: random)), id: id, use: "sig", operations: ["sign", "verify"])
    }

    /// Makes a private P-256 key for ES256; its secret number is drawn from the source.
    public static func generateP256(id: String? = nil, from random: some RandomSource) throws(CryptoError) -> JWK {
        OpenSSLErrors.clear()
        guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
            throw OpenSSLErrors.failure("curve")
        }
        defer { unsafe EC_GROUP_free(group) }
        // A draw outside 1..<order has a chance of about 2^-32 and is drawn again.
        for _ in 0..<16 {
            let secret = random.fill(32)
            guard let number = unsafe BN_bin2bn(secret, 32, nil) else { break }
            defer { unsafe BN_clear_free(number) }
            guard unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
                continue
            }
            let point = unsafe EC_POINT_new(group)
            defer { unsafe EC_POINT_free(point) }
            var encoded = [UInt8](repeating: 0, count: 65)
            guard unsafe EC_POINT_mul(group, point, number, nil, nil, nil) == 1,
                unsafe EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &encoded, 65, nil) == 65
            else { break }
            return JWK(
                .ec(.p256, x: Array(encoded[1..<33]), y: Array(encoded[33...]), secret: HMACKey(secret)), id: id,
                use: "sig", operations: ["sign", "verify"])
        }
        throw OpenSSLErrors.failure("P-256 key")
    }

    /// Makes a private Ed25519 key for EdDSA; its seed is drawn from the source.
    public static func generateEd25519(id: String? = nil, from random: some RandomSource) throws(CryptoError) -> JWK {
        OpenSSLErrors.clear()
        let seed = random.fill(32)
        let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        defer { unsafe EVP_PKEY_free(key) }
        var x = [UInt8](repeating: 0, count: 32)
        var length = 32
        guard unsafe key != nil, unsafe EVP_PKEY_get_raw_public_key(key, &x, &length) == 1, length == 32 else {
            throw OpenSSLErrors.failure("Ed25519 key")
        }
        return JWK(.ed25519(x: x, secret: HMACKey(seed)), id: id, use: "sig", operations: ["sign", "verify"])
    }

    /// Makes a private RSA key of 2048 bits for RS256; OpenSSL draws its primes from its own generator.
    public static func generateRSA(id: String? = nil) throws(CryptoError) -> JWK {
        OpenSSLErrors.clear()
        let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe context != nil, unsafe EVP_PKEY_keygen_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1, unsafe EVP_PKEY_keygen(context, &made) == 1,
            let key = unsafe made
        else { throw OpenSSLErrors.failure("RSA key") }
        defer { unsafe EVP_PKEY_free(key) }
        func number(_ name: String) throws(CryptoError) -> [UInt8] {
            var value: OpaquePointer?
            guard unsafe EVP_PKEY_get_bn_param(key, name, &value) == 1, let value = unsafe value else {
                throw OpenSSLErrors.failure("RSA key")
            }
            defer { unsafe BN_clear_free(value) }
            var bytes = [UInt8](repeating: 0, count: Int(unsafe BN_num_bits(value) + 7) / 8)
            _ = unsafe BN_bn2bin(value, &bytes)
            return bytes
        }
        let secret = RSASecret(
            exponent: try number("d"), prime1: try number("rsa-factor1"), prime2: try number("rsa-factor2"),
            exponent1: try number("rsa-exponent1"), exponent2: try number("rsa-exponent2"),
            coefficient: try number("rsa-coefficient1"))
        let rsa = RSA(modulus: try number("n"), exponent: try number("e"), secret: secret)
        return JWK(.rsa(rsa), id: id, use: "sig", operations: ["sign", "verify"])
    }
}
