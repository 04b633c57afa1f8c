internal import Bytes

/// A redirect's target with what is to be told added to its query and put into its fragment.
///
/// The target's own text is kept as it was given (bare custom schemes, its query and the order in it); only bytes that
/// may not stand in a URL are escaped, so that nothing of it can end the header. Values are escaped once, and a
/// fragment replaces the target's. Source: supabase-core.md 10.7, deviations.md ("Friendlier").
struct RedirectLocation {
    private let base: String
    private var pieces: [Substring]
    private var fragment: String?

    init(_ target: String) {
        let hash = target.firstIndex(of: "#")
        let front = target[..<(hash ?? target.endIndex)]
        fragment = hash.map { String(target[target.index(after: $0)...]) }
        let mark = front.firstIndex(of: "?")
        base = String(front[..<(mark ?? front.endIndex)])
        pieces = mark.map { front[front.index(after: $0)...].split(separator: "&") } ?? []
    }

    /// Adds to the query; a parameter of the same name goes.
    mutating func setQuery(_ fields: FormFields) {
        let names = Set(fields.fields.map(\.name))
        pieces.removeAll { piece in
            guard let name = FormFields(parsing: String(piece))?.fields.first?.name else { return false }
            return names.contains(name)
        }
        pieces.append(contentsOf: fields.encoded.split(separator: "&"))
    }

    mutating func setFragment(_ fields: FormFields) { fragment = fields.encoded }

    var text: String {
        var text = base
        if !pieces.isEmpty { text += "?" + pieces.joined(separator: "&") }
        if let fragment { text += "#" + fragment }
        return Self.escaped(text)
    }

    /// Bytes that may stand in a URL are kept, a percent sign among them; all others are escaped.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { !mayStand($0) }) else { return text }
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if mayStand(byte) {
                out.append(byte)
            } else {
                out.append(UInt8(ascii: "%"))
                out.append(digit(byte >> 4))
                out.append(digit(byte & 0xF))
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func mayStand(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...0xFF, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
            UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: true
        }
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") - 10 + nibble
    }
}
