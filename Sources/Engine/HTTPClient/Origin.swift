/// The server that a client speaks to: `http://host[:port][/prefix]`. Source: RFC 3986 section 3.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// In lower case, without the brackets of an IPv6 address.
    public let host: String
    public let port: UInt16
    public let isSecure: Bool
    /// Put before the path of every request; empty, or begins with a slash and does not end with one.
    public let prefix: String

    /// The value of the `Host` field.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    public var description: String { "\(isSecure ? "https" : "http")://\(authority)\(prefix)" }

    /// Reads a URL; nil when it is none of `http` or `https`, has user information, a query, a fragment, or bytes that
    /// cannot stand in a request line.
    public init?(_ url: String) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return nil }
        switch url[..<colon].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: return nil
        }
        let rest = url[url.index(colon, offsetBy: 3)...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var path = rest[slash...]
        guard !path.contains(where: { $0 == "?" || $0 == "#" }) else { return nil }
        while path.last == "/" { path.removeLast() }
        prefix = String(path)
        guard let (host, port) = Self.split(rest[..<slash]) else { return nil }
        self.host = host.lowercased()
        self.port = port ?? (isSecure ? 443 : 80)
    }

    private static func split(_ authority: Substring) -> (host: String, port: UInt16?)? {
        var host = authority
        var port: UInt16?
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let tail = authority[authority.index(after: end)...]
            if !tail.isEmpty {
                guard tail.hasPrefix(":"), let number = UInt16(tail.dropFirst()), number > 0 else { return nil }
                port = number
            }
            guard host.utf8.allSatisfy({ isHex($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }) else {
                return nil
            }
        } else {
            if let colon = authority.firstIndex(of: ":") {
                guard let number = UInt16(authority[authority.index(after: colon)...]), number > 0 else { return nil }
                port = number
                host = authority[..<colon]
            }
            guard host.utf8.allSatisfy({ isName($0) }) else { return nil }
        }
        guard !host.isEmpty, host.utf8.count <= 255 else { return nil }
        return (String(host), port)
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func isName(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
}
