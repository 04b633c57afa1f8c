import Bytes

/// Follows HTML text as a browser would read it and escapes values for the place where they go, as Go's
/// `html/template` does: text, attribute, URL, style; in scripts and comments values are left out.
struct HTMLContext {
    private enum Kind { case plain, url, style, script }
    private enum Quote { case none, single, double }
    private enum State {
        case text
        /// Between `<` and the end of the tag's name.
        case tagName
        /// Between attributes.
        case tag
        case attributeName
        /// Behind `=`, before the value.
        case beforeValue
        case value(Quote, Kind)
        case comment
        /// Inside `<script>`, `<style>`, `<title>`, `<textarea>`, until the closing tag.
        case raw(element: String)
    }

    private var state = State.text
    private var name: [UInt8] = []
    private var tag = ""
    /// The last bytes seen in a comment or raw element, to find its end.
    private var tail: [UInt8] = []
    /// What stands in the URL attribute so far.
    private var urlIsBegun = false
    private var urlIsInQuery = false

    /// Reads text of the template itself.
    mutating func advance(_ text: String.UTF8View) {
        for byte in text { advance(byte) }
    }

    /// The value as it has to be written here.
    mutating func escaped(_ value: String) -> String {
        switch state {
        case .text: return Self.escapedText(value)
        case .raw(let element):
            if element == "title" || element == "textarea" { return Self.escapedText(value) }
            return element == "style" ? Self.styleValue(value) : ""
        case .tagName where name.isEmpty:
            state = .text
            return Self.escapedText(value)
        case .comment, .tagName: return ""
        case .tag, .attributeName: return Self.isAttributeName(value) ? value : "ZgotmplZ"
        case .beforeValue:
            state = .value(.none, kind())
            return escapedAttribute(value, .none, kind())
        case .value(let quote, let kind): return escapedAttribute(value, quote, kind)
        }
    }

    private mutating func advance(_ byte: UInt8) {
        switch state {
        case .text:
            if byte == UInt8(ascii: "<") {
                state = .tagName
                name = []
            }
        case .tagName: readTagName(byte)
        case .tag: readTag(byte)
        case .attributeName: readAttributeName(byte)
        case .beforeValue: readBeforeValue(byte)
        case .value(let quote, let kind): readValue(byte, quote, kind)
        case .comment:
            keep(byte)
            if tail.suffix(3) == Array("-->".utf8)[...] { state = .text }
        case .raw(let element):
            keep(byte | (0x41...0x5A ~= byte ? 0x20 : 0))
            if tail.suffix(element.utf8.count + 2) == Array("</\(element)".utf8)[...] {
                tag = ""
                state = .tag
            }
        }
    }

