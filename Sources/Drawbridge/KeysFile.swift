import Backend
import Bytes
import Crypto
import Gateway
import JSON

/// What the data folder keeps of keys: the made JWT secret, and the API keys of `drawbridge keys new` as SHA-256.
struct KeysFile {
    static let name = "keys.json"

    struct Key {
        let name: String
        let role: APIKeyRole
        let digest: [UInt8]
        let createdAt: Timestamp
        let expiresAt: Timestamp?
    }

    var secret: RawToken?
    var keys: [Key] = []

    static func path(_ folder: String) -> String { folder + "/" + name }

    /// Reads the file; an empty value when there is none.
    static func read(_ folder: String) throws(UnavailableError) -> KeysFile {
        var file = KeysFile()
        let path = path(folder)
        guard let text = try PrivateFile.read(path) else { return file }
        guard let object = (try? JSONValue.parse(text))?.object else {
            throw UnavailableError("\(path) is not JSON; restore it from a backup")
        }
        file.secret = object["jwt_secret"]?.string.map { RawToken($0) }
        for value in object["keys"]?.array ?? [] {
            guard let key = Self.key(value) else { throw UnavailableError("\(path) holds a key that cannot be read") }
            file.keys.append(key)
        }
        return file
    }

    private static func key(_ value: JSONValue) -> Key? {
        guard let object = value.object, let name = object["name"]?.string,
            let digest = object["sha256"]?.string.flatMap(Hex.decode), digest.count == 32,
            let created = object["created_at"]?.string.flatMap(Timestamp.init(rfc3339:))
        else { return nil }
        let role: APIKeyRole
        switch object["role"]?.string {
        case "anon": role = .anonymous
        case "service_role": role = .service
        default: return nil
        }
        let expiry = object["expires_at"]?.string
        let expires = expiry.flatMap(Timestamp.init(rfc3339:))
        guard expiry == nil || expires != nil else { return nil }
        return Key(name: name, role: role, digest: digest, createdAt: created, expiresAt: expires)
    }

    func write(_ folder: String) throws(UnavailableError) {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        if let secret { writer.field("jwt_secret", secret.exposed) }
        writer.key("keys")
        writer.beginArray()
        for key in keys {
            writer.beginObject()
            writer.field("name", key.name)
            writer.field("role", Self.roleName(key.role))
            writer.field("sha256", Hex.encode(key.digest))
            writer.field("created_at", key.createdAt.description)
            if let expiry = key.expiresAt { writer.field("expires_at", expiry.description) }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        try PrivateFile.replace(Self.path(folder), with: String(decoding: writer.bytes, as: UTF8.self) + "\n")
    }

    static func roleName(_ role: APIKeyRole) -> String { role == .service ? "service_role" : "anon" }

    /// The secret of the folder, made at the first start.
    static func secret(_ folder: String, random: some RandomSource) throws -> (file: KeysFile, isNew: Bool) {
        let known = try read(folder)
        if known.secret != nil { return (known, false) }
        try PrivateFile.makeFolder(folder)
        return try PrivateFile.withLock(on: folder + "/keys.lock") {
            var file = try read(folder)
            guard file.secret == nil else { return (file, false) }
            file.secret = RawToken(Base64.encodeURL(random.fill(48)))
            try file.write(folder)
            return (file, true)
        }
    }
}

/// API keys that are made here.
enum MadeKeys {
    /// The JWT of a role: always the same for a secret, so that it need not be kept.
    static func token(role: APIKeyRole, secret: RawToken) throws(CryptoError) -> String {
        let claims: JSONObject = ["iss": "drawbridge", "role": .string(KeysFile.roleName(role))]
        return try JWTSigner(SigningKey(secret: secret.exposed)).sign(claims)
    }

    /// A key of the new style: prefix, 22 characters, checksum. Source: gateway.md 2.
    static func opaque(role: APIKeyRole, random: some RandomSource) -> String {
        let stem = (role == .service ? "sb_secret_" : "sb_publishable_") + Base64.encodeURL(random.fill(17)).prefix(22)
        let sum = Base64.encodeURL(SHA.sha256(Array("supabase-self-hosted|\(stem)".utf8))).prefix(8)
        return stem + "_" + sum
    }
}
