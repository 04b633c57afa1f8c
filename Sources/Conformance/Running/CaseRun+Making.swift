import Bytes
import Crypto
import JSON

/// Steps that compute a value.
extension CaseRun {
    func make(_ step: CaseStep) throws(StepStop) {
        guard step.unknownKind == nil, let kind = CaseStep.makeable.first(where: { step.fields[$0] != nil }) else {
            throw .notRun(step.unknownKind ?? "what is to be made is not known here")
        }
        let name = step.text("var") ?? ""
        let given = try fill(step.fields[kind] ?? .null)
        do {
            values[name] = try made(kind, given, step, name)
        } catch let stop as StepStop {
            throw stop
        } catch let failure as TestTokens.Failure {
            throw .failed(failure.text)
        } catch {
            throw .failed("\(error)")
        }
    }

    private func made(_ kind: String, _ given: JSONValue, _ step: CaseStep, _ name: String) throws -> JSONValue {
        let text = ValueText.plain(given)
        switch kind {
        case "jwt": return .string(try token(given.object ?? JSONObject(), step))
        case "id_token": return .string(try idToken(given.object ?? JSONObject(), step))
        case "pkce":
            let verifier = Base64.encodeURL(world.random.fill(42))
            values[name + ".challenge"] = .string(Base64.encodeURL(SHA.sha256(Array(verifier.utf8))))
            return .string(verifier)
        case "sha256": return .string(SHA.sha256Hex(text))
        case "upper": return .string(text.uppercased())
        case "lower": return .string(text.lowercased())
        case "base64": return .string(Base64.encode(Array(text.utf8)))
        case "query":
            guard let value = URLText.field(step.text("name") ?? "", in: URLText(text).query) else {
                throw StepStop.failed("the URL has no \(CaseStep.short(step.text("name") ?? "parameter"))")
            }
            return .string(value)
        default: return given
        }
    }

    /// A token with these claims, `now+60` and `now-60` filled in.
    private func token(_ given: JSONObject, _ step: CaseStep) throws -> String {
        var claims = given
        for member in given.members {
            guard let text = member.value.string, text.hasPrefix("now+") || text.hasPrefix("now-") else { continue }
            let rest = text.dropFirst(4)
            guard let offset = Int64(rest.isEmpty ? "0" : rest), (0...1 << 40).contains(offset) else {
                throw StepStop.notRun("\(CaseStep.short(text)) is no time")
            }
            claims[member.key] = .int(text.hasPrefix("now+") ? serverSeconds + offset : serverSeconds - offset)
        }
        let header = step.fields["header"]?.object ?? JSONObject()
        guard let key = step.fields["key"]?.object else {
            return try TestTokens.hs256(claims, secret: step.text("secret") ?? world.secret, header: header)
        }
        // The secret number alone is a key, too.
        guard let secret = Base64.decode(key["d"]?.string ?? "", .url, padding: .optional), secret.count == 32 else {
            throw StepStop.notRun("key: must be a private P-256 key")
        }
        let pair = try SigningKey(try JWK.generateP256(from: GivenBytes(bytes: secret)))
        return try TestTokens.signed(claims, with: pair, id: key["kid"] ?? .null, header: header)
    }

    private func idToken(_ given: JSONObject, _ step: CaseStep) throws -> String {
        var override = given
        for name in ["profile", "aud", "nonce"] { override.remove(name) }
        return try world.openID.idToken(
            given["profile"]?.object ?? JSONObject(), audience: given["aud"] ?? "test-client", nonce: given["nonce"],
            signer: step.text("signer") ?? OpenIDPeer.firstKey, override: override)
    }
}

/// Bytes that a case gives in place of random ones.
private struct GivenBytes: RandomSource {
    let bytes: [UInt8]

    func fill(_ count: Int) -> [UInt8] { Array(bytes.prefix(max(0, count))) }
}
