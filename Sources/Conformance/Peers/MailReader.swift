import Bytes

/// A message that the mail peer took.
struct KeptMail: Sendable {
    var recipients: [String]
    var from = ""
    var subject = ""
    var html = ""
    var text = ""
}

/// Reads a message as far as the cases look at it: sender, subject, and the texts of its parts.
///
/// Source: RFC 5322, 2045, 2047.
enum MailReader {
    static let depthMax = 16
    static let partsMax = 200

    static func mail(_ bytes: [UInt8], recipients: [String]) -> KeptMail {
        var mail = KeptMail(recipients: recipients)
        let (headers, _) = split(bytes[...])
        mail.subject = decodedWords(headers["subject"] ?? "")
        mail.from = address(headers["from"] ?? "")
        var partsLeft = partsMax
        read(bytes[...], into: &mail, depth: 0, &partsLeft)
        return mail
    }

    private static func read(_ bytes: ArraySlice<UInt8>, into mail: inout KeptMail, depth: Int, _ partsLeft: inout Int)
    {
        guard depth < depthMax, partsLeft > 0 else { return }
        partsLeft -= 1
        let (headers, body) = split(bytes)
        let type = headers["content-type"] ?? "text/plain"
        let kind = ExactText.lowercased(ExactText.trimmed(ExactText.split(type, at: ";")[0]))
        if ExactText.hasPrefix(kind, "multipart/"), let boundary = parameter("boundary", of: type), !boundary.isEmpty {
            for part in parts(body, boundary) { read(part, into: &mail, depth: depth + 1, &partsLeft) }
        } else if kind == "text/html" {
            mail.html = text(body, headers)
        } else if kind == "text/plain" {
            mail.text = text(body, headers)
        }
    }

    /// Headers (unfolded, names in lower case, the first of a name counts) and what follows them.
    private static func split(_ bytes: ArraySlice<UInt8>) -> ([String: String], ArraySlice<UInt8>) {
        var headers: [String: String] = [:]
        var name = ""
        var rest = bytes
        while let end = rest.firstIndex(of: 10) {
            var line = rest[rest.startIndex..<end]
            rest = rest[(end + 1)...]
            if line.last == 13 { line.removeLast() }
            if line.isEmpty { break }
            let text = String(decoding: line, as: UTF8.self)
            if line.first == 0x20 || line.first == 0x09 {
                headers[name]? += text
            } else {
                let halves = ExactText.split(text, at: ":", cutsMax: 1)
                name = ExactText.lowercased(halves[0])
                if halves.count == 2, headers[name] == nil { headers[name] = ExactText.trimmed(halves[1]) }
            }
        }
        return (headers, rest)
    }

    private static func parts(_ body: ArraySlice<UInt8>, _ boundary: String) -> [ArraySlice<UInt8>] {
        let mark = Array(("--" + boundary).utf8)
        var out: [ArraySlice<UInt8>] = []
        var start: Int?
        var line = body.startIndex
        while line < body.endIndex {
            let end = body[line...].firstIndex(of: 10).map { $0 + 1 } ?? body.endIndex
            if body[line..<end].starts(with: mark) {
                if let start {
                    var last = line
                    if last > start, body[last - 1] == 10 { last -= 1 }
                    if last > start, body[last - 1] == 13 { last -= 1 }
                    out.append(body[start..<last])
                }
                start = end
                if body[line..<end].dropFirst(mark.count).starts(with: "--".utf8) { return out }
            }
            line = end
        }
        return out
    }

    static func parameter(_ name: String, of header: String) -> String? {
        for piece in ExactText.split(header, at: ";").dropFirst() {
            let halves = ExactText.split(piece, at: "=", cutsMax: 1)
            if halves.count == 2, ExactText.lowercased(ExactText.trimmed(halves[0])) == name {
                return ExactText.trimmed(halves[1]).filter { $0 != "\"" }
            }
        }
        return nil
    }

    private static func text(_ body: ArraySlice<UInt8>, _ headers: [String: String]) -> String {
        let bytes: [UInt8]
        switch ExactText.lowercased(headers["content-transfer-encoding"] ?? "") {
        case "base64": bytes = Base64.decodeLenient(String(decoding: body, as: UTF8.self)) ?? []
        case "quoted-printable": bytes = quotedPrintable(body, isHeader: false)
        default: bytes = Array(body)
        }
        return decoded(bytes, parameter("charset", of: headers["content-type"] ?? "") ?? "utf-8")
    }

    private static func decoded(_ bytes: [UInt8], _ charset: String) -> String {
        if ["iso-8859-1", "latin1"].contains(ExactText.lowercased(charset)) {
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func quotedPrintable(_ bytes: ArraySlice<UInt8>, isHeader: Bool) -> [UInt8] {
        let text = Array(bytes)
        var out: [UInt8] = []
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "="), index + 2 < text.count, let high = Hex.value(of: text[index + 1]),
                let low = Hex.value(of: text[index + 2])
            {
                out.append(high << 4 | low)
                index += 3
            } else if byte == UInt8(ascii: "="), !isHeader {
                // A soft line break: the line goes on in the next one.
                index += 1
                while index < text.count, text[index] != 10 { index += 1 }
                index += 1
            } else {
                out.append(isHeader && byte == UInt8(ascii: "_") ? 0x20 : byte)
                index += 1
            }
        }
        return out
    }

    /// `=?utf-8?q?…?=` in a header; white space between two such words goes.
    static func decodedWords(_ text: String) -> String {
        var out = ""
        var rest = text
        var wasWord = false
        while true {
            let start = ExactText.split(rest, at: "=?", cutsMax: 1)
            guard start.count == 2 else { return out + rest }
            let fields = ExactText.split(start[1], at: "?", cutsMax: 2)
            let ending = fields.count == 3 ? ExactText.split(fields[2], at: "?=", cutsMax: 1) : []
            guard ending.count == 2 else { return out + rest }
            if !(wasWord && ExactText.trimmed(start[0]).isEmpty) { out += start[0] }
            let isBase64 = ExactText.lowercased(fields[1]) == "b"
            let bytes =
                isBase64
                ? Base64.decodeLenient(ending[0]) ?? [] : quotedPrintable(Array(ending[0].utf8)[...], isHeader: true)
            out += decoded(bytes, ExactText.split(fields[0], at: "*")[0])
            wasWord = true
            rest = ending[1]
        }
    }

    /// `Name <address>`, the name in quotation marks only where it needs them.
    static func address(_ header: String) -> String {
        let halves = ExactText.split(header, at: "<", cutsMax: 1)
        guard halves.count == 2 else { return ExactText.trimmed(header) }
        let address = ExactText.trimmed(ExactText.split(halves[1], at: ">", cutsMax: 1)[0])
        var name = ExactText.trimmed(decodedWords(ExactText.trimmed(halves[0])))
        if name.count > 1, name.hasPrefix("\""), name.hasSuffix("\"") {
            name = String(name.dropFirst().dropLast())
            name = ExactText.split(name, at: "\\\"").joined(separator: "\"")
        }
        if name.isEmpty { return address }
        if name.contains(where: { #"()<>@,:;.\"[]"#.contains($0) }) {
            name = "\"" + ExactText.split(name, at: "\"").joined(separator: "\\\"") + "\""
        }
        return "\(name) <\(address)>"
    }
}
