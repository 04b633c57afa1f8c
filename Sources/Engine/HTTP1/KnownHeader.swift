internal import Bytes

/// Fields that are recognised while a head is parsed, so that looking them up compares no text.
public enum KnownHeader: UInt8, Sendable, CaseIterable {
    case other
    case host, contentLength, transferEncoding, connection, expect, upgrade
    case authorization, apikey, contentType, contentEncoding, origin, accept, userAgent, cookie, te, trailer, keepAlive
    case acceptEncoding, xForwardedFor, xForwardedProto, xForwardedHost, xForwardedPort, forwarded, xRealIP
    case xSupabaseApiVersion, xClientInfo, xRequestID, xJwtAud, ifNoneMatch
    case accessControlRequestMethod, accessControlRequestHeaders
    case referer
    /// `redirect_to`: where auth clients want to be led back; the one name with an underscore that is not dropped.
    case redirectTo

    /// The name in small letters.
    public var name: StaticString {
        switch self {
        case .other: ""
        case .host: "host"
        case .contentLength: "content-length"
        case .transferEncoding: "transfer-encoding"
        case .connection: "connection"
        case .expect: "expect"
        case .upgrade: "upgrade"
        case .authorization: "authorization"
        case .apikey: "apikey"
        case .contentType: "content-type"
        case .contentEncoding: "content-encoding"
        case .origin: "origin"
        case .accept: "accept"
        case .userAgent: "user-agent"
        case .cookie: "cookie"
        case .te: "te"
        case .trailer: "trailer"
        case .keepAlive: "keep-alive"
        case .acceptEncoding: "accept-encoding"
        case .xForwardedFor: "x-forwarded-for"
        case .xForwardedProto: "x-forwarded-proto"
        case .xForwardedHost: "x-forwarded-host"
        case .xForwardedPort: "x-forwarded-port"
        case .forwarded: "forwarded"
        case .xRealIP: "x-real-ip"
        case .xSupabaseApiVersion: "x-supabase-api-version"
        case .xClientInfo: "x-client-info"
        case .xRequestID: "x-request-id"
        case .xJwtAud: "x-jwt-aud"
        case .ifNoneMatch: "if-none-match"
        case .accessControlRequestMethod: "access-control-request-method"
        case .accessControlRequestHeaders: "access-control-request-headers"
        case .referer: "referer"
        case .redirectTo: "redirect_to"
        }
    }

    /// A second line of these is refused, so that nobody picks one of two silently.
    var isSingle: Bool {
        switch self {
        case .host, .contentLength, .transferEncoding, .authorization, .apikey, .contentType, .origin, .expect: true
        default: false
        }
    }

    /// The field that `name` spells in any case.
    @inline(__always)
    static func find(_ name: Span<UInt8>) -> KnownHeader {
        let count = name.count
        guard count > 0 else { return .other }
        switch (count, Scan.lowercased(name[0])) {
        case (4, 0x68): return check(name, .host)
        case (6, 0x61): return Scan.lowercased(name[1]) == 0x70 ? check(name, .apikey) : check(name, .accept)
        case (10, 0x75): return check(name, .userAgent)
        case (13, 0x61): return check(name, .authorization)
        case (14, 0x63): return check(name, .contentLength)
        case (12, 0x63): return check(name, .contentType)
        case (10, 0x63): return check(name, .connection)
        case (17, 0x74): return check(name, .transferEncoding)
        default: return Self.findRare(name)
        }
    }

    @inline(never)
    private static func findRare(_ name: Span<UInt8>) -> KnownHeader {
        let count = name.count
        switch Scan.lowercased(name[0]) {
        case 0x61:  // a
            switch count {
            case 15: return check(name, .acceptEncoding)
            case 29: return check(name, .accessControlRequestMethod)
            case 30: return check(name, .accessControlRequestHeaders)
            default: return .other
            }
        case 0x63: return count == 6 ? check(name, .cookie) : check(name, .contentEncoding)
        case 0x65: return check(name, .expect)
        case 0x66: return check(name, .forwarded)
        case 0x69: return check(name, .ifNoneMatch)
        case 0x6B: return check(name, .keepAlive)
        case 0x6F: return check(name, .origin)
        case 0x72: return count == 7 ? check(name, .referer) : check(name, .redirectTo)
        case 0x74: return count == 2 ? check(name, .te) : check(name, .trailer)
        case 0x75: return check(name, .upgrade)
        case 0x78:  // x
            switch count {
            case 9: return Scan.lowercased(name[2]) == 0x72 ? check(name, .xRealIP) : check(name, .xJwtAud)
            case 12: return check(name, .xRequestID)
            case 13: return check(name, .xClientInfo)
            case 15: return check(name, .xForwardedFor)
            case 16:
                let port = check(name, .xForwardedPort)
                return port == .other ? check(name, .xForwardedHost) : port
            case 17: return check(name, .xForwardedProto)
            case 22: return check(name, .xSupabaseApiVersion)
            default: return .other
            }
        default: return .other
        }
    }

    @inline(__always)
    private static func check(_ name: Span<UInt8>, _ candidate: KnownHeader) -> KnownHeader {
        Scan.equalsIgnoringCase(name, candidate.name) ? candidate : .other
    }
}
