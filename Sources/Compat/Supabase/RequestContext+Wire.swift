internal import Backend
internal import Bytes

extension RequestContext {
    /// What of a request the rules may need. Source: supabase-core.md 1.8, 5, 9.3.
    init(_ request: WireRequest, query: FormFields) {
        self.init(requestID: request.requestID)
        bearer = Self.bearer(request.authorization)
        keyRole = request.keyRole
        requestedAudience = Self.text(request.jwtAudience)
        clientAddress = request.clientAddress
        userAgent = request.userAgent
        redirect = RedirectCandidates(
            explicit: Self.text(request.redirectTo) ?? Self.text(query["redirect_to"]) ?? Self.formTarget(request),
            referrer: Self.text(request.referer))
        forwardedHost = Self.text(request.forwardedHost)
        forwardedProto = Self.text(request.forwardedProto)
    }

    /// The token of `(?i)^bearer (\S+)$`; nil for anything else, and for a new-style key, which is no JWT:
    /// its caller is who the API key says (gateway.md 4).
    static func bearer(_ authorization: String?) -> RawToken? {
        guard let authorization else { return nil }
        let bytes = authorization.utf8
        guard bytes.count > scheme.count else { return nil }
        let token = bytes.dropFirst(scheme.count)
        guard zip(bytes, scheme).allSatisfy({ lower($0) == $1 }), !token.contains(where: isBlank) else { return nil }
        guard let text = String(token), !text.hasPrefix("sb_") else { return nil }
        return RawToken(text)
    }

    private static let scheme = Array("bearer ".utf8)

    private static func lower(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func text(_ value: String?) -> String? {
        guard let value, !value.isEmpty else { return nil }
        return value
    }

    private static func formTarget(_ request: WireRequest) -> String? {
        guard BodyReader.isForm(request.contentType), let form = FormFields(parsing: request.body.span) else {
            return nil
        }
        return text(form["redirect_to"])
    }
}
