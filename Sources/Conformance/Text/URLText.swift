import Bytes

/// A URL taken apart into five parts, tolerantly: what a server puts into `location` may be anything.
struct URLText {
    var scheme = ""
    var authority = ""
    var path = ""
    var query = ""
    var fragment = ""

    /// Schemes that are written with `//` even where no host follows.
    private static let hierarchical: Set<String> = [
        "ftp", "http", "https", "ws", "wss", "file", "sftp", "nfs", "git", "git+ssh", "svn", "svn+ssh", "rsync", "rtsp",
        "rtspu", "gopher", "nntp", "telnet", "imap", "wais", "mms", "shttp", "snews", "prospero",
    ]

    init(_ text: String) {
        var bytes = Array(text.utf8.drop { $0 <= 0x20 }.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D })
        if let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, Self.isScheme(bytes[..<colon]) {
            scheme = ExactText.lowercased(String(decoding: bytes[..<colon], as: UTF8.self))
            bytes.removeFirst(colon + 1)
        }
        if bytes.starts(with: "//".utf8) {
            let marks: Set<UInt8> = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
            let rest = bytes.dropFirst(2)
            let end = rest.firstIndex(where: marks.contains) ?? rest.endIndex
            authority = String(decoding: rest[..<end], as: UTF8.self)
            bytes = Array(rest[end...])
        }
        if let mark = bytes.firstIndex(of: UInt8(ascii: "#")) {
            fragment = String(decoding: bytes[(mark + 1)...], as: UTF8.self)
            bytes = Array(bytes[..<mark])
        }
        if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) {
            query = String(decoding: bytes[(mark + 1)...], as: UTF8.self)
            bytes = Array(bytes[..<mark])
        }
        path = String(decoding: bytes, as: UTF8.self)
    }

    /// The URL without query and fragment.
    var withoutQuery: String {
        var out = path
        if !authority.isEmpty || (Self.hierarchical.contains(scheme) && !ExactText.hasPrefix(path, "//")) {
            if !out.isEmpty, !ExactText.hasPrefix(out, "/") { out = "/" + out }
            out = "//" + authority + out
        }
        return scheme.isEmpty ? out : scheme + ":" + out
    }

    /// Host and port of the authority, user information left out; nil without a host or with a port that is none.
    var hostAndPort: (host: String, port: Int?)? {
        var text = ExactText.split(authority, at: "@").last ?? ""
        var port: Int?
        if text.utf8.first == UInt8(ascii: "["), let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) {
            let rest = String(text[text.index(after: end)...])
            text = String(text[text.index(after: text.startIndex)..<end])
            if ExactText.hasPrefix(rest, ":") {
                guard let number = Int(rest.dropFirst()), (1...65_535).contains(number) else { return nil }
                port = number
            }
        } else if let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) {
            let digits = text[text.index(after: colon)...]
            if !digits.isEmpty {
                guard let number = Int(digits), (1...65_535).contains(number) else { return nil }
                port = number
            }
            text = String(text[..<colon])
        }
        return text.isEmpty ? nil : (ExactText.lowercased(text), port)
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0) }
    }

    // MARK: Queries

    /// The fields of a query or form in order, whatever they look like: broken escapes stand for themselves.
    static func fields(_ query: String) -> [(name: String, value: String)] {
        ExactText.split(query, at: "&").compactMap { piece in
            guard !piece.isEmpty else { return nil }
            let halves = ExactText.split(piece, at: "=", cutsMax: 1)
            return (decoded(halves[0]), halves.count > 1 ? decoded(halves[1]) : "")
        }
    }

    /// The last value of a name in a query.
    static func field(_ name: String, in query: String) -> String? {
        fields(query).last { ExactText.isEqual($0.name, name) }?.value
    }

    /// A name or value as it stands in a query.
    static func quoted(_ text: String) -> String {
        var out: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "~"):
                out.append(byte)
            case 0x20: out.append(UInt8(ascii: "+"))
            default: out += "%".utf8 + [upperDigit(byte >> 4), upperDigit(byte & 15)]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func upperDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

    private static func decoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = Hex.value(of: bytes[index + 1]),
                let low = Hex.value(of: bytes[index + 2])
            {
                out.append(high << 4 | low)
                index += 3
            } else {
                out.append(bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
