internal import Bytes
internal import HTTP1

/// What a path leads to. Prefixes end at a segment's end. Source: gateway.md 1, 9.
enum Destination: Equatable {
    /// Supabase Auth's wire; the path without the prefix.
    case auth(path: String, isPrefixed: Bool)
    case upstream(UpstreamRoute)
    case healthz, readyz, metrics
    /// Below `/inbox`; the whole path.
    case inbox(String)
    /// `OPTIONS *`: the server as a whole (RFC 9110 section 9.3.7).
    case asterisk
    /// Something that decoding would turn into another path.
    case refused
    case nowhere

    static func find(_ request: borrowing RequestView) -> Destination {
        if request.head.hasDotSegments {
            let path = request.normalizedPath()
            return find(path.span)
        }
        if request.path.count == 1, request.path[0] == UInt8(ascii: "*") { return .asterisk }
        return find(request.path)
    }

    static func find(_ path: Span<UInt8>) -> Destination {
        if has("/auth/v1", path), !hasDoubleSlash(path) {
            return .auth(path: path.count == 8 ? "/" : path.extracting(8...).text, isPrefixed: true)
        }
        for index in path.indices where path[index] == UInt8(ascii: "\\") { return .refused }
        if hasDoubleSlash(path) {
            // What is below the prefix, and bare paths, are Compat's: whether slashes count as one is the wire's rule.
            if has("/auth/v1", path) { return .auth(path: path.extracting(8...).text, isPrefixed: true) }
            let collapsed = collapse(path)
            let found = find(collapsed.span)
            if case .auth(_, false) = found { return .auth(path: path.text, isPrefixed: false) }
            return found
        }
        for route in UpstreamRoute.allCases where has(route.prefix, path) { return .upstream(route) }
        if Scan.equals(path, "/healthz") { return .healthz }
        if Scan.equals(path, "/readyz") { return .readyz }
        if Scan.equals(path, "/metrics") { return .metrics }
        if has("/inbox", path) { return .inbox(path.text) }
        if has("/api/v1", path) { return .nowhere }
        return .auth(path: path.text, isPrefixed: false)
    }

    /// Whether a path is a prefix or lies below it.
    private static func has(_ prefix: StaticString, _ path: Span<UInt8>) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard path.count >= count, path.count == count || path[count] == UInt8(ascii: "/") else { return false }
        return Scan.equals(path.extracting(..<count), prefix)
    }

    private static func hasDoubleSlash(_ path: Span<UInt8>) -> Bool {
        var wasSlash = false
        for index in path.indices {
            let isSlash = path[index] == UInt8(ascii: "/")
            if isSlash, wasSlash { return true }
            wasSlash = isSlash
        }
        return false
    }

    private static func collapse(_ path: Span<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(path.count)
        for index in path.indices where path[index] != UInt8(ascii: "/") || out.last != UInt8(ascii: "/") {
            out.append(path[index])
        }
        return out
    }
}
