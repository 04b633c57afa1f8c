internal import Backend
internal import Bytes
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | GET | `/admin/users?page&per_page&sort&filter` | administrator | 400 `validation_failed` |
/// | POST | `/admin/users` | administrator | 400 `bad_json`, the operation's |
/// | GET | `/admin/users/{id}` | administrator | 404 `validation_failed`, `user_not_found` |
/// | PUT (PATCH) | `/admin/users/{id}` | administrator | the same, 400 `bad_json`, the operation's |
/// | DELETE | `/admin/users/{id}` | administrator | the same, 400 `bad_json` |
///
/// Source: supabase-admin.md 4.
enum AdminUserRoutes {
    private static let schema = BodySchema(
        "AdminUserParams",
        texts: ["id", "aud", "role", "email", "phone", "password", "password_hash", "ban_duration"],
        flags: ["email_confirm", "phone_confirm"], objects: ["user_metadata", "app_metadata"])
    private static let lenientSchema = schema.allowingNumber("ban_duration")
    private static let deletion = BodySchema("adminUserDeleteParams", texts: [], flags: ["should_soft_delete"])

    static func list(_ call: Call) async throws -> WireResponse {
        let principal = try await call.principal(.administrator)
        var query = UserListQuery()
        query.page = call.query["page"]
        query.perPage = call.query["per_page"]
        query.sort = call.query.all("sort")
        query.filter = call.query["filter"]
        query.limit = call.query["limit"]
        query.cursor = call.query["cursor"]
        let page = try await call.backend.adminUsers(query, principal, call.context)
        var response = WireResponse.json(page.wireJSON())
        if let cursor = page.cursor {
            if let next = cursor.next {
                response.headers.append(("Link", PageLinks.next("/admin/users", call.query, cursor: next)))
            }
            return response
        }
        response.headers.append(("X-Total-Count", String(page.total)))
        response.headers.append(("Link", PageLinks(call.query, page).text))
        return response
    }

    static func create(_ call: Call) async throws -> WireResponse {
        let principal = try await call.principal(.administrator)
        let attributes: AdminUserAttributes
        do {
            attributes = try self.attributes(call)
        } catch {
            try await call.backend.confirm(principal, call.context)
            throw error
        }
        return .json(try await call.backend.adminCreateUser(attributes, principal, call.context).wireJSON())
    }

    static func show(_ id: String, _ call: Call) async throws -> WireResponse {
        let (principal, id) = try await caller(id, call)
        return .json(try await call.backend.adminUser(id, principal, call.context).wireJSON())
    }

    static func update(_ id: String, _ call: Call) async throws -> WireResponse {
        let (principal, id) = try await caller(id, call)
        let attributes: AdminUserAttributes
        do {
            attributes = try self.attributes(call)
        } catch {
            try await refuse(error, about: id, principal, call)
        }
        return .json(try await call.backend.adminUpdateUser(id, attributes, principal, call.context).wireJSON())
    }

    static func delete(_ id: String, _ call: Call) async throws -> WireResponse {
        let (principal, id) = try await caller(id, call)
        var isSoft = false
        if !call.request.body.isEmpty {
            do {
                isSoft = try call.body(deletion).flag("should_soft_delete")
            } catch {
                try await refuse(error, about: id, principal, call)
            }
        }
        try await call.backend.adminDeleteUser(id, softly: isSoft, principal, call.context)
        return .json(Array("{}".utf8))
    }

    /// The caller, and the user that the path names.
    static func caller(_ id: String, _ call: Call) async throws -> (Principal, UserID) {
        let principal = try await call.principal(.administrator)
        guard let id = PathUUID.read(id) else {
            try await call.backend.confirm(principal, call.context)
            throw ErrorAnswer.validation("user_id must be an UUID", status: 404)
        }
        return (principal, UserID(id))
    }

    /// That a user is unknown is told before a fault of the body.
    static func refuse(
        _ fault: ErrorAnswer, about id: UserID, _ principal: Principal, _ call: Call
    ) async throws -> Never {
        _ = try await call.backend.adminUser(id, principal, call.context)
        throw fault
    }

    private static func attributes(_ call: Call) throws(ErrorAnswer) -> AdminUserAttributes {
        let body = try call.body(call.options.acceptsNumericDurations ? lenientSchema : schema)
        var attributes = AdminUserAttributes()
        attributes.id = body.filled("id")
        attributes.audience = body.filled("aud")
        attributes.role = body.filled("role")
        attributes.email = body.filled("email")
        attributes.phone = body.filled("phone")
        attributes.password = body.text("password").map { Password($0) }
        attributes.passwordHash = body.filled("password_hash")
        attributes.confirmsEmail = body.flag("email_confirm")
        attributes.confirmsPhone = body.flag("phone_confirm")
        attributes.userMetadata = body.object("user_metadata")
        attributes.appMetadata = body.object("app_metadata")
        attributes.banDuration = body.filled("ban_duration")
        return attributes
    }
}

/// A UUID in a path, in any of the forms that the reference reads. Source: supabase-admin.md 4.
enum PathUUID {
    /// Canonical, 32 digits, either of them in braces or behind `urn:uuid:`; letters in either case.
    static func read(_ segment: String) -> UUID? {
        var text = PercentCoding.decode(segment, as: .pathSegment) ?? segment
        if text.hasPrefix("urn:uuid:") {
            text.removeFirst(9)
        } else if text.hasPrefix("{"), text.hasSuffix("}"), text.utf8.count > 2 {
            text = String(text.dropFirst().dropLast())
        }
        if let uuid = UUID(text) { return uuid }
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return nil }
        var dashed: [UInt8] = []
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { dashed.append(UInt8(ascii: "-")) }
            dashed.append(digit)
        }
        return UUID(text: dashed.span)
    }
}

/// The header `Link` of a page: the request's own query, keys sorted, `page` replaced. Source: supabase-admin.md 4.1.
struct PageLinks {
    let text: String

    init(_ query: FormFields, _ page: UserPage) {
        self.init(path: "/admin/users", query: query, total: page.total, page: page.page, perPage: page.perPage)
    }

    init(path: String, query: FormFields, total: Int, page: Int, perPage: Int) {
        let perPage = max(perPage, 1)
        let last = total / perPage + (total % perPage > 0 ? 1 : 0)
        // A page 0 in the query counts as the first one, but the next of it is 1 in the reference.
        let current = query["page"].flatMap { Int($0) } ?? page
        func link(_ number: Int, _ relation: String) -> String {
            Self.link(path, query, "page", String(number), relation)
        }
        var links: [String] = []
        if current < last { links.append(link(max(current, 0) + 1, "next")) }
        links.append(link(last, "last"))
        text = links.joined(separator: ", ")
    }

    /// The link of a list that is walked by cursors; the last page has none.
    static func next(_ path: String, _ query: FormFields, cursor: String) -> String {
        link(path, query, "cursor", cursor, "next")
    }

    /// The request's own query with one field replaced, its keys sorted.
    private static func link(
        _ path: String, _ query: FormFields, _ name: String, _ value: String, _ relation: String
    ) -> String {
        var fields = query.fields.filter { $0.name != name }
        fields.append(FormFields.Field(name: name, value: value))
        let places = fields.enumerated().sorted {
            $0.element.name == $1.element.name
                ? $0.offset < $1.offset : $0.element.name.utf8.lexicographicallyPrecedes($1.element.name.utf8)
        }
        return "<\(path)?\(FormFields(places.map(\.element)).encoded)>; rel=\"\(relation)\""
    }
}
