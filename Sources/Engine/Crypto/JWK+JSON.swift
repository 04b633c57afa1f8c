internal import Bytes
public import JSON

/// What is wrong with a JWK. Holds nothing of the key but its member names.
public struct JWKError: Error, Equatable, Sendable, CustomStringConvertible {
    /// For the operator: which member is missing or wrong.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension JWK {
    /// Reads a key from its JSON object.
    public init(_ object: JSONObject) throws(JWKError) {
        let material: Material
        switch try Self.text("kty", in: object) {
        case "oct"?: material = .secret(HMACKey(try Self.bytes("k", in: object)))
        case "RSA"?: material = .rsa(try Self.rsa(object))
        case "EC"?: material = try Self.ec(object)
        case "OKP"?: material = try Self.okp(object)
        case .some(let kind): throw JWKError("kty \(kind) is not supported")
        case nil: throw JWKError("kty is missing")
        }
        var algorithm: JWTAlgorithm?
        if let name = try Self.text("alg", in: object) {
            // An algorithm of another use (encryption) or another kind of key makes the key useless here.
            guard let known = JWTAlgorithm(rawValue: name) else { throw JWKError("alg \(name) is not supported") }
            guard Self.fits(known, material) else { throw JWKError("alg \(name) does not fit this kty and crv") }
            algorithm = known
        }
        var operations: [String] = []
        for value in object["key_ops"]?.array ?? [] {
            guard let operation = value.string else { throw JWKError("key_ops must be strings") }
            operations.append(operation)
        }
        self.init(
            material, id: try Self.text("kid", in: object), algorithm: algorithm, use: try Self.text("use", in: object),
            operations: operations)
    }

    /// Reads a key from JSON text.
    public init(parsing text: String) throws(JWKError) {
        guard let object = (try? JSONValue.parse(text))?.object else { throw JWKError("not a JSON object") }
        try self.init(object)
    }

    /// The key as a JSON object, its members in the order of their names. Its secret comes along: see ``publicKey``.
    public var object: JSONObject {
        var members: [(String, JSONValue)] = [("alg", .string(algorithm.rawValue))]
        func add(_ name: String, _ bytes: [UInt8]) { members.append((name, .string(Base64.encodeURL(bytes)))) }
        switch material {
        case .secret(let key):
            members.append(("kty", "oct"))
            add("k", key.bytes)
        case .rsa(let key):
            members.append(("kty", "RSA"))
            add("n", key.modulus)
            add("e", key.exponent)
            if let secret = key.secret {
                add("d", secret.exponent)
                add("p", secret.prime1)
                add("q", secret.prime2)
                add("dp", secret.exponent1)
                add("dq", secret.exponent2)
                add("qi", secret.coefficient)
            }
        case .ec(let curve, let x, let y, let secret):
            members.append(("kty", "EC"))
            members.append(("crv", .string(curve.rawValue)))
            add("x", x)
            add("y", y)
            if let secret { add("d", secret.bytes) }
        case .ed25519(let x, let secret):
            members.append(("kty", "OKP"))
            members.append(("crv", "Ed25519"))
            add("x", x)
            if let secret { add("d", secret.bytes) }
        }
        if let id { members.append(("kid", .string(id))) }
        if let use { members.append(("use", .string(use))) }
        if !operations.isEmpty { members.append(("key_ops", .array(operations.map { .string($0) }))) }
        var object = JSONObject()
        for (name, value) in members.sorted(by: { $0.0 < $1.0 }) { object[name] = value }
        return object
    }

    private static func rsa(_ object: JSONObject) throws(JWKError) -> RSA {
        let modulus = try bytes("n", in: object)
        let exponent = try bytes("e", in: object)
        guard object["d"] != nil else { return RSA(modulus: modulus, exponent: exponent, secret: nil) }
        let secret = RSASecret(
            exponent: try bytes("d", in: object), prime1: try bytes("p", in: object),
            prime2: try bytes("q", in: object), exponent1: try bytes("dp", in: object),
            exponent2: try bytes("dq", in: object), coefficient: try bytes("qi", in: object))
        return RSA(modulus: modulus, exponent: exponent, secret: secret)
    }

    private static func ec(_ object: JSONObject) throws(JWKError) -> Material {
        guard let name = try text("crv", in: object), let curve = Curve(rawValue: name) else {
            throw JWKError("crv is missing or not supported")
        }
        let x = try padded("x", in: object, to: curve.size)
        let y = try padded("y", in: object, to: curve.size)
        let secret = object["d"] == nil ? nil : HMACKey(try padded("d", in: object, to: curve.size))
        return .ec(curve, x: x, y: y, secret: secret)
    }

    private static func okp(_ object: JSONObject) throws(JWKError) -> Material {
        guard try text("crv", in: object) == "Ed25519" else { throw JWKError("crv is missing or not supported") }
        let x = try bytes("x", in: object)
        let secret = object["d"] == nil ? nil : try bytes("d", in: object)
        guard x.count == 32, secret == nil || secret?.count == 32 else {
            throw JWKError("x and d of an Ed25519 key have 32 bytes")
        }
        return .ed25519(x: x, secret: secret.map { HMACKey($0) })
    }

    private static func text(_ name: String, in object: JSONObject) throws(JWKError) -> String? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let text = value.string else { throw JWKError("\(name) must be a string") }
        return text
    }

    private static func bytes(_ name: String, in object: JSONObject) throws(JWKError) -> [UInt8] {
        guard let text = try text(name, in: object) else { throw JWKError("\(name) is missing") }
        guard let bytes = Base64.decode(text, .url, padding: .optional), !bytes.isEmpty else {
            throw JWKError("\(name) is not base64url")
        }
        return bytes
    }

    /// A number of fixed length; shorter ones, which some libraries write, get their leading zeros back.
    private static func padded(_ name: String, in object: JSONObject, to size: Int) throws(JWKError) -> [UInt8] {
        let value = try bytes(name, in: object)
        guard value.count <= size else { throw JWKError("\(name) is too long for the curve") }
        return [UInt8](repeating: 0, count: size - value.count) + value
    }

    static func fits(_ algorithm: JWTAlgorithm, _ material: Material) -> Bool {
        switch (algorithm.family, material) {
        case (.hmac, .secret), (.rsa, .rsa), (.ed25519, .ed25519): true
        case (.ec(let wanted), .ec(let curve, _, _, _)): wanted == curve
        default: false
        }
    }
}
