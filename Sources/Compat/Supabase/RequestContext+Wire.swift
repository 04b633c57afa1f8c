internal import Backend
internal import Bytes

extension RequestContext {
    /// What of a request the rules may need. Source: supabase-core.md 1.8, 5, 9.3.
    init(_ request: WireRequest, query: FormFields) {
        self.init(requestID: request.requestID)
        bearer = Self.bearer(request.authorization)
        // A key for everybody is nobody: where a user is wanted, the missing bearer is told (clients.md 2).
        self.keyRole = request.keyRole == .service ? .service : .none
        self.requestedAudience = Self.text(request.jwtAudience)
        self.clientAddress = request.clientAddress
        self.userAgent = request.userAgent
        self.redirect = RedirectCandidates(
            explicit: Self.text(request.redirectTo) ?? Self.text(query["redirect_to"]) ?? Self.formTarget(request),
            referrer: Self.text(request.referer))
        self.forwardedHost = Self.text(request.forwardedHost)
        self.forwardedProto = Self.text(request.forwardedProto)
    }

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
        let start = authorization.utf8.index(authorization.utf8.startIndex, offsetBy: schemeLength)
        return RawToken(String(authorization[start...]))
    }

    /// `Bearer` and one blank.
    private static let schemeLength = 7

    private static func text(_ value: String?) -> String? {
        guard let value, !value.isEmpty else { return nil }
        return value
    }

    private static func formTarget(_ request: WireRequest) -> String? {
        let body = request.body
        guard BodyReader.isForm(request.contentType), let form = FormFields(parsing: body.span) else { return nil }
        return text(form["redirect_to"])
    }
}
