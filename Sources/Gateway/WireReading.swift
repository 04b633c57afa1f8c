internal import Backend
internal import Bytes
internal import Compat
internal import HTTP1

extension WireRequest {
    /// Takes a request out of its connection's buffer: one pass over the fields.
    init(_ request: borrowing RequestView, path: String, prefix: String) {
        let method = request.method == .other ? request.methodName.text : request.method.name.description
        self.init(method: method, path: path, query: request.query.text, body: request.body.array)
        values.read(request, prefix: prefix)
    }
}

extension WireRequest.Values {
    fileprivate mutating func read(_ request: borrowing RequestView, prefix: String) {
        servedPrefix = prefix
        for index in 0..<request.fieldCount {
            switch request.fieldID(index) {
            case .authorization: authorization = authorization ?? request.fieldValue(index).text
            case .xSupabaseApiVersion: apiVersion = apiVersion ?? request.fieldValue(index).text
            case .contentType: contentType = contentType ?? request.fieldValue(index).text
            case .userAgent: userAgent = userAgent ?? request.fieldValue(index).text
            case .xJwtAud: jwtAudience = jwtAudience ?? request.fieldValue(index).text
            case .xForwardedHost: forwardedHost = forwardedHost ?? request.fieldValue(index).text
            case .xForwardedProto: forwardedProto = forwardedProto ?? request.fieldValue(index).text
            case .xClientInfo: clientInfo = clientInfo ?? request.fieldValue(index).text
            case .accept: accept = accept ?? request.fieldValue(index).text
            case .origin: origin = origin ?? request.fieldValue(index).text
            case .referer: referer = referer ?? request.fieldValue(index).text
            case .redirectTo: redirectTo = redirectTo ?? request.fieldValue(index).text
            default: break
            }
        }
    }
}

extension RequestView {
    /// The first value of a field whose name a setting says; nil without it.
    func text(ofField name: String) -> String? {
        let wanted = name.utf8.span
        for index in 0..<fieldCount where Scan.equalsIgnoringCase(fieldName(index), wanted) {
            return fieldValue(index).text
        }
        return nil
    }

    /// The first `apikey` of the query that is not empty, decoded.
    func queryKey() -> [UInt8]? {
        let query = query
        var start = 0
        while start < query.count {
            let end = Scan.first(UInt8(ascii: "&"), in: query, from: start)
            let pair = query.extracting(start..<end)
            if pair.count > 7, Scan.equals(pair.extracting(..<7), "apikey=") {
                return PercentCoding.decode(pair.extracting(7...), as: .queryValue)
            }
            start = end + 1
        }
        return nil
    }

    /// The token of `Authorization: Bearer …`, as bytes in the request.
    @_lifetime(copy self)
    func bearer() -> Span<UInt8>? {
        guard let value = header(.authorization), value.count > 7 else { return nil }
        guard Scan.equalsIgnoringCase(value.extracting(..<7), "bearer ") else { return nil }
        return value.extracting(7...)
    }
}
