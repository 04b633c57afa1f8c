internal import Backend
internal import JSON

/// | method | path | auth | errors |
/// | --- | --- | --- | --- |
/// | GET | `/.well-known/jwks.json` | none, no API key | – |
///
/// Source: supabase-core.md 10.16.
enum WellKnownRoutes {
    static func keySet(_ call: Call) async throws -> WireResponse {
        var response = WireResponse.json(try await call.backend.publicKeys(call.context).bytes)
        response.headers.append(("Cache-Control", "public, max-age=600"))
        return response
    }
}
