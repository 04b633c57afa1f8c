extension SQL {
    /// All columns of an identity but the generated address.
    static let identityColumns =
        "id, provider_id, user_id, provider, identity_data, last_sign_in_at, created_at, updated_at"
    static let inboxColumns = "channel, recipient, sender, subject, html, text, code, link, created_at"

    var writeText: String? {
        switch self {
        case .insertUser:
            "INSERT INTO users (\(Columns.user)) VALUES (\(Columns.parameters(for: Columns.user)))"
        case .deleteUser: "DELETE FROM users WHERE id = ?1"
        case .insertIdentity:
            "INSERT INTO identities (\(Self.identityColumns)) VALUES (\(Columns.parameters(for: Self.identityColumns)))"
        case .updateIdentity:
            "UPDATE identities SET provider_id = ?2, provider = ?4, identity_data = ?5, "
                + "last_sign_in_at = ?6, created_at = ?7, updated_at = ?8 WHERE id = ?1 AND user_id = ?3"
        case .deleteIdentity: "DELETE FROM identities WHERE id = ?1 RETURNING user_id"
        case .deleteFactors: "DELETE FROM mfa_factors WHERE user_id = ?1"
        case .insertSession:
            "INSERT INTO sessions (\(Columns.session)) VALUES (\(Columns.parameters(for: Columns.session)))"
        case .updateSession:
            "UPDATE sessions SET updated_at = ?2, factor_id = ?3, aal = ?4, not_after = ?5, refreshed_at = ?6, "
                + "user_agent = ?7, ip = ?8, tag = ?9, oauth_client_id = ?10, refresh_token_hmac_key = ?11, "
                + "refresh_token_counter = ?12, scopes = ?13 WHERE id = ?1"
        case .refreshSession:
            "UPDATE sessions SET updated_at = ?2, refreshed_at = ?3, user_agent = ?4, ip = ?5 WHERE id = ?1"
        case .refreshNumberedSession:
            "UPDATE sessions SET updated_at = ?2, refreshed_at = ?3, user_agent = ?4, ip = ?5 WHERE rowid = ?1"
        case .advanceSession:
            "UPDATE sessions SET updated_at = ?2, refreshed_at = ?3, user_agent = ?4, ip = ?5, "
                + "refresh_token_counter = ?6 WHERE id = ?1 AND coalesce(refresh_token_counter, 0) = ?7"
        case .deleteSession: "DELETE FROM sessions WHERE id = ?1 RETURNING user_id"
        case .deleteSessionsOfUser: "DELETE FROM sessions WHERE user_id = ?1"
        case .deleteOtherSessionsOfUser: "DELETE FROM sessions WHERE user_id = ?1 AND id <> ?2"
        default: tokenText ?? ownText
        }
    }

    private var tokenText: String? {
        switch self {
        case .insertRefreshToken:
            "INSERT INTO refresh_tokens (token, user_id, revoked, parent, session_id, created_at, updated_at, id) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        case .newestRefreshToken: "SELECT max(id) FROM refresh_tokens"
        case .refreshTokenOwner: "SELECT user_id FROM refresh_tokens WHERE id = ?1"
        case .revokeRefreshToken:
            "UPDATE refresh_tokens SET revoked = 1, updated_at = ?2 WHERE id = ?1 AND revoked IS NOT 1"
        case .touchRefreshToken:
            "UPDATE refresh_tokens SET updated_at = ?2 WHERE id = ?1 AND revoked = 1"
        case .revokeRefreshTokensOfSession:
            "UPDATE refresh_tokens SET revoked = 1, updated_at = ?2 WHERE session_id = ?1 AND revoked IS NOT 1 "
                + "RETURNING user_id"
        case .deleteRefreshToken: "DELETE FROM refresh_tokens WHERE id = ?1 RETURNING user_id"
        case .upsertAMRClaim:
            "INSERT INTO mfa_amr_claims (session_id, authentication_method, created_at, updated_at) "
                + "VALUES (?1, ?2, ?3, ?3) ON CONFLICT (session_id, authentication_method) "
                + "DO UPDATE SET updated_at = ?3"
        case .replaceOneTimeToken:
            "INSERT INTO one_time_tokens (\(Columns.oneTimeToken), updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) "
                + "ON CONFLICT (user_id, token_type) DO UPDATE SET id = ?1, token_hash = ?4, relates_to = ?5, "
                + "created_at = ?6, updated_at = ?6"
        case .deleteOneTimeToken: "DELETE FROM one_time_tokens WHERE user_id = ?1 AND token_type = ?2"
        case .deleteOneTimeTokens: "DELETE FROM one_time_tokens WHERE user_id = ?1"
        case .resetTries: "DELETE FROM drawbridge_code_tries WHERE user_id = ?1 AND token_type = ?2"
        case .resetAllTries: "DELETE FROM drawbridge_code_tries WHERE user_id = ?1"
        case .countTry:
            "INSERT INTO drawbridge_code_tries (user_id, token_type, tries) VALUES (?1, ?2, 1) "
                + "ON CONFLICT (user_id, token_type) DO UPDATE SET tries = tries + 1 RETURNING tries"
        case .insertFlowState:
            "INSERT INTO flow_state (\(Columns.flowState)) VALUES (\(Columns.parameters(for: Columns.flowState)))"
        case .updateFlowState:
            "UPDATE flow_state SET user_id = ?2, auth_code = ?3, code_challenge_method = ?4, code_challenge = ?5, "
                + "provider_type = ?6, provider_access_token = ?7, provider_refresh_token = ?8, "
                + "authentication_method = ?9, auth_code_issued_at = ?10, created_at = ?11, updated_at = ?12 "
                + "WHERE id = ?1"
        case .deleteFlowState: "DELETE FROM flow_state WHERE id = ?1"
        default: nil
        }
    }

    private var ownText: String? {
        switch self {
        case .insertFactor:
            "INSERT INTO mfa_factors (\(Columns.factor)) VALUES (\(Columns.parameters(for: Columns.factor)))"
        case .updateFactor:
            "UPDATE mfa_factors SET friendly_name = ?2, phone = ?3, updated_at = ?4 WHERE id = ?1 RETURNING user_id"
        case .deleteFactor: "DELETE FROM mfa_factors WHERE id = ?1 RETURNING user_id"
        case .deleteAMRClaim: "DELETE FROM mfa_amr_claims WHERE session_id = ?1 AND authentication_method = ?2"
        case .insertAudit:
            "INSERT INTO audit_log_entries (id, payload, created_at, ip_address) VALUES (?1, ?2, ?3, ?4)"
        case .insertOutbox:
            "INSERT INTO drawbridge_outbox (channel, recipient, payload, created_at, next_try_at, tries) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        case .takeDueOutbox:
            "SELECT \(Columns.outbox) FROM drawbridge_outbox WHERE next_try_at <= ?1 ORDER BY next_try_at, id LIMIT ?2"
        case .deleteOutbox: "DELETE FROM drawbridge_outbox WHERE id = ?1"
        case .postponeOutbox: "UPDATE drawbridge_outbox SET next_try_at = ?2, tries = ?3 WHERE id = ?1"
        case .insertInbox:
            "INSERT INTO drawbridge_inbox (\(Self.inboxColumns)) "
                + "VALUES (\(Columns.parameters(for: Self.inboxColumns)))"
        case .trimInbox:
            "DELETE FROM drawbridge_inbox WHERE id <= "
                + "(SELECT id FROM drawbridge_inbox ORDER BY id DESC LIMIT 1 OFFSET ?1)"
        default: nil
        }
    }

    var cleanUpText: String? {
        switch self {
        case .cleanRevokedTokens:
            "DELETE FROM refresh_tokens WHERE id IN "
                + "(SELECT id FROM refresh_tokens WHERE revoked = 1 AND updated_at < ?1 ORDER BY updated_at LIMIT ?2)"
        case .cleanTokensOfEndedSessions:
            "UPDATE refresh_tokens SET revoked = 1, updated_at = max(coalesce(updated_at, 0), ?1) WHERE id IN "
                + "(SELECT t.id FROM sessions s JOIN refresh_tokens t ON t.session_id = s.id "
                + "WHERE s.not_after IS NOT NULL AND s.not_after < ?1 AND t.revoked = 0 LIMIT ?2)"
        case .cleanEndedSessions:
            "DELETE FROM sessions WHERE rowid IN "
                + "(SELECT rowid FROM sessions WHERE not_after IS NOT NULL AND not_after < ?1 LIMIT ?2) "
                + "RETURNING user_id"
        case .cleanFlowStates: Self.deletion(of: "flow_state", where: "created_at < ?1")
        case .cleanClientStates: Self.deletion(of: "oauth_client_states", where: "created_at < ?1")
        case .cleanRelayStates: Self.deletion(of: "saml_relay_states", where: "created_at < ?1")
        case .cleanChallenges: Self.deletion(of: "mfa_challenges", where: "created_at < ?1")
        case .cleanPasskeyChallenges: Self.deletion(of: "webauthn_challenges", where: "expires_at < ?1")
        case .cleanUnverifiedFactors:
            Self.deletion(of: "mfa_factors", where: "status = 'unverified' AND created_at < ?1")
                + " RETURNING user_id"
        case .cleanAnonymousUsers:
            Self.deletion(of: "users", where: "is_anonymous = 1 AND created_at < ?1") + " RETURNING id"
        default: nil
        }
    }

    private static func deletion(of table: String, where condition: String) -> String {
        "DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table) WHERE \(condition) LIMIT ?2)"
    }
}
