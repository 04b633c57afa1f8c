/// Which limit a call counts against. Source: supabase-core.md 1.6.
public enum RateLimitBucket: String, Sendable, CaseIterable {
    /// `POST /signup` with an address: `GOTRUE_RATE_LIMIT_OTP`, like the next five, each a bucket of its own.
    case signUp
    case otp, magicLink, recover, resend
    /// `PUT` and `PATCH /user`.
    case updateUser
    /// `POST /signup` without an address: `GOTRUE_RATE_LIMIT_ANONYMOUS_USERS`.
    case anonymousSignIn
    /// `POST /token`, all grants but web3: `GOTRUE_RATE_LIMIT_TOKEN_REFRESH`.
    case token
    /// `POST /token?grant_type=web3`: `GOTRUE_RATE_LIMIT_WEB3`.
    case web3
    /// `GET` and `POST /verify` together: `GOTRUE_RATE_LIMIT_VERIFY`.
    case verify
}

/// Holds the buckets, exact over all loops; the gateway implements it. May be called from any thread.
public protocol RateLimiting: Sendable {
    /// Takes one call out of a caller's bucket.
    /// - Returns: nil when the call may go on, else when the next one may.
    func take(_ bucket: RateLimitBucket, key: String) -> Duration?
}

/// Limits nobody.
public struct NoRateLimits: RateLimiting {
    public init() {}
    /// Lets every call go on.
    public func take(_ bucket: RateLimitBucket, key: String) -> Duration? { nil }
}
