import Backend
import Bytes
import Crypto
import JSON
import Settings

/// `drawbridge keys new --algorithm`: keys that access tokens are signed with.
extension KeysCommand {
    private static let algorithms = "ES256, RS256, EdDSA or HS256"

    /// Prints a value for `GOTRUE_JWT_KEYS`: a new key that signs, and every key there was to verify what it signed.
    /// Nothing is kept of it here. Source: supabase-config.md 3.4.
    static func makeSigningKey(
        _ algorithm: String, _ arguments: inout Arguments, _ loading: SettingsLoading
    ) throws -> ExitStatus {
        let random = SystemRandom()
        let id = try arguments.value("--name") ?? UUID(random: random).description
        guard !id.isEmpty, id.utf8.count <= 64, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw UsageError("--name: 1 to 64 printable characters without blanks")
        }
        try arguments.finish()
        let settings = try SettingsReader(loading.judged()).settings()
        let key: JWK
        switch algorithm {
        case "ES256": key = try .generateP256(id: id, from: random)
        case "RS256": key = try .generateRSA(id: id)
        case "EdDSA": key = try .generateEd25519(id: id, from: random)
        case "HS256": key = .generateSecret(id: id, from: random)
        default: throw UsageError("--algorithm: \"\(algorithm)\" is not \(algorithms)")
        }
        let known = try knownKeys(settings)
        guard !known.keys.contains(where: { $0.id == id }) else {
            throw UsageError("there is a key named \(id) already")
        }
        let set = known.succeeded(by: key)
        _ = try TokenKeys(
            TokenSettings(keys: RawToken(set.array.description)), folderSecret: RawToken("not used"))
        let others = set.keys.count - 1
        Terminal.error(
            "GOTRUE_JWT_KEYS: \(algorithm) key \(id) signs"
                + (others > 0 ? ", \(others) older to verify with" : "") + "; set it and start again:\n")
        Terminal.out(set.array.description + "\n")
        return .ok
    }

    /// The keys that are set, or the secret that has signed so far: its tokens stay good beside the new key.
    private static func knownKeys(_ settings: ServerSettings) throws -> JWKSet {
        if let text = settings.tokens.keys {
            do {
                return try JWKSet(parsing: text.exposed)
            } catch {
                throw SettingsError(["GOTRUE_JWT_KEYS: \(error.description)"])
            }
        }
        guard let secret = try settings.tokens.secret ?? KeysFile.read(settings.dataFolder).secret else {
            return JWKSet([])
        }
        return JWKSet([JWK(.secret(HMACKey(Array(secret.exposed.utf8))), id: settings.tokens.keyID, use: "sig")])
    }
}
