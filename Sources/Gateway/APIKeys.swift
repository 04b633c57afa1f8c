public import Backend
public import Bytes

/// What an API key turned out to be. Source: interface.md "API keys".
public struct JudgedKey: Sendable, Equatable {
    public let role: APIKeyRole
    /// Names the key in the access log: `anon`, `service_role`, or the name it was made under. Never the key.
    public let id: String
    /// The key stands in for a bearer where there is none. One that is a JWT does not: it has to be sent as the bearer
    /// itself, as behind the stock gateway. Source: gateway.md 4.
    public let actsAlone: Bool
    /// A key that is a JWT with `exp` is good until then.
    public let expiry: Timestamp?

    public init(role: APIKeyRole, id: String, actsAlone: Bool = true, expiry: Timestamp? = nil) {
        self.actsAlone = actsAlone
        self.role = role
        self.id = id
        self.expiry = expiry
    }
}

/// Knows the API keys; the executable wires it. May be asked from any loop.
public protocol APIKeySource: Sendable {
    /// Changes whenever an answer may have changed (a key was added, taken away or expired).
    var generation: Int { get }
    /// Judges a key as it was sent; nil for one that is not known or not good any more.
    func judge(_ key: [UInt8], now: Timestamp) -> JudgedKey?
}

/// The keys that one loop saw last, so that a JWT is not verified anew with every request.
///
/// Bytes are compared in constant time, so that asking tells nothing about a key that is in it.
struct KeyCache {
    static let entriesMax = 16

    private struct Entry {
        let key: [UInt8]
        let judged: JudgedKey
    }

    private let source: any APIKeySource
    private var entries: [Entry] = []
    private var generation: Int
    private var next = 0

    init(_ source: any APIKeySource) {
        self.source = source
        generation = source.generation
    }

    /// The longest key that is looked at; configured keys and JWTs are far shorter.
    static let keyBytesMax = 16 * 1024

    mutating func judge(_ key: Span<UInt8>, now: Timestamp) -> JudgedKey? {
        guard !key.isEmpty, key.count <= Self.keyBytesMax else { return nil }
        let current = source.generation
        if current != generation {
            generation = current
            entries.removeAll(keepingCapacity: true)
            next = 0
        }
        for entry in entries where ConstantTime.equals(entry.key.span, key) {
            if let expiry = entry.judged.expiry, expiry <= now { return nil }
            return entry.judged
        }
        let copy = key.array
        guard let judged = source.judge(copy, now: now) else { return nil }
        let entry = Entry(key: copy, judged: judged)
        if entries.count < Self.entriesMax {
            entries.append(entry)
        } else {
            entries[next] = entry
            next = (next + 1) % Self.entriesMax
        }
        return judged
    }
}
