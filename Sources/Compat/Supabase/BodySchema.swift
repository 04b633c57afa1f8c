internal import JSON

/// The members that a body may have, by the name of the reference's own type, which its error texts show.
struct BodySchema: Sendable {
    /// What a member must be. `null` is always allowed and counts as absent.
    enum Kind: Sendable {
        case text, flag, object
        /// A text, or a whole number (of nanoseconds).
        case textOrNumber

        /// As Go's decoder names it.
        var goName: String {
            switch self {
            case .text, .textOrNumber: "string"
            case .flag: "bool"
            case .object: "map[string]interface {}"
            }
        }
    }

    struct Field: Sendable {
        let name: String
        let kind: Kind
    }

    let goType: String
    let fields: [Field]

    init(_ goType: String, texts: [String], flags: [String] = [], objects: [String] = []) {
        self.goType = goType
        fields =
            texts.map { Field(name: $0, kind: .text) } + flags.map { Field(name: $0, kind: .flag) }
            + objects.map { Field(name: $0, kind: .object) }
    }

    private init(_ goType: String, fields: [Field]) {
        self.goType = goType
        self.fields = fields
    }

    /// The same members, one of which may be a number too.
    func allowingNumber(_ name: String) -> BodySchema {
        BodySchema(goType, fields: fields.map { $0.name == name ? Field(name: name, kind: .textOrNumber) : $0 })
    }

    /// The place of a member: its exact name, else its name in any letter case; nil for one that is not known.
    func place(of key: String) -> Int? {
        if let exact = fields.firstIndex(where: { $0.name == key }) { return exact }
        return fields.firstIndex { field in
            field.name.utf8.count == key.utf8.count && zip(field.name.utf8, key.utf8).allSatisfy { Self.isSame($0, $1) }
        }
    }

    private static func isSame(_ left: UInt8, _ right: UInt8) -> Bool {
        left == right || ((0x61...0x7A).contains(left | 0x20) && left | 0x20 == right | 0x20)
    }
}

/// The members of a body that were there and not null, each of the kind that the schema says.
struct BodyFields: Sendable {
    /// Few, though the schema may know many.
    private var members: [(name: String, value: JSONValue)] = []

    /// - Parameter name: the schema's own.
    mutating func set(_ name: String, _ value: JSONValue) {
        if let place = members.firstIndex(where: { $0.name == name }) {
            members[place].value = value
        } else {
            members.append((name, value))
        }
    }

    /// A text as sent; a number of a member that allows one, as text.
    func text(_ name: String) -> String? {
        let value = value(name)
        return value?.string ?? value?.number?.literal
    }

    /// A text that is not empty.
    func filled(_ name: String) -> String? {
        guard let text = text(name), !text.isEmpty else { return nil }
        return text
    }

    func flag(_ name: String) -> Bool { value(name)?.bool ?? false }

    /// A flag under either of two names, nil when it is under none.
    /// - Throws: 400 when both are there and differ (sovaria.md D4).
    func flag(_ name: String, alias: String) throws(ErrorAnswer) -> Bool? {
        guard let main = value(name)?.bool else { return value(alias)?.bool }
        guard let other = value(alias)?.bool, other != main else { return main }
        throw .validation("\(name) and \(alias) differ")
    }

    func object(_ name: String) -> JSONObject? { value(name)?.object }

    /// A text under either of two names.
    /// - Throws: 400 when both are there and differ (sovaria.md D4).
    func text(_ name: String, alias: String) throws(ErrorAnswer) -> String? {
        guard let main = text(name) else { return text(alias) }
        guard let other = text(alias), other != main else { return main }
        throw .validation("\(name) and \(alias) differ")
    }

    private func value(_ name: String) -> JSONValue? {
        members.first { $0.name == name }?.value
    }
}
