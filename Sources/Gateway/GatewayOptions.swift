public import Bytes

/// What one listener does; values that the settings decide.
public struct GatewayOptions: Sendable {
    /// The paths without `/auth/v1` are served too.
    public var hasBarePaths = true
    public var cors = CORSPolicy()
    /// Whose `X-Forwarded-For` is believed.
    public var trustedProxies: [IPNetwork] = []
    /// The request header that names requests; nil makes an id for each.
    public var requestIDHeader: String?
    /// The request header that names the client for limits (`GOTRUE_RATE_LIMIT_HEADER`).
    public var rateLimitHeader: String?
    /// Without that header the client's address counts.
    public var limitsByPeer = true
    /// `Sb-Forwarded-For` names the client.
    public var trustsForwardedFor = false
    /// Answers that have no cache rule of their own get `Cache-Control: no-store`.
    public var addsNoStore = true
    /// The longest body in bytes.
    public var bodyBytesMax = 1 << 20
    /// nil: no limit.
    public var requestTimeout: Duration? = .seconds(10)
    /// Upstreams that are set, by their prefix: such a route needs a key.
    public var upstreams: Set<UpstreamRoute> = []
    public var operations = OperationsAccess.never
    /// Whether this listener shows the inbox, and to whom.
    public var inbox = InboxAccess.never

    public init() {}
}

/// Who may ask for `/healthz`, `/readyz` and `/metrics`. Source: interface.md, addresses.
public enum OperationsAccess: Sendable {
    case never
    /// Callers on this machine that were not forwarded.
    case loopbackCallers
    /// The listener is there for nothing else.
    case only
}

/// Who may see the inbox. Source: interface.md, addresses.
public enum InboxAccess: Sendable {
    case never
    /// A loopback listener: browsers on this machine.
    case loopback
    /// `DRAWBRIDGE_INBOX=on`: whoever reaches the listener.
    case anyone
}

/// What is relayed one day, and answered in words until then. Source: gateway.md 1.
public enum UpstreamRoute: String, CaseIterable, Sendable {
    case rest = "REST"
    case storage = "STORAGE"
    case realtime = "REALTIME"
    case functions = "FUNCTIONS"
    case graphql = "GRAPHQL"
    case meta = "META"

    /// The prefix without a slash at its end.
    var prefix: StaticString {
        switch self {
        case .rest: "/rest/v1"
        case .storage: "/storage/v1"
        case .realtime: "/realtime/v1"
        case .functions: "/functions/v1"
        case .graphql: "/graphql/v1"
        case .meta: "/pg"
        }
    }

    /// The setting that names it.
    var setting: String { "DRAWBRIDGE_UPSTREAM_" + rawValue }

    /// Storage and functions judge keys themselves (gateway.md 1, 4).
    var needsKey: Bool { self != .storage && self != .functions }

    /// Only the service role may come here.
    var needsService: Bool { self == .meta }
}
