internal import Backend
internal import Bytes

extension SQLiteReads {
    func auditEntries(_ search: AuditSearch) throws(StoreError) -> (rows: [AuditRow], total: Int) {
        let statements = Self.statements(search.scope)
        // One moment for both: the second runs while the first still holds its read transaction.
        let counting = try connection.prepared(statements.count)
        defer { counting.reset() }
        let filter = UserFilter(search.text).like
        if search.scope != nil { try counting.bind(1, filter) }
        guard try counting.step() else { return ([], 0) }
        var counted = RowReader(counting)
        let total = Int(counted.integer())
        let paging = try connection.prepared(statements.page)
        defer { paging.reset() }
        if search.scope != nil { try paging.bind(1, filter) }
        try paging.bind(2, Int64(min(max(search.limit, 0), Self.rowsMax)))
        try paging.bind(3, Int64(max(search.offset, 0)))
        var rows: [AuditRow] = []
        while try paging.step() {
            var row = RowReader(paging)
            rows.append(try AuditRow(&row))
        }
        return (rows, total)
    }

    private static func statements(_ scope: AuditSearch.Scope?) -> (page: SQL, count: SQL) {
        switch scope {
        case nil: (.auditEntries, .countAudit)
        case .author: (.auditByAuthor, .countAuditByAuthor)
        case .action: (.auditByAction, .countAuditByAction)
        case .type: (.auditByType, .countAuditByType)
        }
    }
}
