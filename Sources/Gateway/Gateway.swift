public import Bytes
public import Compat
internal import HTTP1
internal import Synchronization

/// What all loops of one listener share: its options, the API, the keys and what is shown beside the API.
public final class Gateway: Sendable {
    public let options: GatewayOptions
    public let api: SupabaseAPI
    let keys: any APIKeySource
    let clock: any WallClock
    let shown: Shown

    /// What the gateway shows but does not own.
    public struct Shown: Sendable {
        public var metrics: Metrics
        /// nil: no access log.
        public var log: AccessLog?
        public var inbox: (any InboxSource)?
        public var readiness: (any ReadinessProbe)?
        public var drain: DrainState

        public init(metrics: Metrics, drain: DrainState) {
            self.metrics = metrics
            self.drain = drain
        }
    }

    let fields: AnswerFields
    /// The answer of `/health`, made once.
    let health: HTTPResponse

    public init(
        options: GatewayOptions, api: SupabaseAPI, keys: any APIKeySource, clock: any WallClock, shown: Shown
    ) {
        self.options = options
        self.api = api
        self.keys = keys
        self.clock = clock
        self.shown = shown
        fields = AnswerFields(options.cors)
        let answer = api.answerAtOnce(WireRequest(method: "GET", path: "/health"))
        health = HTTPResponse(
            HTTPStatus(answer?.status ?? 500),
            block: HeaderBlock((answer?.headers ?? []).map { HTTPField($0.name, $0.value) }), body: answer?.body ?? [])
    }
}

/// Whether the server is ending: `/readyz` says so from then on.
public final class DrainState: Sendable {
    private let isSet = Atomic<Bool>(false)
    public init() {}
    public func begin() { isSet.store(true, ordering: .releasing) }
    public var isDraining: Bool { isSet.load(ordering: .acquiring) }
}

/// The fields that every answer carries, rendered once.
struct AnswerFields: Sendable {
    private let plain: HeaderBlock
    private let crossOrigin: HeaderBlock

    init(_ cors: CORSPolicy) {
        let always = [HTTPField("X-Content-Type-Options", "nosniff")]
        plain = HeaderBlock(cors.answerFields(hasOrigin: false) + always)
        crossOrigin = HeaderBlock(cors.answerFields(hasOrigin: true) + always)
    }

    func block(hasOrigin: Bool) -> HeaderBlock { hasOrigin ? crossOrigin : plain }
}
