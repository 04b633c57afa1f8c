public import Bytes
public import JSON

/// `GET /admin/audit`. Source: supabase-admin.md 8.1. Texts are as sent.
public struct AuditQuery: Sendable {
    public var page: String?
    public var perPage: String?
    /// `scope:text`, the scope `author`, `action` or `type`.
    public var query: String?
    public init() {}
}

/// An entry of the audit log. Source: supabase-admin.md 8.2.
public struct AuditEntry: Sendable {
    public var id: UUID
    public var payload: JSONText
    public var createdAt: Timestamp
    /// Empty for most actions.
    public var ipAddress: String
    public init(id: UUID, payload: JSONText, createdAt: Timestamp, ipAddress: String) {
        self.id = id
        self.payload = payload
        self.createdAt = createdAt
        self.ipAddress = ipAddress
    }
}

/// A page of the audit log, newest first, with what the paging headers need.
public struct AuditPage: Sendable {
    public var entries: [AuditEntry]
    public var total: Int
    /// 1-based, as asked: 0 shows the first page too.
    public var page: Int
    public var perPage: Int
    public init(entries: [AuditEntry], total: Int, page: Int, perPage: Int) {
        self.entries = entries
        self.total = total
        self.page = page
        self.perPage = perPage
    }
}
