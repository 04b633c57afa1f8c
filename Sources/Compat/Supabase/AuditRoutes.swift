internal import Backend
internal import Bytes
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | GET | `/admin/audit?page&per_page&query` | administrator | 400 `validation_failed` |
///
/// Source: supabase-admin.md 8.
enum AuditRoutes {
    static func list(_ call: Call) async throws -> WireResponse {
        let principal = try await call.principal(.administrator)
        var query = AuditQuery()
        query.page = call.query["page"]
        query.perPage = call.query["per_page"]
        query.query = call.query["query"]
        let page = try await call.backend.auditLog(query, principal, call.context)
        var response = WireResponse.json(page.wireJSON())
        response.headers.append(("X-Total-Count", String(page.total)))
        let links = PageLinks(
            path: "/admin/audit", query: call.query, total: page.total, page: page.page, perPage: page.perPage)
        response.headers.append(("Link", links.text))
        return response
    }
}

extension AuditPage {
    /// A bare array. Source: supabase-admin.md 8.1.
    func wireJSON() -> [UInt8] {
        var writer = JSONWriter(capacity: 64 + entries.count * 384)
        writer.beginArray()
        for entry in entries {
            writer.beginObject()
            writer.field("id", entry.id)
            writer.field("payload", entry.payload)
            writer.field("created_at", entry.createdAt)
            writer.field("ip_address", entry.ipAddress)
            writer.endObject()
        }
        writer.endArray()
        return writer.bytes
    }
}
