import Bytes

/// The parts of a URL that decide whether a browser may be sent there.
///
/// Reads as strictly as the reference's URL parser: control bytes, broken escapes in the path, odd bytes in the
/// authority and ports that are no numbers make it no URL at all. Source: supabase-core.md 9.3.
struct RedirectURL: Equatable, Sendable {
    /// In lower case; empty for a relative reference.
    let scheme: String
    /// As written, without brackets; empty when there is no authority.
    let host: String
    /// As written, without the colon; empty when there is none.
    let port: String

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
        var rest = bytes[...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            guard Self.hasWholeEscapes(rest[(hash + 1)...]) else { return nil }
            rest = rest[..<hash]
        }
        guard let scheme = Self.takeScheme(&rest) else { return nil }
        self.scheme = scheme
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) { rest = rest[..<mark] }
        guard rest.starts(with: "//".utf8) else {
            host = ""
            port = ""
            guard Self.isSoundRelative(rest, hasScheme: !scheme.isEmpty) else { return nil }
            return
        }
        rest = rest.dropFirst(2)
        let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let (host, port) = Self.authority(rest[..<slash]), Self.hasWholeEscapes(rest[slash...]) else {
            return nil
        }
        self.host = host
        self.port = port
    }

    /// True for `localhost`, names below it, and the loopback and unspecified addresses: there the port is free.
    var isLocal: Bool {
        switch host {
        case "localhost", "127.0.0.1", "::1", "0.0.0.0", "::": return true
        default: return host.hasSuffix(".localhost")
        }
    }

    /// The scheme of web pages.
    var isWeb: Bool { scheme == "http" || scheme == "https" }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// Takes `scheme:` off the front: the scheme in lower case, `""` when there is none, nil when it is missing.
    private static func takeScheme(_ rest: inout ArraySlice<UInt8>) -> String? {
        for (index, byte) in zip(rest.indices, rest) {
            if byte == UInt8(ascii: ":") {
                guard index > rest.startIndex else { return nil }
                let scheme = String(decoding: rest[..<index], as: UTF8.self).lowercased()
                rest = rest[(index + 1)...]
                return scheme
            }
            let isLetter = isAlphanumeric(byte) && !isDigit(byte)
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            guard isLetter || (index > rest.startIndex && (isDigit(byte) || isSign)) else { return "" }
        }
        return ""
    }

    private static func isSoundRelative(_ rest: ArraySlice<UInt8>, hasScheme: Bool) -> Bool {
        guard hasWholeEscapes(rest) else { return false }
        guard !hasScheme, rest.first != UInt8(ascii: "/") else { return true }
        let segment = rest.prefix { $0 != UInt8(ascii: "/") }
        return !segment.contains(UInt8(ascii: ":"))
    }

    static func hasWholeEscapes(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%") {
                guard bytes.endIndex - index > 2, isHexDigit(bytes[index + 1]), isHexDigit(bytes[index + 2]) else {
                    return false
                }
            }
            index += 1
        }
        return true
    }

    private static let userSigns = Set("-._:~!$&'()*+,;=%@".utf8)
    private static let hostSigns = Set("-._~!$&'()*+,;=:[]<>\"".utf8)

    private static func authority(_ text: ArraySlice<UInt8>) -> (host: String, port: String)? {
        var hostAndPort = text
        if let at = text.lastIndex(of: UInt8(ascii: "@")) {
            let user = text[..<at]
            guard user.allSatisfy({ isAlphanumeric($0) || userSigns.contains($0) }), hasWholeEscapes(user) else {
                return nil
            }
            hostAndPort = text[(at + 1)...]
        }
        if hostAndPort.first == UInt8(ascii: "[") { return bracketed(hostAndPort) }
        var port = ""
        var host = hostAndPort
        if let colon = hostAndPort.lastIndex(of: UInt8(ascii: ":")) {
            let digits = hostAndPort[(colon + 1)...]
            guard digits.allSatisfy(isDigit) else { return nil }
            port = String(decoding: digits, as: UTF8.self)
            host = hostAndPort[..<colon]
        }
        guard host.allSatisfy({ $0 >= 0x80 || isAlphanumeric($0) || hostSigns.contains($0) }) else { return nil }
        return (String(decoding: host, as: UTF8.self), port)
    }

    private static func bracketed(_ text: ArraySlice<UInt8>) -> (host: String, port: String)? {
        guard let close = text.lastIndex(of: UInt8(ascii: "]")) else { return nil }
        let inner = text[(text.startIndex + 1)..<close]
        let after = text[(close + 1)...]
        guard inner.allSatisfy({ isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }) else {
            return nil
        }
        guard after.isEmpty || (after.first == UInt8(ascii: ":") && after.dropFirst().allSatisfy(isDigit)) else {
            return nil
        }
        return (String(decoding: inner, as: UTF8.self), String(decoding: after.dropFirst(), as: UTF8.self))
    }
}

/// What kind of address a host name is in writing.
enum HostKind: Equatable, Sendable {
    /// Only digits: some clients read it as an address.
    case number
    case loopbackAddress
    case otherAddress
    /// Letters, digits, dots and hyphens, with a letter or digit at both ends.
    case name
    case odd

    init(_ host: String) {
        let bytes = Array(host.utf8)
        guard let first = bytes.first, let last = bytes.last else {
            self = .odd
            return
        }
        if bytes.allSatisfy({ (0x30...0x39).contains($0) }) {
            self = .number
        } else if let parts = Self.dottedQuad(host) {
            self = parts[0] == 127 ? .loopbackAddress : .otherAddress
        } else if bytes.contains(UInt8(ascii: ":")) {
            self = Self.isLoopbackV6(bytes) ? .loopbackAddress : .otherAddress
        } else if Self.isEdge(first), Self.isEdge(last), bytes.allSatisfy(Self.isInner) {
            self = .name
        } else {
            self = .odd
        }
    }

    private static func isEdge(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isInner(_ byte: UInt8) -> Bool {
        isEdge(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }

    private static func dottedQuad(_ host: String) -> [Int]? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                part.utf8.count == 1 || part.first != "0", let number = Int(part), number <= 255
            else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    /// `::1` in any of its spellings.
    private static func isLoopbackV6(_ bytes: [UInt8]) -> Bool {
        let digits = bytes.filter { $0 != UInt8(ascii: ":") }
        guard digits.last == UInt8(ascii: "1"), bytes.last == UInt8(ascii: "1") else { return false }
        guard digits.dropLast().allSatisfy({ $0 == UInt8(ascii: "0") }) else { return false }
        let groups = String(decoding: bytes, as: UTF8.self).split(separator: ":", omittingEmptySubsequences: true)
        let isShortened = bytes.starts(with: "::".utf8) || String(decoding: bytes, as: UTF8.self).contains(text: "::")
        return groups.last?.utf8.count ?? 5 <= 4 && (isShortened ? groups.count <= 7 : groups.count == 8)
    }
}
