import Backend
import Bytes
import JSON
import Store

/// The page of a user list that was asked for, judged. Source: supabase-admin.md 4.1, deviations.md.
struct UserListPaging: Equatable {
    static let perPageDefault = 50
    /// Users that one answer holds at most; the reference has no bound.
    static let perPageMax = 10_000

    /// As asked: 0 shows the first page too, but is told as 0 (the links of the reference count from it).
    let page: Int
    let perPage: Int
    let isAscending: Bool

    /// - Throws: `sortMalformed`, `paginationMalformed`.
    init(_ query: UserListQuery) throws(AuthError) {
        isAscending = try Self.isAscending(query.sort)
        page = try Self.number(query.page, default: 1)
        let asked = try Self.number(query.perPage, default: Self.perPageDefault)
        guard asked > 0 else { throw AuthError(.paginationMalformed, "per_page must be greater than 0") }
        perPage = min(asked, Self.perPageMax)
    }

    /// Rows before the page; saturates.
    var offset: Int {
        let product = (max(page, 1) - 1).multipliedReportingOverflow(by: perPage)
        return product.overflow ? .max : product.partialValue
    }

    /// Each field is judged; the first one counts. A field without a direction sorts newest first.
    fileprivate static func isAscending(_ sort: [String]) throws(AuthError) -> Bool {
        var result = false
        for (index, field) in sort.enumerated() {
            let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.first == "created_at" else {
                throw AuthError(.sortMalformed, "bad field for sort '\(parts.first ?? "")'")
            }
            var isAscending = false
            if parts.count == 2 {
                switch parts[1].lowercased() {
                case "asc": isAscending = true
                case "desc": isAscending = false
                default:
                    throw AuthError(
                        .sortMalformed,
                        "bad direction for sort '\(parts[1])', only 'asc' and 'desc' allowed")
                }
            }
            if index == 0 { result = isAscending }
        }
        return result
    }

    /// An unsigned decimal number; what does not fit is told as Go tells it.
    fileprivate static func number(_ text: String?, default fallback: Int) throws(AuthError) -> Int {
        guard let text, !text.isEmpty else { return fallback }
        let shown = String(text.prefix(64))
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw AuthError(.paginationMalformed, "strconv.ParseUint: parsing \"\(shown)\": invalid syntax")
        }
        guard let value = UInt64(text) else {
            throw AuthError(.paginationMalformed, "strconv.ParseUint: parsing \"\(shown)\": value out of range")
        }
        return Int(clamping: value)
    }
}

/// A list of users that is walked by cursors. Source: supabase-admin.md 4.1 "Cursor mode".
struct UserListCursor: Equatable {
    static let limitDefault = 50
    static let limitMax = 1000
    /// Characters of the longest cursor that is read.
    static let textMax = 1024

    let limit: Int
    let isAscending: Bool
    let place: UserQuery.Place

    /// Numbered pages count more where they are asked for.
    static func isAsked(_ query: UserListQuery) -> Bool {
        (query.page ?? "").isEmpty && (query.perPage ?? "").isEmpty
    }

    /// - Throws: `sortMalformed`, `paginationMalformed`.
    init(_ query: UserListQuery) throws(AuthError) {
        isAscending = try UserListPaging.isAscending(query.sort)
        let asked = try UserListPaging.number(query.limit, default: Self.limitDefault)
        guard asked > 0 else { throw AuthError(.paginationMalformed, "limit must be greater than 0") }
        limit = min(asked, Self.limitMax)
        place = try Self.place(query.cursor)
    }

    /// The cursor of what follows a user: its place in the list, opaque to clients.
    static func text(after user: UserRow) -> String {
        var json = JSONWriter(capacity: 96)
        json.beginObject()
        json.field("created_at", user.createdAt)
        json.field("id", user.id.uuid)
        json.endObject()
        return Base64.encodeURL(json.bytes)
    }

    private static func place(_ cursor: String?) throws(AuthError) -> UserQuery.Place {
        guard let cursor, !cursor.isEmpty else { return .start }
        guard cursor.utf8.count <= textMax, let bytes = Base64.decode(cursor, .url, padding: .forbidden) else {
            let foreign = cursor.utf8.span.indices.first { !Base64.isURLCharacter(cursor.utf8.span[$0]) }
            throw AuthError(
                .paginationMalformed,
                "invalid cursor encoding: illegal base64 data at input byte \(foreign ?? cursor.utf8.count)")
        }
        guard let object = (try? JSONValue.parse(bytes))?.object else {
            throw AuthError(.paginationMalformed, "invalid cursor: not an object")
        }
        guard let id = object["id"]?.string.flatMap({ UserID($0) }), id.uuid != .zero else {
            throw AuthError(.paginationMalformed, "invalid cursor: missing id")
        }
        guard let createdAt = object["created_at"]?.string.flatMap({ Timestamp(rfc3339: $0) }) else {
            throw AuthError(.paginationMalformed, "invalid cursor: missing created_at")
        }
        return .user(createdAt: createdAt, id: id)
    }
}
