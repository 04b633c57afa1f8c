internal import Bytes
internal import JSON

/// Reads a request's body as the reference's decoder does: JSON whatever the content type says, names in any letter
/// case, unknown members passed over, no coercion. Source: supabase-core.md 1.2, deviations.md ("Friendlier").
enum BodyReader {
    /// - Throws: 413 `request_entity_too_large`, or 400 `bad_json` in Go's words.
    static func read(_ request: WireRequest, _ schema: BodySchema, limit: Int) throws(ErrorAnswer) -> BodyFields {
        switch try value(request, limit: limit) {
        case .null: return BodyFields()
        case .object(let object): return try fields(object, schema)
        case let other:
            throw .badJSON("json: cannot unmarshal \(other.typeName) into Go value of type api.\(schema.goType)")
        }
    }

    /// Whether the content type is a form's.
    static func isForm(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let type = contentType.utf8.span
        var end = Scan.first(UInt8(ascii: ";"), in: type, from: 0)
        var start = 0
        while start < end, isBlank(type[start]) { start += 1 }
        while end > start, isBlank(type[end - 1]) { end -= 1 }
        return Scan.equalsIgnoringCase(type.extracting(start..<end), "application/x-www-form-urlencoded")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func value(_ request: WireRequest, limit: Int) throws(ErrorAnswer) -> JSONValue {
        guard request.body.count <= limit else { throw WireFault.bodyTooLarge(limit: limit).answer }
        do {
            return try JSONValue.parse(request.body, limits: JSONLimits(bytes: limit))
        } catch {
            // A form's own fields are not read: to the decoder the body is empty.
            if isForm(request.contentType), !looksLikeJSON(request.body) {
                throw .badJSON(JSONError(.unexpectedEnd, at: 0).description)
            }
            throw .badJSON(error.description)
        }
    }

    private static func looksLikeJSON(_ body: [UInt8]) -> Bool {
        let first = body.first { $0 > 0x20 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    private static func fields(_ object: JSONObject, _ schema: BodySchema) throws(ErrorAnswer) -> BodyFields {
        var fields = BodyFields()
        for member in object.members {
            guard !member.value.isNull, let place = schema.place(of: member.key) else { continue }
            let field = schema.fields[place]
            try check(member.value, field, schema)
            fields.set(field.name, member.value)
        }
        return fields
    }

    private static func check(
        _ value: JSONValue, _ field: BodySchema.Field, _ schema: BodySchema
    ) throws(ErrorAnswer) {
        func target() -> String { "Go struct field \(schema.goType).\(field.name)" }
        switch (field.kind, value) {
        case (.text, .string), (.flag, .bool), (.textOrNumber, .string): return
        case (.textOrNumber, .number(let number)) where number.int64 != nil: return
        case (.object, .object):
            guard let number = firstUnbounded(value) else { return }
            let literal = number.literal.prefix(64)
            throw .badJSON("json: cannot unmarshal number \(literal) into \(target()) of type float64")
        default:
            throw .badJSON("json: cannot unmarshal \(value.typeName) into \(target()) of type \(field.kind.goName)")
        }
    }

    /// The first number that is beyond a double's range, which no client could read back.
    private static func firstUnbounded(_ value: JSONValue) -> JSONNumber? {
        switch value {
        case .null, .bool, .string: return nil
        case .number(let number):
            let mayExceed = number.literal.utf8.count > 300 || number.literal.utf8.contains { $0 | 0x20 == 0x65 }
            return mayExceed && number.double == nil ? number : nil
        case .array(let elements):
            for element in elements {
                if let number = firstUnbounded(element) { return number }
            }
            return nil
        case .object(let object):
            for member in object.members {
                if let number = firstUnbounded(member.value) { return number }
            }
            return nil
        }
    }
}
