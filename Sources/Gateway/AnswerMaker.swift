internal import Bytes
internal import Compat
internal import HTTP1
internal import JSON

/// Turns Compat's answers into what the engine sends: CORS, cache rule and the request's id are added.
struct AnswerMaker: Sendable {
    let fields: HeaderBlock?
    let addsNoStore: Bool
    let requestID: String
    let note: ExchangeNote

    func make(_ answer: WireResponse) -> HTTPResponse {
        var lines: [HTTPField] = []
        lines.reserveCapacity(answer.headers.count + 2)
        var hasCacheRule = false
        for (name, value) in answer.headers {
            if name == "Cache-Control" { hasCacheRule = true }
            lines.append(HTTPField(name, value))
        }
        if addsNoStore, !hasCacheRule { lines.append(HTTPField("Cache-Control", "no-store")) }
        if !requestID.isEmpty { lines.append(HTTPField("X-Request-Id", requestID)) }
        var response = HTTPResponse(HTTPStatus(answer.status), block: fields, fields: lines, body: answer.body)
        response.note = answer.fault.map { note.with(fault: $0) } ?? note
        return response
    }
}

/// Ids of requests: UUIDs of version 4 from a generator of the loop's own. They name, they guard nothing.
struct RequestIDs {
    private var state: UInt64

    init(_ random: some RandomSource) {
        state = random.fill(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// SplitMix64.
    private mutating func word() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func next() -> UUID {
        let high = word() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = word() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UUID(high: high, low: low)
    }
}

/// The answer to a head or body that is no HTTP. Source: reliability-security.md A.1.
enum BadRequestBody {
    static func make(_ failure: HTTPFailure, apiVersion: String?, _ api: SupabaseAPI) -> [UInt8] {
        let isNew =
            api.failure(.unexpected, apiVersion: apiVersion, requestID: "").header("X-Supabase-Api-Version") != nil
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        if isNew {
            writer.field("code", "bad_request")
            writer.field("message", "\(failure.reason)")
        } else {
            writer.field("code", Int(failure.status.code))
            writer.field("error_code", "bad_request")
            writer.field("msg", "\(failure.reason)")
        }
        writer.endObject()
        return writer.bytes
    }
}

/// The answers of `/healthz`, `/readyz` and `/metrics`.
enum OperationsAnswers {
    private static let noStore = HTTPField("Cache-Control", "no-store")
    private static let json = HTTPField("Content-Type", "application/json")

    static func healthz(_ note: ExchangeNote) -> HTTPResponse {
        var response = HTTPResponse(.ok, fields: [json, noStore], body: Array("{\"status\":\"ok\"}".utf8))
        response.note = note
        return response
    }

    static func readyz(fault: String?, _ note: ExchangeNote) -> HTTPResponse {
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.field("status", fault == nil ? "ready" : "not ready")
        if let fault { writer.field("reason", fault) }
        writer.endObject()
        let status: HTTPStatus = fault == nil ? .ok : .serviceUnavailable
        var fields = [json, noStore]
        if fault != nil { fields.append(HTTPField("Retry-After", "1")) }
        var response = HTTPResponse(status, fields: fields, body: writer.bytes)
        response.note = note
        return response
    }

    static func metrics(_ text: String, _ note: ExchangeNote) -> HTTPResponse {
        let type = HTTPField("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        var response = HTTPResponse(.ok, fields: [type, noStore], body: Array(text.utf8))
        response.note = note
        return response
    }
}
