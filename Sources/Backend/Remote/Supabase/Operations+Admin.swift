public import Backend
internal import Bytes
internal import HTTP1
internal import HTTPClient
internal import JSON

/// Administration as calls. Source: supabase-admin.md 4–8.
extension RemoteBackend {
    /// `POST /admin/users`. Source: supabase-admin.md 4.2.
    public func adminCreateUser(
        _ attributes: AdminUserAttributes, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        let request = acting(.post, "/admin/users", context, principal, body: Self.body(attributes))
        return try user(try json(try await call(request)))
    }

    /// `GET /admin/users/{id}`. Source: supabase-admin.md 4.3.
    public func adminUser(
        _ id: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        try user(try json(try await call(reading("/admin/users/\(id)", context, principal))))
    }

    /// `GET /admin/users`, page by page or by cursor. Source: supabase-admin.md 4.1.
    public func adminUsers(
        _ query: UserListQuery, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> UserPage {
        var fields = FormFields()
        if let page = query.page { fields.append("page", page) }
        if let perPage = query.perPage { fields.append("per_page", perPage) }
        for sort in query.sort { fields.append("sort", sort) }
        if let filter = query.filter { fields.append("filter", filter) }
        if let limit = query.limit { fields.append("limit", limit) }
        if let cursor = query.cursor { fields.append("cursor", cursor) }
        let answer = try await call(reading(target("/admin/users", fields), context, principal))
        let value = try json(answer)
        guard let list = value["users"]?.array else { throw unusable("list of users") }
        let users = list.compactMap { UserReading.user($0) }
        guard users.count == list.count else { throw unusable("list of users") }
        let cursor = value["pagination"]?.object.map { UserPage.Cursor(next: $0["next_cursor"]?.string) }
        return UserPage(
            users: users, audience: value["aud"]?.string ?? "",
            total: Self.total(answer) ?? users.count, page: Self.number(query.page, 1),
            perPage: Self.number(query.perPage, 50), cursor: cursor)
    }

    /// `PUT /admin/users/{id}`. Source: supabase-admin.md 4.4.
    public func adminUpdateUser(
        _ id: UserID, _ attributes: AdminUserAttributes, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        let request = acting(.put, "/admin/users/\(id)", context, principal, body: Self.body(attributes))
        return try user(try json(try await call(request)))
    }

    /// `DELETE /admin/users/{id}`. Source: supabase-admin.md 4.5.
    public func adminDeleteUser(
        _ id: UserID, softly: Bool, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) {
        let body: JSONObject? = softly ? ["should_soft_delete": true] : nil
        _ = try await call(acting(.delete, "/admin/users/\(id)", context, principal, body: body))
    }

    /// `GET /admin/users/{id}/factors`. Source: supabase-admin.md 5.
    public func adminFactors(
        _ user: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> [Factor] {
        let answer = try await call(reading("/admin/users/\(user)/factors", context, principal))
        guard let list = try json(answer).array else { throw unusable("list of factors") }
        let factors = list.compactMap { UserReading.factor($0) }
        guard factors.count == list.count else { throw unusable("list of factors") }
        return factors
    }

    /// `PUT /admin/users/{id}/factors/{id}`. Source: supabase-admin.md 5.
    public func adminUpdateFactor(
        _ factor: FactorID, of user: UserID, _ attributes: AdminFactorAttributes, _ principal: Principal,
        _ context: RequestContext
    ) async throws(AuthError) -> Factor {
        var body = JSONObject()
        body.set("friendly_name", attributes.friendlyName)
        body.set("phone", attributes.phone)
        let request = acting(.put, "/admin/users/\(user)/factors/\(factor)", context, principal, body: body)
        return try self.factor(try await call(request))
    }

    /// `DELETE /admin/users/{id}/factors/{id}`. Source: supabase-admin.md 5.
    public func adminDeleteFactor(
        _ factor: FactorID, of user: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> Factor {
        let request = acting(.delete, "/admin/users/\(user)/factors/\(factor)", context, principal, body: nil)
        return try self.factor(try await call(request))
    }

    private func factor(_ answer: ClientResponse) throws(AuthError) -> Factor {
        guard let factor = UserReading.factor(try json(answer)) else { throw unusable("factor") }
        return factor
    }

    /// `POST /invite`. Source: supabase-admin.md 6.
    public func invite(
        _ invitation: Invitation, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        var body = JSONObject()
        body.set("email", invitation.email)
        body.set("data", invitation.userMetadata)
        let request = acting(.post, target("/invite", redirectQuery(context)), context, principal, body: body)
        return try user(try json(try await call(request)))
    }

    /// `POST /admin/generate_link`. Source: supabase-admin.md 7.
    public func generateLink(
        _ request: LinkRequest, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> GeneratedLink {
        var body: JSONObject = ["type": .string(request.type)]
        body.set("email", request.email)
        body.set("new_email", request.newEmail)
        body.set("password", request.password)
        body.set("data", request.userMetadata)
        body.set("redirect_to", request.redirectTo)
        let path = target("/admin/generate_link", redirectQuery(context))
        let value = try json(try await call(acting(.post, path, context, principal, body: body)))
        guard let user = UserReading.user(value, besides: UserReading.linkMembers),
            let link = value["action_link"]?.string
        else { throw unusable("link") }
        return GeneratedLink(
            user: user, actionLink: RawToken(link), code: OneTimeCode(value["email_otp"]?.string ?? ""),
            tokenHash: RawToken(value["hashed_token"]?.string ?? ""),
            verificationType: value["verification_type"]?.string ?? "",
            redirectTo: value["redirect_to"]?.string ?? "")
    }

    /// `GET /admin/audit`. Source: supabase-admin.md 8.
    public func auditLog(
        _ query: AuditQuery, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> AuditPage {
        var fields = FormFields()
        if let page = query.page { fields.append("page", page) }
        if let perPage = query.perPage { fields.append("per_page", perPage) }
        if let text = query.query { fields.append("query", text) }
        let answer = try await call(reading(target("/admin/audit", fields), context, principal))
        guard let list = try json(answer).array else { throw unusable("audit log") }
        let entries = list.compactMap { entry in
            entry["id"]?.string.flatMap { UUID($0) }.map {
                AuditEntry(
                    id: $0, payload: entry["payload"].map { JSONText($0) } ?? .null,
                    createdAt: UserReading.time(entry["created_at"]) ?? .epoch,
                    ipAddress: entry["ip_address"]?.string ?? "")
            }
        }
        return AuditPage(
            entries: entries, total: Self.total(answer) ?? entries.count, page: Self.number(query.page, 1),
            perPage: Self.number(query.perPage, 50))
    }

    // MARK: Small parts

    private static func body(_ attributes: AdminUserAttributes) -> JSONObject {
        var body = JSONObject()
        body.set("id", attributes.id)
        body.set("aud", attributes.audience)
        body.set("role", attributes.role)
        body.set("email", attributes.email)
        body.set("phone", attributes.phone)
        body.set("password", attributes.password)
        body.set("password_hash", attributes.passwordHash)
        if attributes.confirmsEmail { body["email_confirm"] = true }
        if attributes.confirmsPhone { body["phone_confirm"] = true }
        body.set("user_metadata", attributes.userMetadata)
        body.set("app_metadata", attributes.appMetadata)
        body.set("ban_duration", attributes.banDuration)
        return body
    }

    private static func total(_ answer: ClientResponse) -> Int? {
        answer["x-total-count"].flatMap { Int($0) }
    }

    /// The server took the number, so it is one.
    private static func number(_ text: String?, _ otherwise: Int) -> Int {
        text.flatMap { Int($0) } ?? otherwise
    }
}
