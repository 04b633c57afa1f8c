/// Every statement that is kept prepared, by number: finding one is an array access.
enum SQL: Int, CaseIterable {
    case begin, commit, rollback, savepoint, release, rollbackToSavepoint, dataVersion

    case userByID, userByEmailInAudience, userByPhoneInAudience, userByEmail, userByPhone, userByPhoneChange
    case usersAscending, usersDescending, countUsers
    case filteredUsersAscending, filteredUsersDescending, countFilteredUsers
    case usersAfterAscending, usersAfterDescending
    case identitiesOfUser, identityByProvider, identitiesByEmail, factorsOfUser
    case sessionByID, sessionOwner, sessionsOfUser
    case refreshTokenByToken, activeRefreshToken, newestRefreshTokenOfSession, amrClaims
    case oneTimeToken, oneTimeTokenByAddress, flowStateByCode, flowStateOfUser
    case auditEntries, countAudit, auditByAuthor, countAuditByAuthor
    case auditByAction, countAuditByAction, auditByType, countAuditByType
    case inbox, inboxOfRecipient

    case insertUser, deleteUser
    case insertIdentity, updateIdentity, deleteIdentity, deleteFactors, insertFactor, updateFactor, deleteFactor
    case insertSession, updateSession, refreshSession, refreshNumberedSession, advanceSession
    case deleteSession, deleteSessionsOfUser, deleteOtherSessionsOfUser
    case insertRefreshToken, newestRefreshToken, refreshTokenOwner, revokeRefreshToken, touchRefreshToken
    case revokeRefreshTokensOfSession, deleteRefreshToken
    case upsertAMRClaim, deleteAMRClaim
    case replaceOneTimeToken, deleteOneTimeToken, deleteOneTimeTokens, resetTries, resetAllTries, countTry
    case insertFlowState, updateFlowState, deleteFlowState
    case insertAudit
    case insertOutbox, takeDueOutbox, deleteOutbox, postponeOutbox
    case insertInbox, trimInbox
    case probe

    case cleanRevokedTokens, cleanTokensOfEndedSessions, cleanEndedSessions
    case cleanFlowStates, cleanClientStates, cleanRelayStates
    case cleanChallenges, cleanPasskeyChallenges, cleanUnverifiedFactors, cleanAnonymousUsers

    var text: String {
        controlText ?? readText ?? writeText ?? cleanUpText ?? ""
    }

    private var controlText: String? {
        switch self {
        case .begin: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .savepoint: "SAVEPOINT body"
        case .release: "RELEASE body"
        case .rollbackToSavepoint: "ROLLBACK TO body"
        case .dataVersion: "PRAGMA data_version"
        case .probe:
            "INSERT INTO drawbridge_probe (id, count) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET count = count + 1"
        default: nil
        }
    }
}

/// The columns of each row in the order in which the row readers take them.
enum Columns {
    static let user = """
        id, aud, role, email, encrypted_password, email_confirmed_at, invited_at, confirmation_token, \
        confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new, email_change, \
        email_change_sent_at, email_change_token_current, email_change_confirm_status, last_sign_in_at, \
        raw_app_meta_data, raw_user_meta_data, phone, phone_confirmed_at, phone_change, phone_change_token, \
        phone_change_sent_at, reauthentication_token, reauthentication_sent_at, banned_until, deleted_at, \
        is_sso_user, is_anonymous, created_at, updated_at
        """
    static let identity = """
        id, provider_id, user_id, provider, identity_data, last_sign_in_at, created_at, updated_at, email
        """
    static let session = """
        id, user_id, created_at, updated_at, factor_id, aal, not_after, refreshed_at, user_agent, ip, tag, \
        oauth_client_id, refresh_token_hmac_key, refresh_token_counter, scopes
        """
    static let refreshToken = "id, token, user_id, revoked, parent, session_id, created_at, updated_at"
    static let oneTimeToken = "id, user_id, token_type, token_hash, relates_to, created_at"
    static let factor = """
        id, user_id, friendly_name, factor_type, status, phone, created_at, updated_at, last_challenged_at, \
        web_authn_aaguid, last_webauthn_challenge_data
        """
    static let flowState = """
        id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, provider_access_token, \
        provider_refresh_token, authentication_method, auth_code_issued_at, created_at, updated_at
        """
    static let audit = "id, payload, created_at, ip_address"
    static let outbox = "id, channel, recipient, payload, created_at, next_try_at, tries"
    static let inbox = "id, channel, recipient, sender, subject, html, text, code, link, created_at"

    /// `?1, ?2, …` for so many columns as the list names.
    static func parameters(for columns: String) -> String {
        (1...columns.split(separator: ",").count).map { "?\($0)" }.joined(separator: ", ")
    }
}
