public import Backend
public import Bytes

/// A request as the gateway read it: plain values, no socket, no HTTP type.
///
/// A header that came several times is joined by the gateway or refused there. Missing headers are nil.
@dynamicMemberLookup
public struct WireRequest: Sendable {
    /// The parts; reached through the request.
    public struct Values: Sendable {
        /// The method in its own letters; methods are case-sensitive (RFC 9110 §9.1).
        public var method: String
        /// The path as it was sent, still percent-encoded, without the prefix: `/admin/users/…`.
        public var path: String
        /// What stands after the question mark, still encoded; empty when there is none.
        public var query: String
        /// `Authorization`, as sent.
        public var authorization: String?
        /// `X-Supabase-Api-Version`.
        public var apiVersion: String?
        public var contentType: String?
        /// The header `redirect_to`.
        public var redirectTo: String?
        public var referer: String?
        public var userAgent: String?
        /// `X-JWT-AUD`.
        public var jwtAudience: String?
        /// `X-Forwarded-Host`.
        public var forwardedHost: String?
        /// `X-Forwarded-Proto`.
        public var forwardedProto: String?
        /// `X-Client-Info`.
        public var clientInfo: String?
        public var accept: String?
        public var origin: String?
        public var body: [UInt8]
        /// The client's address as text, as far as the gateway trusts what it was told.
        public var clientAddress: String?
        /// What the gateway judged of the API key.
        public var keyRole: APIKeyRole
        /// Who is limited (`GOTRUE_RATE_LIMIT_HEADER` or the peer); nil: nobody (supabase-core.md 1.6).
        public var rateLimitKey: String?
        /// Names the request in logs and in 5xx bodies.
        public var requestID: String
        /// `/auth/v1`, or empty for the bare paths.
        public var servedPrefix: String
    }

    @usableFromInline var shared: CopyOnWrite<Values>

    /// All parts, for who needs many of them.
    @inlinable
    public var values: Values {
        _read { yield shared.value }
        _modify { yield &shared.value }
    }

    public init(method: String, path: String, query: String = "", body: [UInt8] = [], requestID: String = "") {
        shared = CopyOnWrite(
            Values(
                method: method, path: path, query: query, body: body, keyRole: .none, requestID: requestID,
                servedPrefix: ""))
    }

    @inlinable
    public subscript<Member>(dynamicMember member: KeyPath<Values, Member>) -> Member {
        shared.value[keyPath: member]
    }

    @inlinable
    public subscript<Member>(dynamicMember member: WritableKeyPath<Values, Member>) -> Member {
        _read { yield shared.value[keyPath: member] }
        _modify { yield &shared.value[keyPath: member] }
    }
}

/// An answer for the gateway to send. `Content-Length`, `Date`, CORS and the request's id are the gateway's to add;
/// of an answer to `HEAD` it sends the head alone.
public struct WireResponse: Sendable {
    public typealias Header = (name: String, value: String)
    public var status: Int
    /// In the order in which they are sent. Values never hold a control byte.
    public var headers: [Header]
    public var body: [UInt8]
    /// For the log alone: what was behind a status of 500 or more, without a secret. Never sent.
    public var fault: String?

    public init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A JSON answer.
    static func json(_ body: [UInt8], status: Int = 200) -> WireResponse {
        WireResponse(status: status, headers: [("Content-Type", "application/json")], body: body)
    }

    /// The first header of that name, in any letter case.
    public func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}
