import Backend
import Crypto
import InProcessBackend
import JSON
import Settings

/// The keys of access tokens and of API keys, made of the settings. Source: supabase-config.md 3.4.
struct TokenKeys {
    let access: AccessTokenKeys
    /// Verifies API keys: with every key there is, also where a user's token may not have its algorithm.
    let apiKeys: JWTVerifier
    let secret: RawToken

    /// - Parameter folderSecret: counts when no secret is set.
    init(_ settings: TokenSettings, folderSecret: RawToken) throws(SettingsError) {
        secret = settings.secret ?? folderSecret
        do {
            let shared = try VerificationKey(secret: secret.exposed, id: settings.keyID)
            guard let text = settings.keys else {
                let allowed = try Self.methods(settings.validMethods)
                access = AccessTokenKeys(
                    signer: JWTSigner(try SigningKey(secret: secret.exposed, id: settings.keyID)),
                    verifier: JWTVerifier(
                        keys: [], secret: shared, secretKeyID: settings.keyID, allowed: allowed,
                        bytesMax: AccessTokenKeys.tokenBytesMax), publicKeySet: JWKSet([]).json)
                apiKeys = JWTVerifier(keys: [], secret: shared, secretKeyID: settings.keyID)
                return
            }
            let set = try JWKSet(parsing: text.exposed)
            let signing = try set.signingKey()
            var keys: [VerificationKey] = []
            for key in set.keys { keys.append(try VerificationKey(key)) }
            let own = Set(keys.map(\.algorithm))
            access = AccessTokenKeys(
                signer: JWTSigner(try SigningKey(signing)),
                verifier: JWTVerifier(
                    keys: keys, secret: shared, secretKeyID: settings.keyID,
                    allowed: try Self.methods(settings.validMethods) ?? own, bytesMax: AccessTokenKeys.tokenBytesMax),
                publicKeySet: set.publicKeys.json)
            apiKeys = JWTVerifier(
                keys: keys, secret: shared, secretKeyID: settings.keyID, allowed: own.union([shared.algorithm]))
        } catch let error as SettingsError {
            throw error
        } catch let error as JWKError {
            throw SettingsError(["GOTRUE_JWT_KEYS: \(error.description)"])
        } catch {
            throw SettingsError(["GOTRUE_JWT_KEYS: a key cannot be used: \(error)"])
        }
    }

    private static func methods(_ names: [String]?) throws(SettingsError) -> Set<JWTAlgorithm>? {
        guard let names else { return nil }
        var found: Set<JWTAlgorithm> = []
        for name in names {
            guard let method = JWTAlgorithm(rawValue: name) else {
                let known = JWTAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
                throw SettingsError(["GOTRUE_JWT_VALID_METHODS: \"\(name)\" is not one of \(known)"])
            }
            found.insert(method)
        }
        return found
    }
}
