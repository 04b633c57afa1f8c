internal import Backend
public import Bytes
internal import Compat
public import EventLoop
public import HTTP1

/// Answers one listener's requests on one loop.
public final class GatewayHandler: HTTPHandler {
    let gateway: Gateway
    private let loop: EventLoop
    private let shard: Metrics.Shard
    private let knownUsers: KnownUsers
    private var keys: KeyCache
    private var ids: RequestIDs
    /// Of the options, what every request asks for.
    private let isLogging, hasBarePaths, isForOperations: Bool
    /// Notes of routes for when no log wants to know more.
    private var notes: [String: ExchangeNote] = [:]
    private let userNote = ExchangeNote(route: "/user")

    /// - Parameter random: seeds the request ids of this loop.
    public init(_ gateway: Gateway, loop: EventLoop, random: some RandomSource) {
        self.gateway = gateway
        self.loop = loop
        shard = gateway.shown.metrics.makeShard()
        knownUsers = gateway.api.knownUsers
        keys = KeyCache(gateway.keys)
        ids = RequestIDs(random)
        isLogging = gateway.shown.log != nil
        hasBarePaths = gateway.options.hasBarePaths
        isForOperations = gateway.options.operations == .only
    }

    private var options: GatewayOptions { gateway.options }

    // MARK: HTTPHandler

    public func bodyLimit(for request: borrowing RequestView) -> Int {
        switch Destination.find(request) {
        case .auth, .upstream: gateway.options.bodyBytesMax
        default: 0
        }
    }

    /// Only a client that waits for `100 Continue` is answered before its body: any other body is read first, so that
    /// the connection can be kept and a malformed body is told as such.
    public func refuse(_ request: borrowing RequestView, into response: inout ResponseWriter) -> Bool {
        guard request.head.expectsContinue else { return false }
        switch Destination.find(request) {
        case .auth(let path, true):
            let match = gateway.api.route(method: "\(request.method.name)", path: path)
            guard !match.isOpen, let fault = keyFault(request) else { return false }
            send(fault, request, route: match.template, into: &response)
            return true
        case .upstream(let route):
            answer(upstream: route, request, into: &response)
            return true
        default: return false
        }
    }

