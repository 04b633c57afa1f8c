internal import Backend
internal import Bytes

extension RequestContext {
    /// What of a request the rules may need. Source: supabase-core.md 1.8, 5, 9.3.
    init(_ request: WireRequest, query: FormFields) {
        self.init(requestID: request.requestID)
        values.read(request, query)
    }

    /// `Bearer` and one blank.
    private static let schemeLength = 7

    /// The token of `(?i)^bearer (\S+)$`; nil for anything else, and for a new-style key, which is no JWT:
    /// its caller is who the API key says (gateway.md 4).
    static func bearer(_ authorization: String?) -> RawToken? {
        guard let authorization else { return nil }
        let bytes = authorization.utf8.span
        guard bytes.count > schemeLength, Scan.equalsIgnoringCase(bytes.extracting(0..<schemeLength), "bearer ") else {
            return nil
        }
        let token = bytes.extracting(schemeLength...)
        guard Scan.firstControl(in: token, from: 0) == token.count, Scan.first(0x20, in: token, from: 0) == token.count
        else { return nil }
        if token.count > 3, Scan.equals(token.extracting(0..<3), "sb_") { return nil }
        guard let text = try? UTF8Span(validating: token) else { return nil }
        return RawToken(String(copying: text))
    }

    fileprivate static func text(_ value: String?) -> String? {
        guard let value, !value.isEmpty else { return nil }
        return value
    }

    fileprivate static func formTarget(_ request: WireRequest) -> String? {
        let body = request.body
        guard BodyReader.isForm(request.contentType), let form = FormFields(parsing: body.span) else { return nil }
        return text(form["redirect_to"])
    }
}

extension RequestContext.Values {
    fileprivate mutating func read(_ request: WireRequest, _ query: FormFields) {
        bearer = RequestContext.bearer(request.authorization)
        // A key for everybody is nobody: where a user is wanted, the missing bearer is told (clients.md 2).
        keyRole = request.keyRole == .service ? .service : .none
        requestedAudience = RequestContext.text(request.jwtAudience)
        clientAddress = request.clientAddress
        userAgent = request.userAgent
        let explicit = RequestContext.text(request.redirectTo) ?? RequestContext.text(query["redirect_to"])
        redirect = RedirectCandidates(
            explicit: explicit ?? RequestContext.formTarget(request), referrer: RequestContext.text(request.referer))
        forwardedHost = RequestContext.text(request.forwardedHost)
        forwardedProto = RequestContext.text(request.forwardedProto)
    }
}
