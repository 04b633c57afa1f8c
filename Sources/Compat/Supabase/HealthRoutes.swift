internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | GET | `/health` | none | – |
///
/// Source: supabase-core.md 10.15. The name is the reference's: tools look for it (clients.md 3).
enum HealthRoutes {
    /// The same answer for every request, made once.
    static func response(version: String) -> WireResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("version", version)
        writer.field("name", "GoTrue")
        writer.field("description", "GoTrue is a user registration and authentication API")
        writer.endObject()
        return .json(writer.bytes)
    }
}
