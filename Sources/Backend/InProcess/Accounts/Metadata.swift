import Backend
import JSON

/// The rules of `user_metadata` and `app_metadata`. Source: supabase-core.md 10.13 step 2, deviations.md, FR-06.
enum Metadata {
    /// The deepest nesting that is looked at; the wire's parser allows no more.
    static let depthMax = JSONLimits.depthMax

    /// The stored object with the change applied: keys overwritten whole, a null removes its key.
    static func merged(_ stored: JSONText, with patch: JSONObject) -> JSONText {
        stored.merging(patch)
    }

    /// Refuses what a text column cannot hold.
    /// - Throws: `textHasNUL`.
    static func check(_ patch: JSONObject?) throws(AuthError) {
        guard let patch, hasNUL(patch, depth: 0) else { return }
        throw AuthError(.textHasNUL)
    }

    /// Refuses user metadata that has grown too large.
    /// - Throws: `userMetadataTooLarge`.
    static func checkSize(_ merged: JSONText, _ policy: Policy) throws(AuthError) {
        guard let limit = policy.userMetadataBytesMax, merged.bytes.count > limit else { return }
        throw AuthError(.userMetadataTooLarge, String(limit))
    }

    private static func hasNUL(_ object: JSONObject, depth: Int) -> Bool {
        object.members.contains { hasNUL($0.key) || hasNUL($0.value, depth: depth + 1) }
    }

    private static func hasNUL(_ value: JSONValue, depth: Int) -> Bool {
        guard depth <= depthMax else { return false }
        switch value {
        case .string(let text): return hasNUL(text)
        case .array(let elements): return elements.contains { hasNUL($0, depth: depth + 1) }
        case .object(let object): return hasNUL(object, depth: depth)
        case .null, .bool, .number: return false
        }
    }

    static func hasNUL(_ text: String) -> Bool { text.utf8.contains(0) }
}
