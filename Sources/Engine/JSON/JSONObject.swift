/// The members of a JSON object in the order they came, with fast look-up by key.
///
/// A key that comes twice keeps its first place and its last value, as browsers do and Go reads it.
public struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// The member's name.
        public let key: String
        /// The member's value.
        public var value: JSONValue
    }

    /// The members in order; no key comes twice.
    public private(set) var members: [Member] = []
    /// The place of each key, kept only for objects that are too large to search through.
    private var places: [ExactKey: Int]?

    private static let searchedMax = 24

    /// An object without members.
    public init() {}

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements { self[key] = value }
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }
    /// The keys in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of a key; setting nil removes the member, setting a new key appends it.
    public subscript(_ key: String) -> JSONValue? {
        get {
            place(of: key).map { members[$0].value }
        }
        set {
            guard let newValue else {
                remove(key)
                return
            }
            if let place = place(of: key) {
                members[place].value = newValue
            } else {
                append(Member(key: key, value: newValue))
            }
        }
    }

    /// Removes the member of that name, if there is one.
    public mutating func remove(_ key: String) {
        guard let place = place(of: key) else { return }
        members.remove(at: place)
        guard places != nil else { return }
        places = nil
        if members.count > Self.searchedMax { index() }
    }

    /// Applies a change of metadata as Supabase Auth does: keys are overwritten whole, a null removes its key.
    ///
    /// Shallow on purpose: a nested object replaces the one that stood there. Source: FR-06.
    public mutating func merge(_ patch: JSONObject) {
        var removed: Set<ExactKey> = []
        for member in patch.members {
            if case .null = member.value {
                removed.insert(ExactKey(text: member.key))
            } else {
                self[member.key] = member.value
            }
        }
        guard !removed.isEmpty else { return }
        members.removeAll { removed.contains(ExactKey(text: $0.key)) }
        places = nil
        if members.count > Self.searchedMax { index() }
    }

    /// This object with the change applied; see ``merge(_:)``.
    public func merging(_ patch: JSONObject) -> JSONObject {
        var result = self
        result.merge(patch)
        return result
    }

    private mutating func append(_ member: Member) {
        members.append(member)
        if places != nil {
            places?[ExactKey(text: member.key)] = members.count - 1
        } else if members.count > Self.searchedMax {
            index()
        }
    }

    private mutating func index() {
        var result: [ExactKey: Int] = [:]
        result.reserveCapacity(members.count * 2)
        for (place, member) in members.enumerated() { result[ExactKey(text: member.key)] = place }
        places = result
    }

    private func place(of key: String) -> Int? {
        if let places { return places[ExactKey(text: key)] }
        return members.firstIndex { ExactKey.isSame($0.key, key) }
    }

    /// A key that equals another only byte for byte: Swift's strings also equal their Unicode equivalents.
    private struct ExactKey: Hashable {
        let text: String

        static func == (left: ExactKey, right: ExactKey) -> Bool { isSame(left.text, right.text) }

        func hash(into hasher: inout Hasher) { hasher.combine(text) }

        @inline(__always)
        static func isSame(_ left: String, _ right: String) -> Bool {
            // Equal bytes are always equal strings, so the exact comparison is only needed where that holds.
            left.utf8.count == right.utf8.count && left == right && left.utf8.elementsEqual(right.utf8)
        }
    }
}

extension JSONObject: Hashable {
    /// Equal if they have the same members in the same order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members == right.members
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(members)
    }
}
