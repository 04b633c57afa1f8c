public import Backend
import Bytes
import JSON
import Store

extension InProcessBackend {
    /// One account, with identities and factors; also a softly deleted one. Source: supabase-admin.md 4.3.
    /// - Throws: `userNotFound`.
    public func adminUser(
        _ id: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        let rows = try await read { try await $0.account(id, session: nil) }
        guard let rows else { throw AuthError(.userNotFound) }
        return User(rows)
    }

    /// A page of accounts without identities and factors. Source: supabase-admin.md 4.1.
    /// - Throws: `sortMalformed`, `paginationMalformed`.
    public func adminUsers(
        _ query: UserListQuery, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> UserPage {
        let audience = try audience(context, principal)
        if policy.pagesByCursor, UserListCursor.isAsked(query) {
            return try await adminUsers(UserListCursor(query), query, audience)
        }
        let paging = try UserListPaging(query)
        let filter = query.filter.flatMap { $0.isEmpty ? nil : $0 }
        let question = UserQuery(
            audience: audience, filter: filter, isAscending: paging.isAscending, offset: paging.offset,
            limit: paging.perPage)
        let (rows, total) = try await read { try await $0.users(question) }
        return UserPage(
            users: rows.map { User(row: $0, identities: nil, factors: []) }, audience: audience, total: total,
            page: paging.page, perPage: paging.perPage)
    }

    private func adminUsers(
        _ cursor: UserListCursor, _ query: UserListQuery, _ audience: String
    ) async throws(AuthError) -> UserPage {
        var question = UserQuery(
            audience: audience, filter: query.filter.flatMap { $0.isEmpty ? nil : $0 },
            isAscending: cursor.isAscending, offset: 0, limit: cursor.limit + 1)
        question.after = cursor.place
        let rows = try await read { [question] in try await $0.users(question).rows }
        let shown = rows.prefix(cursor.limit)
        var next: String?
        if rows.count > shown.count, let last = shown.last { next = UserListCursor.text(after: last) }
        return UserPage(
            users: shown.map { User(row: $0, identities: nil, factors: []) }, audience: audience, total: 0, page: 0,
            perPage: cursor.limit, cursor: UserPage.Cursor(next: next))
    }

    /// Deletes an account, or empties it. Source: supabase-admin.md 4.5, FR-42.
    ///
    /// - Parameter softly: the row stays, without anything that tells who it was; a repeat changes nothing.
    /// - Throws: `userNotFound`.
    public func adminDeleteUser(
        _ id: UserID, softly: Bool, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) {
        let actor = adminActor(principal)
        try await transaction { tx in
            try await tx.lock(user: id)
            guard var user = try await tx.user(id) else { throw AuthError(.userNotFound) }
            let now = self.clock.now()
            try await self.audit(.deleted, by: actor, Self.traits(of: user), at: now, in: tx)
            guard softly else {
                try await tx.delete(user: id)
                return
            }
            guard user.deletedAt == nil else { return }
            let columns = SoftDeletion.apply(to: &user, at: now)
            try await tx.update(user, columns)
            for var identity in try await tx.identities(of: id) {
                SoftDeletion.apply(to: &identity, at: now)
                try await tx.update(identity)
            }
            try await tx.deleteOneTimeTokens(of: id)
            try await tx.deleteSessions(of: id, except: nil)
            try await tx.deleteFactors(of: id)
        }
    }

    /// Administrators act as their role, not as an account. Source: supabase-admin.md 2.
    func adminActor(_ principal: Principal) -> AuditActor { AuditActor(administrator: principal.role) }

    static func traits(of user: UserRow) -> [(name: StaticString, value: String)] {
        [("user_email", user.email ?? ""), ("user_id", user.id.description), ("user_phone", user.phone ?? "")]
    }
}
