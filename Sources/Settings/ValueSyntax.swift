import Backend
import Bytes
import JSON

/// How values are written. Source: supabase-config.md 1.
enum ValueSyntax {
    static func flag(_ text: String) -> Bool? {
        switch text {
        case "1", "t", "T", "TRUE", "true", "True": true
        case "0", "f", "F", "FALSE", "false", "False": false
        default: nil
        }
    }

    /// Go's base-0 integers: `10`, `0x10`, `0o17`, `017`, `0b1`, `1_000`.
    static func whole(_ text: String) -> Int64? {
        var digits = Substring(text)
        var sign = ""
        if let first = digits.first, first == "-" || first == "+" {
            sign = first == "-" ? "-" : ""
            digits = digits.dropFirst()
        }
        var radix = 10
        if digits.hasPrefix("0"), digits.count > 1 {
            let mark = digits.dropFirst().prefix(1).lowercased()
            radix = mark == "x" ? 16 : mark == "b" ? 2 : 8
            digits = digits.dropFirst(mark == "x" || mark == "b" || mark == "o" ? 2 : 1)
            if digits.hasPrefix("_") { digits = digits.dropFirst() }
        }
        guard let first = digits.first, first != "_", first != "+", first != "-" else { return nil }
        guard digits.last != "_", !digits.contains(text: "__") else { return nil }
        return Int64(sign + digits.filter { $0 != "_" }, radix: radix)
    }

    static func decimal(_ text: String) -> Double? {
        guard let number = Double(text), number.isFinite, number >= 0, number <= 1e15 else { return nil }
        return number
    }

    /// Items without blanks around them; a blank value is an empty list.
    static func list(_ text: String) -> [String] {
        guard !trimmed(text).isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) }.filter { !$0.isEmpty }
    }

    static func map(_ text: String) -> [SettingValue.Pair]? {
        var pairs: [SettingValue.Pair] = []
        for item in list(text) {
            let parts = item.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            pairs.append(.init(key: trimmed(parts[0]), value: trimmed(parts[1])))
        }
        return pairs
    }

    /// `N` in fixed windows of an hour, or a bucket of N that gains one a duration. Source: supabase-admin.md 16.
    static func rate(_ text: String) -> SendLimit? {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 1 { return decimal(text).flatMap { Int(exactly: $0.rounded(.down)) }.map { .perHour($0) } }
        guard let count = Int(parts[0]), (0...1_000_000_000).contains(count),
            let duration = GoDuration.parse(String(parts[1])), duration > .zero
        else { return nil }
        return .bucket(count, gainsOneEvery: duration)
    }

    /// `512`, `16KiB`, `1MiB`, `1GiB`; also `KB`, `MB` in thousands.
    static func size(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), !digits.isEmpty else { return nil }
        let factor: Int
        switch text.dropFirst(digits.count).lowercased() {
        case "", "b": factor = 1
        case "kib", "k": factor = 1 << 10
        case "mib", "m": factor = 1 << 20
        case "gib", "g": factor = 1 << 30
        case "kb": factor = 1000
        case "mb": factor = 1_000_000
        default: return nil
        }
        let (product, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    static func isJSON(_ text: String, _ shape: SettingKind.JSONShape) -> Bool {
        guard let value = try? JSONValue.parse(text) else { return false }
        switch (value, shape) {
        case (.array, .array), (.object, .object): return true
        default: return false
        }
    }

    /// The path or host of a URL without scheme: nil when it is no absolute http or https URL.
    static func isWebURL(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else { return false }
        return webHost(text) != nil
    }

    /// The host of an absolute http or https URL, with the port taken away.
    static func webHost(_ text: String) -> String? {
        let lowered = text.lowercased()
        let rest: Substring
        if lowered.hasPrefix("http://") {
            rest = lowered.dropFirst(7)
        } else if lowered.hasPrefix("https://") {
            rest = lowered.dropFirst(8)
        } else {
            return nil
        }
        var authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let tail = authority[authority.index(after: end)...]
            guard tail.isEmpty || isPort(tail) else { return nil }
            return String(authority[authority.index(after: authority.startIndex)..<end])
        }
        let host = authority.prefix { $0 != ":" }
        guard !host.isEmpty, host.count == authority.count || isPort(authority.dropFirst(host.count)) else {
            return nil
        }
        return String(host)
    }

    /// `:PORT`.
    private static func isPort(_ text: Substring) -> Bool {
        guard text.hasPrefix(":"), let port = UInt16(text.dropFirst()) else { return false }
        return port > 0
    }

    /// A name (also one with other than ASCII letters) or an address; one of IPv6 may stand in brackets.
    static func isHost(_ text: String) -> Bool {
        var bare = Substring(text)
        if bare.hasPrefix("["), bare.hasSuffix("]") { bare = bare.dropFirst().dropLast() }
        let colons = bare.utf8.count { $0 == UInt8(ascii: ":") }
        guard colons != 1, bare.utf8.count == text.utf8.count || colons > 1 else { return false }
        return (1...253).contains(bare.utf8.count)
            && bare.utf8.allSatisfy { byte in
                byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || ".-_:%".utf8.contains(byte)
            }
    }

    static func isHeaderName(_ text: String) -> Bool {
        let signs = Set("!#$%&'*+-.^_`|~".utf8)
        return !text.isEmpty && text.utf8.count <= 128
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || signs.contains(byte)
            }
    }

    static func isCallingCode(_ text: String) -> Bool {
        let digits = text.hasPrefix("+") ? text.dropFirst() : Substring(text)
        return (1...7).contains(digits.utf8.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && !digits.hasPrefix("0")
    }

    /// Source: supabase-config.md 2, start-up validation of hooks.
    static func isHookURI(_ text: String) -> Bool {
        let lowered = text.lowercased()
        if lowered.hasPrefix("pg-functions://") {
            let parts = text.dropFirst(15).split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == 3 && isSQLName(parts[1]) && isSQLName(parts[2])
        }
        guard isWebURL(text), let host = webHost(text) else { return false }
        if lowered.hasPrefix("https://") { return true }
        return ["localhost", "127.0.0.1", "::1", "host.docker.internal"].contains(host)
    }

    private static func isSQLName(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        func isLetter(_ byte: UInt8) -> Bool {
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
        }
        guard let first = bytes.first, isLetter(first), bytes.count <= 63 else { return false }
        return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
    }

    /// Without blanks, tabs and line ends around it.
    static func trimmed(_ text: some StringProtocol) -> String {
        var rest = Substring(text)
        while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
        while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
        return String(rest)
    }
}
