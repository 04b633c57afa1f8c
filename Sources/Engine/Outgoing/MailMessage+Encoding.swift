internal import Bytes

extension MailMessage {
    /// The message as it goes over the wire, without dot-stuffing: headers (RFC 5322, RFC 2047), a blank line, and one
    /// HTML part or a `multipart/alternative` of text and HTML, quoted-printable (RFC 2045, 6.7).
    ///
    /// - Throws: `.invalid` where a header would hold a line break, or an extra header is one of `fixedHeaders`.
    public func encoded() throws(OutgoingError) -> [UInt8] {
        guard isHeaderText(subject) else { throw OutgoingError(.invalid, "the subject holds a control character") }
        guard !messageID.isEmpty, messageID.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3C && $0 != 0x3E })
        else { throw OutgoingError(.invalid, "the message id is malformed") }
        var extraNames = Set<String>()
        for header in extraHeaders {
            let name = header.name.lowercased()
            guard isFieldName(header.name), isHeaderText(header.value), !Self.fixedHeaders.contains(name) else {
                throw OutgoingError(.invalid, "an extra mail header is malformed or not allowed")
            }
            extraNames.insert(name)
        }
        var out = [UInt8]()
        out.reserveCapacity(1024 + html.utf8.count + (text?.utf8.count ?? 0))
        func line(_ name: String, _ value: String) {
            guard !extraNames.contains(name.lowercased()) else { return }
            out += "\(name): \(value)\r\n".utf8
        }
        line("From", headerForm(of: from))
        line("To", headerForm(of: to))
        line("Subject", encodedWords(subject, afterColumns: 9))
        line("Date", mailDate(unixSeconds: dateUnixSeconds))
        line("Message-ID", "<\(messageID)>")
        for header in extraHeaders {
            out += "\(header.name): \(encodedWords(header.value, afterColumns: header.name.utf8.count + 2))\r\n".utf8
        }
        line("MIME-Version", "1.0")
        appendBodies(to: &out)
        return out
    }

    private func appendBodies(to out: inout [UInt8]) {
        guard let text else {
            return appendPart("text/html", html, to: &out)
        }
        // "=_" cannot occur in quoted-printable text, so the boundary cannot either.
        let boundary = "=_drawbridge_alternative"
        out += "Content-Type: multipart/alternative; boundary=\"\(boundary)\"\r\n\r\n".utf8
        for (type, body) in [("text/plain", text), ("text/html", html)] {
            out += "--\(boundary)\r\n".utf8
            appendPart(type, body, to: &out)
        }
        out += "--\(boundary)--\r\n".utf8
    }

    private func appendPart(_ type: String, _ body: String, to out: inout [UInt8]) {
        out += "Content-Type: \(type); charset=UTF-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n".utf8
        appendQuotedPrintable(body, to: &out)
        out += "\r\n".utf8
    }
}

/// A header field's name (RFC 5322, 3.6.8), as strict as HTTP's.
private func isFieldName(_ name: String) -> Bool { isToken(name) && name.utf8.count <= 70 }

private func headerForm(of mailbox: MailAddress) -> String {
    guard !mailbox.name.isEmpty else { return "<\(mailbox.address)>" }
    let isPlain = mailbox.name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && mailbox.name.utf8.count <= 60
    guard isPlain, !mailbox.name.contains(text: "=?") else {
        return "\(encodedWords(mailbox.name, afterColumns: 6, always: true))\r\n <\(mailbox.address)>"
    }
    var quoted = ""
    for character in mailbox.name {
        if character == "\"" || character == "\\" { quoted.append("\\") }
        quoted.append(character)
    }
    return "\"\(quoted)\" <\(mailbox.address)>"
}

/// The text as it stands if it is short and ASCII, else as encoded words of at most 75 characters (RFC 2047, 2).
func encodedWords(_ text: String, afterColumns: Int, always: Bool = false) -> String {
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && !text.contains(text: "=?")
    if !always && isPlain && afterColumns + text.utf8.count <= 200 { return text }
    let start = "=?UTF-8?Q?"
    var out = start
    var columns = afterColumns + start.utf8.count
    for scalar in text.unicodeScalars {
        var piece = ""
        for byte in String(scalar).utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "!"):
                piece.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20: piece += "_"
            default: piece += "=" + hexPair(byte)
            }
        }
        if columns + piece.utf8.count + 2 > 74 {
            out += "?=\r\n " + start
            columns = 1 + start.utf8.count
        }
        out += piece
        columns += piece.utf8.count
    }
    return out + "?="
}

/// Appends the text in quoted-printable: every line break becomes CRLF, no line is longer than 76 characters, and no
/// line begins with a dot, so that no server can take one for the end of the mail.
func appendQuotedPrintable(_ text: String, to out: inout [UInt8]) {
    let lineMax = 75
    var columns = 0
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
        let byte = bytes[index]
        index += 1
        if byte == 0x0D || byte == 0x0A {
            if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
            out += [0x0D, 0x0A]
            columns = 0
            continue
        }
        let next = index < bytes.count ? bytes[index] : 0x0A
        let isBlankAtEnd = (byte == 0x20 || byte == 0x09) && (next == 0x0D || next == 0x0A)
        let isPlain =
            (byte >= 0x21 && byte <= 0x7E && byte != UInt8(ascii: "=") || byte == 0x20 || byte == 0x09)
            && !isBlankAtEnd && !(columns == 0 && byte == UInt8(ascii: "."))
        let width = isPlain ? 1 : 3
        if columns + width > lineMax {
            out += [UInt8(ascii: "="), 0x0D, 0x0A]
            columns = 0
            index -= 1
            continue
        }
        if isPlain { out.append(byte) } else { out += "=\(hexPair(byte))".utf8 }
        columns += width
    }
}

private func hexPair(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return byte < 16 ? "0" + digits : digits
}

/// The date in the form of RFC 5322, 3.3, in UTC: `Mon, 01 Jan 2024 00:00:00 +0000`.
func mailDate(unixSeconds: Int64) -> String {
    let seconds = min(max(unixSeconds, 0), 253_402_300_799)
    let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // Days to a civil date, with years that begin in March so that the leap day comes last.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let time = "\(two(rest / 3600)):\(two(rest % 3600 / 60)):\(two(rest % 60))"
    return "\(weekdays[Int(days % 7)]), \(two(day)) \(months[Int(month - 1)]) \(year) \(time) +0000"
}
