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
    /// The answers of `/health` without and with an `Origin`, made once.
    let health, healthCrossOrigin: PreparedAnswer

    public init(
        options: GatewayOptions, api: SupabaseAPI, keys: any APIKeySource, clock: any WallClock, shown: Shown
    ) {
        self.options = options
        self.api = api
        self.keys = keys
        self.clock = clock
        self.shown = shown
        fields = AnswerFields(options)
        let answer = api.answerAtOnce(WireRequest(method: "GET", path: "/health"))
        let own = (answer?.headers ?? []).map { HTTPField($0.name, $0.value) }
        let note = ExchangeNote(route: "/health")
        func prepare(hasOrigin: Bool) -> PreparedAnswer {
            PreparedAnswer(
                HTTPStatus(answer?.status ?? 500), own + AnswerFields.list(options.cors, hasOrigin: hasOrigin),
                body: answer?.body ?? [], note: note)
        }
        health = prepare(hasOrigin: false)
        healthCrossOrigin = prepare(hasOrigin: true)
    }
}

/// Whether the server is ending: `/readyz` says so from then on.
public final class DrainState: Sendable {
    private let isSet = Atomic<Bool>(false)
    public init() {}
    public func begin() { isSet.store(true, ordering: .releasing) }

    /// When `/readyz` was asked last, in nanoseconds of the loops' clock; 0: never.
    private let asked = Atomic<UInt64>(0)
    func noteAsked(at nanoseconds: UInt64) { asked.store(nanoseconds, ordering: .relaxed) }

    /// Whether somebody who asks `/readyz` has done so at or after a point of the loops' clock, in nanoseconds.
    public func wasAsked(since nanoseconds: UInt64) -> Bool {
        let last = asked.load(ordering: .relaxed)
        return last != 0 && last >= nanoseconds
    }
    public var isDraining: Bool { isSet.load(ordering: .acquiring) }
}

/// The fields that every answer carries, rendered once.
struct AnswerFields: Sendable {
    private let plain, crossOrigin: HeaderBlock
    private let plainJSON, crossOriginJSON: HeaderBlock

    init(_ options: GatewayOptions) {
        var json = [HTTPField("Content-Type", "application/json")]
        if options.addsNoStore { json.append(HTTPField("Cache-Control", "no-store")) }
        plain = HeaderBlock(Self.list(options.cors, hasOrigin: false))
        crossOrigin = HeaderBlock(Self.list(options.cors, hasOrigin: true))
        plainJSON = HeaderBlock(Self.list(options.cors, hasOrigin: false) + json)
        crossOriginJSON = HeaderBlock(Self.list(options.cors, hasOrigin: true) + json)
    }

    static func list(_ cors: CORSPolicy, hasOrigin: Bool) -> [HTTPField] {
        cors.answerFields(hasOrigin: hasOrigin) + [HTTPField("X-Content-Type-Options", "nosniff")]
    }

    func block(hasOrigin: Bool) -> HeaderBlock { hasOrigin ? crossOrigin : plain }

    /// The same with those of a JSON answer that is not to be kept.
    func jsonBlock(hasOrigin: Bool) -> HeaderBlock { hasOrigin ? crossOriginJSON : plainJSON }
}
