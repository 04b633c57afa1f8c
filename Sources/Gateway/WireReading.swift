internal import Backend
internal import Bytes
internal import Compat
internal import HTTP1

extension WireRequest {
    /// Takes a request out of its connection's buffer: one pass over the fields.
    init(_ request: borrowing RequestView, path: String, prefix: String) {
        let method = request.method == .other ? request.methodName.text : "\(request.method.name)"
        self.init(method: method, path: path, query: request.query.text, body: request.body.array)
        self.servedPrefix = prefix
        for index in 0..<request.fieldCount {
            switch request.fieldID(index) {
            case .authorization: self.authorization = self.authorization ?? request.fieldValue(index).text
            case .xSupabaseApiVersion: self.apiVersion = self.apiVersion ?? request.fieldValue(index).text
            case .contentType: self.contentType = self.contentType ?? request.fieldValue(index).text
            case .userAgent: self.userAgent = self.userAgent ?? request.fieldValue(index).text
            case .xJwtAud: self.jwtAudience = self.jwtAudience ?? request.fieldValue(index).text
            case .xForwardedHost: self.forwardedHost = self.forwardedHost ?? request.fieldValue(index).text
            case .xForwardedProto: self.forwardedProto = self.forwardedProto ?? request.fieldValue(index).text
            case .xClientInfo: self.clientInfo = self.clientInfo ?? request.fieldValue(index).text
            case .accept: self.accept = self.accept ?? request.fieldValue(index).text
            case .origin: self.origin = self.origin ?? request.fieldValue(index).text
            case .referer: self.referer = self.referer ?? request.fieldValue(index).text
            case .redirectTo: self.redirectTo = self.redirectTo ?? request.fieldValue(index).text
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
