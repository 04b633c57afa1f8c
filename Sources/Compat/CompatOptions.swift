/// What of the wire differs between the presets; each member can be set alone. Source: deviations.md, interface.md.
public struct CompatOptions: Sendable {
    /// Errors carry `detail: {code, message}` for Sovaria's clients (`DRAWBRIDGE_ERROR_DETAIL`, sovaria.md D9).
    public var addsErrorDetail = true
    /// A trailing slash is accepted on every path, and several slashes count as one.
    public var acceptsTrailingSlashes = true
    /// `HEAD` is `GET` without a body, but for `/verify`, `/callback` and `/authorize`, which it never opens.
    public var acceptsHEAD = true
    /// `PATCH /admin/users/{id}` is the same as `PUT`.
    public var allowsAdminPATCH = true
    /// `Allow` names `PATCH` beside `PUT` (which is accepted on `/user` in any case).
    public var advertisesPATCH = true
    /// `grant_type` is also read from a JSON body when neither query nor form has it (clients.md 7).
    public var readsGrantTypeFromJSON = true
    /// `ban_duration` may be a number of nanoseconds (clients.md 3).
    public var acceptsNumericDurations = true
    /// The status of "reauthentication needed": 401, in the reference 400 (sovaria.md 2.3).
    public var reauthenticationStatus = 401
    /// A request that ran out of its time is told when to try again, as with every 502 and 503.
    public var saysWhenAfterTimeout = true
    /// The longest body in bytes.
    public var requestBodyMax = 1 << 20
    /// How long a request may take before it is answered with 504 (`GOTRUE_API_MAX_REQUEST_DURATION`).
    public var requestTimeout: Duration = .seconds(10)
    /// What `/health` tells.
    public var version = "unknown version"

    public init() {}

    /// Sovaria's rules, the default.
    public static var sovaria: CompatOptions { CompatOptions() }

    /// The reference's rules, as recorded in the cases.
    public static var supabase: CompatOptions {
        var options = CompatOptions()
        options.addsErrorDetail = false
        options.acceptsTrailingSlashes = false
        options.acceptsHEAD = false
        options.allowsAdminPATCH = false
        options.advertisesPATCH = false
        options.readsGrantTypeFromJSON = false
        options.acceptsNumericDurations = false
        options.reauthenticationStatus = 400
        options.saysWhenAfterTimeout = false
        return options
    }
}
