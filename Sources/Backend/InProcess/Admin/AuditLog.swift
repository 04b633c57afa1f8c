public import Backend
import Store

extension InProcessBackend {
    /// A page of the audit log, newest first. Source: supabase-admin.md 8.1.
    ///
    /// - Throws: `paginationMalformed`, `auditQueryInvalid`.
    public func auditLog(
        _ query: AuditQuery, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> AuditPage {
        var list = UserListQuery()
        list.page = query.page
        list.perPage = query.perPage
        let paging = try UserListPaging(list)
        let (scope, text) = try Self.scope(query.query)
        let search = AuditSearch(
            scope: text.isEmpty ? nil : scope, text: text, offset: paging.offset, limit: paging.perPage)
        let (rows, total) = try await read { try await $0.auditEntries(search) }
        let entries = rows.map { row in
            AuditEntry(id: row.id, payload: row.payload, createdAt: row.createdAt, ipAddress: row.ipAddress)
        }
        return AuditPage(entries: entries, total: total, page: paging.page, perPage: paging.perPage)
    }

    /// `scope:text`, split at the first colon.
    private static func scope(_ query: String?) throws(AuthError) -> (AuditSearch.Scope?, String) {
        guard let query, !query.isEmpty else { return (nil, "") }
        let parts = query.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let scope = AuditSearch.Scope(rawValue: String(parts[0])) else {
            throw AuthError(.auditQueryInvalid, String(query.prefix(200)))
        }
        return (scope, String(parts[1]))
    }
}
