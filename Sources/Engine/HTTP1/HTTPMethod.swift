internal import Bytes

/// A request method (RFC 9110 section 9). Methods are case-sensitive; what is not named here is `other`.
public enum HTTPMethod: UInt8, Sendable, CaseIterable {
    case get, head, post, put, patch, delete, options, trace, connect, other

    /// The method that `bytes` spell.
    public init(_ bytes: Span<UInt8>) {
        self = .other
        switch bytes.count {
        case 3: if Scan.equals(bytes, "GET") { self = .get } else if Scan.equals(bytes, "PUT") { self = .put }
        case 4: if Scan.equals(bytes, "POST") { self = .post } else if Scan.equals(bytes, "HEAD") { self = .head }
        case 5: if Scan.equals(bytes, "PATCH") { self = .patch } else if Scan.equals(bytes, "TRACE") { self = .trace }
        case 6: if Scan.equals(bytes, "DELETE") { self = .delete }
        case 7:
            if Scan.equals(bytes, "OPTIONS") {
                self = .options
            } else if Scan.equals(bytes, "CONNECT") {
                self = .connect
            }
        default: break
        }
    }

    /// The method as it is written; `other` has no spelling of its own.
    public var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .other: "OTHER"
        }
    }
}
