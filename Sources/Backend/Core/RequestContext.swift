public import Bytes

/// What the caller's API key entitles to, as the gateway judged it. Source: gateway.md 2, interface.md "API keys".
public enum APIKeyRole: Sendable, Equatable {
    /// No key: the bare paths, or an open route.
    case none
    case anonymous
    case service
}

/// Where a mail or a link may lead back to, as the request named it. Source: supabase-core.md 9.3.
public struct RedirectCandidates: Sendable {
    /// Header `redirect_to`, else the query's or form's parameter.
    public var explicit: String?
    /// Header `Referer`.
    public var referrer: String?

    public init(explicit: String? = nil, referrer: String? = nil) {
        self.explicit = explicit
        self.referrer = referrer
    }
}

/// Everything about a request that a rule may need beside the operation itself.
@dynamicMemberLookup
public struct RequestContext: Sendable {
    /// The members; reached through the context.
    public struct Values: Sendable {
        /// The token of `Authorization: Bearer …` as it was sent; nil when the header is missing or has another form.
        public var bearer: RawToken?
        /// What the API key entitles to when there is no bearer of the caller's own (new-style keys are no JWTs).
        public var keyRole: APIKeyRole
        /// `X-JWT-AUD`, when not empty.
        public var requestedAudience: String?
        /// The client's address in text form, as far as it is known (sessions.ip).
        public var clientAddress: String?
        public var userAgent: String?
        public var redirect: RedirectCandidates
        /// `X-Forwarded-Host` and `X-Forwarded-Proto`, for mail links (supabase-core.md 1.8).
        public var forwardedHost: String?
        public var forwardedProto: String?
        /// Names the request in logs and in 5xx bodies.
        public var requestID: String
    }

    @usableFromInline var shared: CopyOnWrite<Values>

    /// All members, for who needs many of them.
    @inlinable
    public var values: Values {
        _read { yield shared.value }
        _modify { yield &shared.value }
    }

    public init(requestID: String = "") {
        shared = CopyOnWrite(Values(keyRole: .none, redirect: RedirectCandidates(), requestID: requestID))
    }

    @inlinable
    public subscript<Member>(dynamicMember member: KeyPath<Values, Member>) -> Member {
        shared.value[keyPath: member]
    }

    @inlinable
    public subscript<Member>(dynamicMember member: WritableKeyPath<Values, Member>) -> Member {
        _read { yield shared.value[keyPath: member] }
        _modify { yield &shared.value[keyPath: member] }
    }
}

/// Which check a caller must pass. Source: supabase-core.md 5.
public enum AccessLevel: Sendable {
    /// A user's own token.
    case user
    /// An administrator's token or key.
    case administrator
}

/// A caller who passed the check of ``AuthBackend/authenticate(_:as:)``.
///
/// What stands in it beside the ids belongs to the backend that made it; Compat hands it back untouched. A class, since
/// every step of an operation hands it on.
public final class Principal: Sendable {
    /// nil for an administrator's key.
    public let userID: UserID?
    public let sessionID: SessionID?
    /// The first `aud` of the token, nil when it has none.
    public let tokenAudience: String?
    /// Role claim of the token, or the role of the key.
    public let role: String
    /// What the backend already knows of the caller (its rows, for instance), in the backend's own type.
    public let backendState: (any Sendable)?

    public init(
        userID: UserID?, sessionID: SessionID?, tokenAudience: String?, role: String,
        backendState: (any Sendable)? = nil
    ) {
        self.userID = userID
        self.sessionID = sessionID
        self.tokenAudience = tokenAudience
        self.role = role
        self.backendState = backendState
    }
}
