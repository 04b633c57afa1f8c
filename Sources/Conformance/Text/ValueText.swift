import JSON

/// JSON values as texts, in the spellings that the case format rests on.
enum ValueText {
    /// How deep a value may be nested before it is written as `…`.
    private static let depthMax = 256

    /// The value inside a longer text: a string as it is, `True`, `None`, and objects as `{'a': 1}`.
    ///
    /// The patterns of `match` are written against this spelling. Source: conformance-format.md, `match`.
    static func plain(_ value: JSONValue) -> String {
        value.string ?? shown(value, 0)
    }

    private static func shown(_ value: JSONValue, _ depth: Int) -> String {
        guard depth < depthMax else { return "…" }
        switch value {
        case .null: return "None"
        case .bool(let isTrue): return isTrue ? "True" : "False"
        case .number(let number): return number.literal
        case .string(let text): return quoted(text)
        case .array(let items): return "[" + items.map { shown($0, depth + 1) }.joined(separator: ", ") + "]"
        case .object(let object):
            let members = object.members.map { quoted($0.key) + ": " + shown($0.value, depth + 1) }
            return "{" + members.joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let mark: Unicode.Scalar = scalars.contains("'") && !scalars.contains("\"") ? "\"" : "'"
        var out = String.UnicodeScalarView()
        out.append(mark)
        for scalar in scalars {
            switch scalar {
            case "\\": out.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": out.append(contentsOf: "\\n".unicodeScalars)
            case "\r": out.append(contentsOf: "\\r".unicodeScalars)
            case "\t": out.append(contentsOf: "\\t".unicodeScalars)
            case mark: out.append(contentsOf: ["\\", scalar])
            default: out.append(scalar)
            }
        }
        out.append(mark)
        return String(out)
    }

    /// JSON with a blank after `,` and `:` and everything beyond ASCII escaped: what the cases' bodies are sent as.
    static func spacedJSON(_ value: JSONValue, sortedKeys: Bool = false) -> String {
        var out: [UInt8] = []
        write(value, sortedKeys, 0, &out)
        return String(decoding: out, as: UTF8.self)
    }

    private static func write(_ value: JSONValue, _ isSorted: Bool, _ depth: Int, _ out: inout [UInt8]) {
        guard depth < JSONLimits.depthMax else {
            out += "null".utf8
            return
        }
        switch value {
        case .null: out += "null".utf8
        case .bool(let isTrue): out += (isTrue ? "true" : "false").utf8
        case .number(let number): out += number.literal.utf8
        case .string(let text): writeString(text, &out)
        case .array(let items):
            out += "[".utf8
            for (index, item) in items.enumerated() {
                if index > 0 { out += ", ".utf8 }
                write(item, isSorted, depth + 1, &out)
            }
            out += "]".utf8
        case .object(let object):
            out += "{".utf8
            let members =
                isSorted ? object.members.sorted { ExactText.precedes($0.key, $1.key) } : object.members
            for (index, member) in members.enumerated() {
                if index > 0 { out += ", ".utf8 }
                writeString(member.key, &out)
                out += ": ".utf8
                write(member.value, isSorted, depth + 1, &out)
            }
            out += "}".utf8
        }
    }

    private static func writeString(_ text: String, _ out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: out += "\\\"".utf8
            case 0x5C: out += "\\\\".utf8
            case 0x0A: out += "\\n".utf8
            case 0x0D: out += "\\r".utf8
            case 0x09: out += "\\t".utf8
            case 0x08: out += "\\b".utf8
            case 0x0C: out += "\\f".utf8
            case 0x20...0x7F: out.append(UInt8(scalar.value))
            default:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    out += ("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8
                }
            }
        }
        out.append(UInt8(ascii: "\""))
    }
}