    public func respond(to request: borrowing RequestView, into response: inout ResponseWriter) -> Disposition {
        if request.method == .get, !request.head.hasDotSegments, !isForOperations {
            if isAt("/auth/v1/health", bare: "/health", request.path) {
                response.send(request.header(.origin) == nil ? gateway.health : gateway.healthCrossOrigin)
                return .done
            }
            if isAt("/auth/v1/user", bare: "/user", request.path) {
                if showKnownUser(request, into: &response) { return .done }
                if knownUsers.relays, let work = relayUser(request) { return work }
            }
        }
        let destination = Destination.find(request)
        if isForOperations { return operations(destination, request, into: &response) }
        switch destination {
        case .auth(let path, let isPrefixed):
            if answerPreflight(request, into: &response) { return .done }
            guard isPrefixed || options.hasBarePaths else {
                send(.pathNotFound, request, route: "unknown", into: &response)
                return .done
            }
            return auth(path, isPrefixed: isPrefixed, request, into: &response)
        case .upstream(let route):
            if !answerPreflight(request, into: &response) { answer(upstream: route, request, into: &response) }
            return .done
        case .healthz, .readyz, .metrics: return operations(destination, request, into: &response)
        case .inbox(let path): return inbox(path, request, into: &response)
        case .asterisk:
            response.note = note("*")
            response.begin(.noContent)
            response.header("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
            response.end()
        case .refused: send(.malformed("The path is not valid"), request, route: "unknown", into: &response)
        case .nowhere:
            if !answerPreflight(request, into: &response) {
                send(.pathNotFound, request, route: "unknown", into: &response)
            }
        }
        return .done
    }

    /// An `Origin` may stand in what was not read any more: these answers are readable for every page.
    public func failure(
        _ failure: HTTPFailure, request: borrowing RequestView, into response: inout ResponseWriter
    ) {
        let fault: WireFault
        switch failure.kind {
        case .bodyTooLarge: fault = .bodyTooLarge(limit: options.bodyBytesMax)
        case .timeout: fault = .requestTooSlow
        case .targetTooLong: fault = .uriTooLong
        case .headTooLarge: fault = .headersTooLarge
        default:
            let body = BadRequestBody.make(failure, apiVersion: request.text(.xSupabaseApiVersion), gateway.api)
            response.note = note("malformed")
            response.begin(failure.status)
            response.header("Content-Type", "application/json")
            response.add(gateway.fields.block(hasOrigin: true))
            response.end(body: body)
            return
        }
        let isWhole = failure.kind == .bodyTooLarge
        send(fault, request, route: "malformed", mayHaveOrigin: !isWhole, into: &response)
    }

    public var observes: Bool { true }

    public func observe(_ exchange: borrowing ExchangeView) {
        let note = exchange.note as? ExchangeNote
        shard.count(
            .init(route: note?.route ?? "unknown", method: exchange.method, status: exchange.status.code),
            nanoseconds: exchange.nanoseconds, bytesIn: exchange.bytesIn, bytesOut: exchange.bytesOut)
        if isLogging { log(exchange, note) }
    }

    @inline(never)
    private func log(_ exchange: borrowing ExchangeView, _ note: ExchangeNote?) {
        gateway.shown.log?.write(
            .init(
                method: "\(exchange.method.name)", target: exchange.target.text,
                note: note ?? ExchangeNote(route: "unknown"), status: Int(exchange.status.code),
                bytesIn: exchange.bytesIn, bytesOut: exchange.bytesOut, nanoseconds: exchange.nanoseconds,
                peer: exchange.peer.host))
    }

    // MARK: Supabase Auth's wire

    private func isAt(_ prefixed: StaticString, bare: StaticString, _ path: Span<UInt8>) -> Bool {
        if path.count == prefixed.utf8CodeUnitCount { return Scan.equals(path, prefixed) }
        return hasBarePaths && path.count == bare.utf8CodeUnitCount && Scan.equals(path, bare)
    }

    /// Answers `GET /user` for a token that the backend knows, without a task. Whatever is not as usual, every fault
    /// too, is left to the general way: then nothing is written and the answer is false.
    private func showKnownUser(_ request: borrowing RequestView, into response: inout ResponseWriter) -> Bool {
        guard let bearer = request.bearer(), request.header(.xJwtAud) == nil else { return false }
        var keyID = ""
        if request.path.count > Self.bareUserPathBytes {
            guard case .known(let judged) = judgeKey(request) else { return false }
            keyID = judged.id
        }
        guard let body = knownUsers.json(bearer) else { return false }
        response.begin(.ok)
        response.add(gateway.fields.jsonBlock(hasOrigin: request.header(.origin) != nil))
        var requestID = ""
        if gateway.options.requestIDHeader == nil {
            let id = ids.next()
            response.header("X-Request-Id", id)
            if isLogging { requestID = id.description }
        } else {
            requestID = self.requestID(request)
            if !requestID.isEmpty { response.header("X-Request-Id", requestID) }
        }
        response.note =
            isLogging ? ExchangeNote(route: userNote.route, requestID: requestID, keyID: keyID) : userNote
        response.end(body: body)
        return true
    }

    /// Asks the server behind the backend, with as little work of our own as can be; nil for what is not as usual.
    private func relayUser(_ request: borrowing RequestView) -> Disposition? {
        guard let bearer = request.bearer(), request.header(.xJwtAud) == nil, isToken(bearer) else { return nil }
        var keyID = ""
        if request.path.count > Self.bareUserPathBytes {
            guard case .known(let judged) = judgeKey(request) else { return nil }
            keyID = judged.id
        }
        let requestID = requestID(request)
        let note = isLogging ? ExchangeNote(route: userNote.route, requestID: requestID, keyID: keyID) : userNote
        let hasOrigin = request.header(.origin) != nil
        let fields = gateway.fields.jsonBlock(hasOrigin: hasOrigin)
        let answers = AnswerMaker(
            fields: gateway.fields.block(hasOrigin: hasOrigin), addsNoStore: options.addsNoStore, requestID: requestID,
            note: note)
        let version = request.text(.xSupabaseApiVersion)
        let token = bearer.text
        let work: @Sendable () async -> HTTPResponse = { [knownUsers] in
            switch await knownUsers.relay(token, apiVersion: version, requestID: requestID) {
            case .failure(let answer): return answers.make(answer)
            case .json(let body):
                let id = requestID.isEmpty ? [] : [HTTPField("X-Request-Id", requestID)]
                var response = HTTPResponse(.ok, block: fields, fields: id, body: body)
                response.note = note
                return response
            }
        }
        guard let limit = options.requestTimeout else { return .later(work) }
        let api = gateway.api
        return .within(
            limit, orElse: { answers.make(api.failure(.timedOut, apiVersion: version, requestID: requestID)) }, work)
    }

    /// Whether a bearer is a token and no API key; anything odd is for the general way to judge.
    private func isToken(_ bearer: Span<UInt8>) -> Bool {
        bearer.count > 3 && !Scan.equals(bearer.extracting(..<3), "sb_")
            && Scan.firstControl(in: bearer, from: 0) == bearer.count
            && Scan.first(0x20, in: bearer, from: 0) == bearer.count
    }

    /// `/user`; with a prefix the path is longer, and wants a key.
    private static let bareUserPathBytes = 5

    private func auth(
        _ path: String, isPrefixed: Bool, _ request: borrowing RequestView, into response: inout ResponseWriter
    ) -> Disposition {
        let api = gateway.api
        var wire = WireRequest(request, path: path, prefix: isPrefixed ? "/auth/v1" : "")
        let match = api.route(method: wire.method, path: path)
        wire.requestID = requestID(request)
        var keyID = ""
        if isPrefixed, !match.isOpen {
            switch judgeKey(request) {
            case .known(let judged):
                if judged.actsAlone { wire.keyRole = judged.role }
                keyID = judged.id
            case .fault(let fault):
                send(api.failure(fault, for: wire), request, route: match.template, into: &response)
                return .done
            }
        }
        var client: String?
        // Reading calls neither note the address nor are limited, but for links.
        if request.method != .get || match.template == "/verify" {
            let address = clientAddress(request)
            client = address
            wire.clientAddress = address
            wire.rateLimitKey = rateLimitKey(request, client: address)
        }
        let note = note(match.template, requestID: wire.requestID, keyID: keyID, client: client)
        let answers = AnswerMaker(
            fields: gateway.fields.block(hasOrigin: wire.origin != nil), addsNoStore: options.addsNoStore,
            requestID: wire.requestID, note: note)
        if let answer = api.answerAtOnce(wire, at: match) {
            response.send(answers.make(answer))
            return .done
        }
        let work: @Sendable () async -> HTTPResponse = { [wire] in answers.make(await api.answer(wire, at: match)) }
        guard let limit = options.requestTimeout else { return .later(work) }
        let version = wire.apiVersion
        return .within(
            limit,
            orElse: { answers.make(api.failure(.timedOut, apiVersion: version, requestID: answers.requestID)) }, work)
    }

    // MARK: Keys

    private enum KeyVerdict {
        case known(JudgedKey)
        case fault(WireFault)
    }

    /// The key of a request: the header counts before the query, the query before the bearer. Source: gateway.md 3, 9.
    private func judgeKey(_ request: borrowing RequestView) -> KeyVerdict {
        let now = gateway.clock.now()
        if let key = request.header(.apikey), !key.isEmpty {
            return keys.judge(key, now: now).map { .known($0) } ?? .fault(.unknownAPIKey)
        }
        if let key = request.queryKey(), !key.isEmpty {
            return keys.judge(key.span, now: now).map { .known($0) } ?? .fault(.unknownAPIKey)
        }
        if let token = request.bearer(), let judged = keys.judge(token, now: now) { return .known(judged) }
        return .fault(.noAPIKey)
    }

    private func keyFault(_ request: borrowing RequestView) -> WireFault? {
        if case .fault(let fault) = judgeKey(request) { return fault }
        return nil
    }

    // MARK: Upstreams

    /// Relaying is not there yet: what is set wants its key and is answered in words. Source: interface.md, addresses.
    private func answer(
        upstream route: UpstreamRoute, _ request: borrowing RequestView, into response: inout ResponseWriter
    ) {
        let label = "\(route.prefix)"
        guard options.upstreams.contains(route) else {
            let text = "There is no upstream for this path: \(route.setting) is not set"
            send(.unavailable(text, retryAfter: .seconds(30)), request, route: label, into: &response)
            return
        }
        if route.needsKey {
            switch judgeKey(request) {
            case .fault(let fault):
                send(fault, request, route: label, into: &response)
                return
            case .known(let judged) where route.needsService && judged.role != .service:
                send(.roleNotAllowed, request, route: label, into: &response)
                return
            case .known: break
            }
        }
        let text = "This version does not relay to \(route.setting) yet"
        send(.unavailable(text, retryAfter: .seconds(30)), request, route: label, into: &response)
    }

    // MARK: CORS

    /// Answers a preflight; false when the request is none.
    private func answerPreflight(_ request: borrowing RequestView, into response: inout ResponseWriter) -> Bool {
        guard request.method == .options, let method = request.header(.accessControlRequestMethod), !method.isEmpty
        else { return false }
        response.note = note("preflight")
        response.begin(.noContent)
        let fields = options.cors.preflightFields(
            origin: request.text(.origin), method: method.text, headers: request.text(.accessControlRequestHeaders))
        for field in fields { response.header(field) }
        response.end()
        return true
    }

    // MARK: Operations and the inbox

    private func operations(
        _ destination: Destination, _ request: borrowing RequestView, into response: inout ResponseWriter
    ) -> Disposition {
        guard mayOperate(request) else {
            send(.pathNotFound, request, route: "unknown", into: &response)
            return .done
        }
        guard request.method == .get || request.method == .head else {
            send(.methodNotAllowed(allowed: ["GET", "HEAD"]), request, route: "operations", into: &response)
            return .done
        }
        switch destination {
        case .healthz:
            response.send(OperationsAnswers.healthz(note("/healthz")))
        case .metrics:
            response.send(OperationsAnswers.metrics(gateway.shown.metrics.text(), note("/metrics")))
        case .readyz:
            let note = note("/readyz")
            let shown = gateway.shown
            shown.drain.noteAsked(at: LoopClock.now())
            return .within(
                .seconds(2), orElse: { OperationsAnswers.readyz(fault: "store", note) },
                {
                    if shown.drain.isDraining { return OperationsAnswers.readyz(fault: "draining", note) }
                    return OperationsAnswers.readyz(fault: await shown.readiness?.fault(), note)
                })
        default: send(.pathNotFound, request, route: "unknown", into: &response)
        }
        return .done
    }

    private func mayOperate(_ request: borrowing RequestView) -> Bool {
        switch options.operations {
        case .never: false
        case .only: true
        case .loopbackCallers: isFromThisMachine(request)
        }
    }

    /// A loopback peer that is no proxy: one on this machine forwards callers from elsewhere.
    private func isFromThisMachine(_ request: borrowing RequestView) -> Bool {
        request.peer.isLoopback && request.header(.xForwardedFor) == nil && request.header(.forwarded) == nil
            && request.header(.xRealIP) == nil && request.header(.xForwardedHost) == nil
    }

    private func inbox(
        _ path: String, _ request: borrowing RequestView, into response: inout ResponseWriter
    ) -> Disposition {
        guard let source = gateway.shown.inbox,
            InboxPage.isOwnRequest(
                host: request.host.text, origin: request.text(.origin), fetchSite: inboxFetchSite(request, path),
                access: options.inbox), options.inbox != .loopback || isFromThisMachine(request)
        else {
            send(.pathNotFound, request, route: "unknown", into: &response)
            return .done
        }
        guard request.method == .get || request.method == .head else {
            send(.methodNotAllowed(allowed: ["GET", "HEAD"]), request, route: "/inbox", into: &response)
            return .done
        }
        let note = note("/inbox")
        if var page = InboxPage.page(path) {
            page.note = note
            response.send(page)
            return .done
        }
        guard path == "/inbox/messages" else {
            send(.pathNotFound, request, route: "/inbox", into: &response)
            return .done
        }
        let recipient = FormFields(parsing: request.query)?["to"].flatMap { $0.isEmpty ? nil : $0 }
        let failure = gateway.api.failure(.unexpected, apiVersion: nil, requestID: "")
        let answers = AnswerMaker(fields: nil, addsNoStore: true, requestID: "", note: note)
        return .later {
            guard let messages = try? await source.messages(to: recipient, limit: InboxPage.messagesMax) else {
                return answers.make(failure)
            }
            var answer = InboxPage.messages(messages)
            answer.note = note
            return answer
        }
    }

    /// A link from another page may open the inbox's page, but no other site may read its messages.
    private func inboxFetchSite(_ request: borrowing RequestView, _ path: String) -> String? {
        path == "/inbox/messages" ? request.text(named: "sec-fetch-site") : nil
    }

    // MARK: Small parts

    private func clientAddress(_ request: borrowing RequestView) -> String {
        ClientAddress.find(
            peer: request.peer.host,
            forwardedFor: options.trustedProxies.isEmpty ? nil : request.joined(.xForwardedFor),
            trusted: options.trustedProxies)
    }

    /// Source: supabase-core.md 1.6, interface.md `DRAWBRIDGE_RATE_LIMIT_BY_PEER`.
    private func rateLimitKey(_ request: borrowing RequestView, client: String) -> String? {
        if options.trustsForwardedFor, let first = ClientAddress.firstValue(request.text(named: "sb-forwarded-for")),
            let address = ClientAddress.canonical(first)
        {
            return address
        }
        if let header = options.rateLimitHeader { return ClientAddress.firstValue(request.text(ofField: header)) }
        return options.limitsByPeer ? ClientAddress.limitKey(client) : nil
    }

    private func requestID(_ request: borrowing RequestView) -> String {
        guard let header = options.requestIDHeader else { return ids.next().description }
        return request.text(ofField: header).map { String($0.prefix(200)) } ?? ""
    }

    private func note(
        _ route: String, requestID: String = "", keyID: String = "", client: String? = nil
    ) -> ExchangeNote {
        if isLogging {
            return ExchangeNote(route: route, requestID: requestID, keyID: keyID, client: client)
        }
        if let note = notes[route] { return note }
        let note = ExchangeNote(route: route)
        notes[route] = note
        return note
    }

    private func send(
        _ fault: WireFault, _ request: borrowing RequestView, route: String, mayHaveOrigin: Bool = false,
        into response: inout ResponseWriter
    ) {
        let id = ids.next().description
        let answer = gateway.api.failure(fault, apiVersion: request.text(.xSupabaseApiVersion), requestID: id)
        send(answer, request, route: route, requestID: id, mayHaveOrigin: mayHaveOrigin, into: &response)
    }

    private func send(
        _ answer: WireResponse, _ request: borrowing RequestView, route: String, requestID: String = "",
        mayHaveOrigin: Bool = false, into response: inout ResponseWriter
    ) {
        let hasOrigin = mayHaveOrigin || request.header(.origin) != nil
        let answers = AnswerMaker(
            fields: gateway.fields.block(hasOrigin: hasOrigin), addsNoStore: options.addsNoStore,
            requestID: requestID, note: note(route, requestID: requestID))
        response.send(answers.make(answer))
    }
}

extension RequestView {
    /// All lines of a field as one list; nil without it.
    func joined(_ known: KnownHeader) -> String? {
        var found: String?
        for index in 0..<fieldCount where fieldID(index) == known {
            let value = fieldValue(index).text
            found = found.map { $0 + "," + value } ?? value
        }
        return found
    }
}
