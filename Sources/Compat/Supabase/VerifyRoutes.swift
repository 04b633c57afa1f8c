internal import Backend
internal import Bytes
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | GET | `/verify?token&type&redirect_to` | none, no API key | 303 with the error; 400 without type or token; 429 |
/// | POST | `/verify` | none, no API key | 400 `bad_json`, 429, the operation's |
///
/// The limit is taken first, for both methods together. `HEAD` opens no link (FR-49).
/// Source: supabase-core.md 10.7, 10.8.
enum VerifyRoutes {
    private static let schema = BodySchema(
        "VerifyParams", texts: ["type", "token", "code", "token_hash", "email", "phone", "redirect_to"])

    private static let halfwayMessage =
        "Confirmation link accepted. Please proceed to confirm link sent to the other email"

    static func verify(_ call: Call) async throws -> WireResponse {
        try call.take(.verify)
        let body = try call.body(schema)
        var verification = Verification(type: body.text("type") ?? "")
        if let code = try body.text("token", alias: "code"), !code.isEmpty { verification.code = OneTimeCode(code) }
        verification.tokenHash = body.filled("token_hash").map { RawToken($0) }
        verification.email = body.filled("email")
        verification.phone = body.filled("phone")
        verification.redirectTo = body.filled("redirect_to")
        switch try await call.backend.verify(verification, call.context) {
        case .signedIn(let session): return session.wireResponse()
        case .otherHalfAwaited:
            var writer = JSONWriter()
            writer.beginObject()
            // A text, not a number: as the reference has it, and clients read it so.
            writer.field("code", "200")
            writer.field("msg", halfwayMessage)
            writer.endObject()
            return .json(writer.bytes)
        }
    }

    static func openLink(_ call: Call) async throws -> WireResponse {
        try call.take(.verify)
        let link = LinkVerification(type: call.query["type"] ?? "", token: RawToken(call.query["token"] ?? ""))
        let outcome = try await call.backend.openLink(link, call.context)
        return WireResponse(status: 303, headers: [("Location", location(outcome, call.options))])
    }

    static func location(_ outcome: LinkOutcome, _ options: CompatOptions) -> String {
        var location = RedirectLocation(outcome.target)
        switch outcome.result {
        case .signedIn(let session, let type):
            location.setFragment(session.redirectFields(type: type))
        case .code(let code):
            location.setQuery(FormFields([FormFields.Field(name: "code", value: code.exposed)]))
        case .otherHalfAwaited(let isPKCE):
            add(FormFields([FormFields.Field(name: "message", value: halfwayMessage)]), isPKCE, to: &location)
        case .failed(let error, let isPKCE):
            add(fields(ErrorTable.answer(for: error, options)), isPKCE, to: &location)
        case .location(let text):
            return RedirectLocation(text).text
        }
        return location.text
    }

    /// Into the fragment, with `sb`; in a PKCE flow into the query too.
    private static func add(_ fields: FormFields, _ isPKCE: Bool, to location: inout RedirectLocation) {
        if isPKCE { location.setQuery(fields) }
        var fields = fields
        fields.append("sb", "")
        location.setFragment(fields)
    }

    private static func fields(_ answer: ErrorAnswer) -> FormFields {
        var fields = FormFields()
        if let word = answer.redirectWord { fields.append("error", word) }
        fields.append("error_code", answer.shownCode)
        fields.append("error_description", answer.message)
        return fields
    }
}
