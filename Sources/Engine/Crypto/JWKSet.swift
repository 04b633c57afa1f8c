internal import Bytes
public import JSON

/// Several keys: `{"keys":[…]}` (RFC 7517 §5), or the bare array that `GOTRUE_JWT_KEYS` holds.
public struct JWKSet: Sendable, Equatable {
    /// The keys in order.
    public var keys: [JWK]

    public init(_ keys: [JWK]) {
        self.keys = keys
    }

    /// Reads a set that must be right in every key: an operator's own setting.
    public init(parsing text: String) throws(JWKError) {
        keys = []
        for element in try Self.elements(Array(text.utf8)) {
            guard let object = element.object else { throw JWKError("a key is not a JSON object") }
            keys.append(try JWK(object))
        }
    }

    /// Reads somebody else's published set: keys of kinds that are unknown here are left out (RFC 7517 §5).
    public init(tolerating bytes: [UInt8]) throws(JWKError) {
        keys = []
        for element in try Self.elements(bytes) {
            if let object = element.object, let key = try? JWK(object) { keys.append(key) }
        }
    }

    /// The one key that signs: `sign` is among its `key_ops`. Source: supabase-config.md 3.4.
    /// - Throws: when there is none or more than one, or when two keys go by the same `kid` or both by none, for then
    ///   a token does not say which of them it means.
    public func signingKey() throws(JWKError) -> JWK {
        var names: Set<String> = []
        for key in keys where !names.insert(key.id ?? "").inserted {
            throw JWKError(key.id.map { "two keys have the kid \"\($0)\"" } ?? "two keys have no kid")
        }
        let signing = keys.filter { $0.operations.contains("sign") }
        guard let key = signing.first else { throw JWKError("no signing key detected") }
        guard signing.count == 1 else {
            throw JWKError("multiple signing keys detected, only 1 signing key is supported")
        }
        return key
    }

    /// The published form of every key but shared secrets.
    public var publicKeys: JWKSet {
        JWKSet(keys.compactMap(\.publicKey))
    }

    /// The set after a change of keys: the new one signs, and those before it verify what they signed. Of these only
    /// shared secrets keep what is secret.
    public func succeeded(by key: JWK) -> JWKSet {
        let older = keys.map { old in
            var kept = old.publicKey ?? old
            kept.operations = ["verify"]
            return kept
        }
        return JWKSet([key] + older)
    }

    /// The bare array of `GOTRUE_JWT_KEYS`. Secrets come along.
    public var array: JSONText {
        JSONText(JSONValue.array(keys.map { .object($0.object) }))
    }

    /// The set as `{"keys":[…]}`. Secrets come along: see ``publicKeys``.
    public var json: JSONText {
        var object = JSONObject()
        object["keys"] = .array(keys.map { .object($0.object) })
        return JSONText(object)
    }

    private static func elements(_ bytes: [UInt8]) throws(JWKError) -> [JSONValue] {
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes)
        } catch {
            throw JWKError("not JSON: \(error)")
        }
        if let array = value.array { return array }
        guard let array = value["keys"]?.array else { throw JWKError("neither an array nor an object with keys") }
        return array
    }
}
