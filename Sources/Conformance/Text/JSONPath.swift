import JSON

/// A path into a JSON value: `user.id`, `identities[0].identity_id`, `identities[provider=phone].identity_id`.
struct JSONPath {
    let keys: [String]

    init(_ text: String) {
        let marks: Set<UInt8> = [UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]")]
        keys = text.utf8.split(whereSeparator: marks.contains).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What stands there; nil if nothing does.
    func find(in value: JSONValue) -> JSONValue? {
        var value = value
        for key in keys {
            switch value {
            case .object(let object):
                guard let member = object[key] else { return nil }
                value = member
            case .array(let items):
                guard let index = Self.index(key, in: items) else { return nil }
                value = items[index]
            default: return nil
            }
        }
        return value
    }

    /// The value with what stands at the path changed; as it is if nothing stands there.
    func changing(_ value: JSONValue, _ change: (JSONValue) -> JSONValue) -> JSONValue {
        Self.changing(value, keys[...], change)
    }

    private static func changing(
        _ value: JSONValue, _ keys: ArraySlice<String>, _ change: (JSONValue) -> JSONValue
    ) -> JSONValue {
        guard let key = keys.first else { return change(value) }
        switch value {
        case .object(var object):
            guard let member = object[key] else { return value }
            object[key] = changing(member, keys.dropFirst(), change)
            return .object(object)
        case .array(var items):
            guard let index = index(key, in: items) else { return value }
            items[index] = changing(items[index], keys.dropFirst(), change)
            return .array(items)
        default: return value
        }
    }

    private static func index(_ key: String, in items: [JSONValue]) -> Int? {
        let halves = ExactText.split(key, at: "=", cutsMax: 1)
        if halves.count == 2 {
            return items.firstIndex { $0[halves[0]]?.string.map { ExactText.isEqual($0, halves[1]) } ?? false }
        }
        guard let number = Int(key) else { return nil }
        let index = number < 0 ? items.count + max(number, -items.count - 1) : number
        return items.indices.contains(index) ? index : nil
    }
}
