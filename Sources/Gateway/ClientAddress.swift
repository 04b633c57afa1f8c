public import Bytes

/// Who the client is, as far as the forwarding headers can be believed.
/// Source: gateway.md 8 nr 15, supabase-core.md 1.5.
public enum ClientAddress {
    /// Addresses of one `X-Forwarded-For` that are looked at.
    static let hopsMax = 64

    /// The peer's address, or behind trusted proxies the last address of `X-Forwarded-For` that is none of theirs.
    public static func find(peer: String, forwardedFor: String?, trusted: [IPNetwork]) -> String {
        guard !trusted.isEmpty, let forwardedFor, trusted.contains(where: { $0.contains(peer) }) else { return peer }
        var found = peer
        for hop in forwardedFor.split(separator: ",").suffix(hopsMax).reversed() {
            guard let address = plainAddress(String(hop)) else { return found }
            found = address
            if !trusted.contains(where: { $0.contains(address) }) { return address }
        }
        return found
    }

    /// An address without blanks, brackets and port; nil for anything else.
    static func plainAddress(_ text: String) -> String? {
        var rest = Substring(text)
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            rest = rest[rest.index(after: rest.startIndex)..<end]
        } else if rest.contains("."), let colon = rest.firstIndex(of: ":"), rest[..<colon].contains(".") {
            rest = rest[..<colon]
        }
        return IPNetwork.address(String(rest)) == nil ? nil : String(rest)
    }

    /// What limits count by: the address, of IPv6 the first 64 bits (one customer has so many).
    public static func limitKey(_ address: String) -> String {
        guard address.contains(":"), let bytes = IPNetwork.address(address) else { return address }
        return shortForm(bytes) ?? Hex.encode(Array(bytes[..<8])) + "/64"
    }

    /// One text for every way to write an address; nil for what is none.
    static func canonical(_ text: String) -> String? {
        guard let address = plainAddress(text), let bytes = IPNetwork.address(address) else { return nil }
        return shortForm(bytes) ?? Hex.encode(bytes)
    }

    /// An IPv4 address, also one that stands within IPv6, in its usual form.
    private static func shortForm(_ bytes: [UInt8]) -> String? {
        guard bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else { return nil }
        return bytes[12...].map { String($0) }.joined(separator: ".")
    }

    /// The first value of a comma-separated header, trimmed; nil when it is blank.
    static func firstValue(_ header: String?) -> String? {
        guard let header else { return nil }
        var first = header.prefix { $0 != "," }
        while let character = first.first, character == " " || character == "\t" { first.removeFirst() }
        while let character = first.last, character == " " || character == "\t" { first.removeLast() }
        return first.isEmpty ? nil : String(first)
    }
}