    private mutating func keep(_ byte: UInt8) {
        tail.append(byte)
        if tail.count > 16 { tail.removeFirst() }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private mutating func readTagName(_ byte: UInt8) {
        if name.isEmpty, !Self.startsTag(byte) {
            state = .text
        } else if byte == UInt8(ascii: ">") || Self.isBlank(byte) {
            tag = String(decoding: name, as: UTF8.self).lowercased()
            state = .tag
            name = []
            if byte == UInt8(ascii: ">") { endTag() }
        } else {
            if name.count < 64 { name.append(byte) }
            if name == Array("!--".utf8) {
                state = .comment
                tail = []
            }
        }
    }

    private static func startsTag(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || "/!?".utf8.contains(byte)
    }

    private mutating func endTag() {
        switch tag {
        case "script", "style", "title", "textarea":
            state = .raw(element: tag)
            tail = []
        default: state = .text
        }
    }

    private mutating func readTag(_ byte: UInt8) {
        if byte == UInt8(ascii: ">") {
            endTag()
        } else if !Self.isBlank(byte), byte != UInt8(ascii: "/") {
            name = [byte]
            state = .attributeName
        }
    }

    private mutating func readAttributeName(_ byte: UInt8) {
        if byte == UInt8(ascii: ">") {
            endTag()
        } else if byte == UInt8(ascii: "=") {
            state = .beforeValue
            urlIsBegun = false
            urlIsInQuery = false
        } else if Self.isBlank(byte) {
            state = .tag
        } else if name.count < 64 {
            name.append(byte)
        }
    }

    private mutating func readBeforeValue(_ byte: UInt8) {
        if Self.isBlank(byte) { return }
        switch byte {
        case UInt8(ascii: "\""): state = .value(.double, kind())
        case UInt8(ascii: "'"): state = .value(.single, kind())
        case UInt8(ascii: ">"): endTag()
        default:
            state = .value(.none, kind())
            noteURL(byte)
        }
    }

    private mutating func readValue(_ byte: UInt8, _ quote: Quote, _ kind: Kind) {
        switch quote {
        case .double where byte == UInt8(ascii: "\""), .single where byte == UInt8(ascii: "'"): state = .tag
        case .none where byte == UInt8(ascii: ">"): endTag()
        case .none where Self.isBlank(byte): state = .tag
        case .none, .single, .double: noteURL(byte)
        }
    }

    private mutating func noteURL(_ byte: UInt8) {
        urlIsBegun = true
        if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { urlIsInQuery = true }
    }

    private func kind() -> Kind {
        let name = String(decoding: self.name, as: UTF8.self).lowercased()
        switch name {
        case "href", "src", "action", "formaction", "cite", "poster", "background", "longdesc", "data", "manifest",
            "icon", "profile", "usemap", "codebase", "classid", "archive", "srcset", "xmlns", "ping":
            return .url
        case "style": return .style
        default:
            if name.hasPrefix("on") { return .script }
            return ["src", "uri", "url"].contains { name.contains(text: $0) } ? .url : .plain
        }
    }

    private mutating func escapedAttribute(_ value: String, _ quote: Quote, _ kind: Kind) -> String {
        switch kind {
        case .plain: return quote == .none ? Self.escapedUnquoted(value) : Self.escapedText(value)
        case .script: return ""
        case .style: return Self.escapedText(Self.styleValue(value))
        case .url:
            let url = escapedURL(value)
            return quote == .none ? Self.escapedUnquoted(url) : Self.escapedText(url)
        }
    }

    private mutating func escapedURL(_ value: String) -> String {
        if urlIsInQuery { return Self.percentEncoded(value, keepsReserved: false) }
        if !urlIsBegun, !Self.hasSafeScheme(value) {
            urlIsBegun = true
            urlIsInQuery = true
            return "#ZgotmplZ"
        }
        for byte in value.utf8 { noteURL(byte) }
        return Self.percentEncoded(value, keepsReserved: true)
    }

    private static func hasSafeScheme(_ value: String) -> Bool {
        guard let colon = value.utf8.firstIndex(of: UInt8(ascii: ":")),
            !value.utf8[..<colon].contains(where: { "/?#".utf8.contains($0) })
        else { return true }
        return ["http", "https", "mailto"].contains(value[..<colon].lowercased())
    }

    private static func percentEncoded(_ value: String, keepsReserved: Bool) -> String {
        let bytes = Array(value.utf8)
        var out: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isAlphanumeric =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            var isKept = isAlphanumeric || "-._~".utf8.contains(byte)
            if keepsReserved {
                isKept = isKept || "!#$&*+,/:;=?@[]".utf8.contains(byte)
                if byte == UInt8(ascii: "%"), index + 2 < bytes.count {
                    isKept = RedirectURL.isHexDigit(bytes[index + 1]) && RedirectURL.isHexDigit(bytes[index + 2])
                }
            }
            if isKept { out.append(byte) } else { out += "%\(Hex.encode([byte]))".utf8 }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func styleValue(_ value: String) -> String {
        let isSafe = value.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || " #.,%_+-".utf8.contains(byte) || byte >= 0x80
        }
        return isSafe && !value.lowercased().contains(text: "expression") ? value : "ZgotmplZ"
    }

    private static func isAttributeName(_ value: String) -> Bool {
        let isName =
            !value.isEmpty
            && value.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
            }
        let lower = value.lowercased()
        return isName && !lower.hasPrefix("on") && !["style", "src", "href", "action", "srcdoc"].contains(lower)
    }

    /// For element content and quoted attributes, with the entities that Go writes.
    static func escapedText(_ value: String) -> String {
        var out: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case 0: out += "\u{FFFD}".utf8
            case UInt8(ascii: "\""): out += "&#34;".utf8
            case UInt8(ascii: "&"): out += "&amp;".utf8
            case UInt8(ascii: "'"): out += "&#39;".utf8
            case UInt8(ascii: "+"): out += "&#43;".utf8
            case UInt8(ascii: "<"): out += "&lt;".utf8
            case UInt8(ascii: ">"): out += "&gt;".utf8
            default: out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func escapedUnquoted(_ value: String) -> String {
        var out: [UInt8] = []
        for byte in escapedText(value).utf8 {
            switch byte {
            case UInt8(ascii: "="): out += "&#61;".utf8
            case UInt8(ascii: "`"): out += "&#96;".utf8
            case 0x20: out += "&#32;".utf8
            case 0x09...0x0D: out += "&#\(byte);".utf8
            default: out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
