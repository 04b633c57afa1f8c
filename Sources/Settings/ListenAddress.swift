import Bytes

/// Where a listener stands: a host (name or address) and a port.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address without brackets; empty stands for all interfaces.
    public var host: String
    /// 0 lets the system choose one.
    public var port: UInt16

    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, `[IPv6]:PORT`, `:PORT` (all interfaces) or `PORT` (127.0.0.1).
    public init?(_ text: String) {
        if let port = UInt16(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            self.init(host: "127.0.0.1", port: port)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        let isWritable = host.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
                || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "_")
        }
        guard isWritable else { return nil }
        self.init(host: String(host), port: port)
    }

    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host.isEmpty ? "*" : host):\(port)"
    }

    /// Only this machine can reach it.
    public var isLoopback: Bool {
        host == "localhost" || host == "::1" || (IPNetwork("127.0.0.0/8")?.contains(host) ?? false)
    }

    /// How a browser on this machine reaches it.
    public var url: String {
        let shown = host.isEmpty || host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "[::1]" : host
        return "http://" + (shown.contains(":") && !shown.hasPrefix("[") ? "[\(shown)]" : shown) + ":\(port)"
    }
}
