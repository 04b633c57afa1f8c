extension SQL {
    /// `LIKE` where letter case does not count, and its twin `GLOB` where it does.
    private static let filter = """
        (email GLOB ?2 OR CASE WHEN json_valid(raw_user_meta_data) THEN raw_user_meta_data ->> 'full_name' END \
        LIKE ?3 ESCAPE '\\')
        """

    // The filter is parameter 1, also where it is not looked at.
    private static let author = """
        (payload ->> 'actor_username' LIKE ?1 ESCAPE '\\' OR payload ->> 'actor_name' LIKE ?1 ESCAPE '\\')
        """
    private static let action = "payload ->> 'action' LIKE ?1 ESCAPE '\\'"
    private static let logType = "payload ->> 'log_type' LIKE ?1 ESCAPE '\\'"

    private static func audit(where condition: String?) -> String {
        "SELECT \(Columns.audit) FROM audit_log_entries \(condition.map { "WHERE \($0) " } ?? "")"
            + "ORDER BY created_at DESC, rowid DESC LIMIT ?2 OFFSET ?3"
    }

    private static func countAudit(where condition: String?) -> String {
        "SELECT count(*) FROM audit_log_entries\(condition.map { " WHERE \($0)" } ?? "")"
    }

    /// The users behind a place in the list, with a filter or (both of its texts NULL) without.
    private static func usersAfter(_ direction: String, _ order: String) -> String {
        "SELECT \(Columns.user) FROM users WHERE aud = ?1 AND (?2 IS NULL OR \(filter)) "
            + "AND (created_at, id) \(direction) (?4, ?5) ORDER BY \(order) LIMIT ?6"
    }

    var readText: String? {
        switch self {
        case .userByID: "SELECT \(Columns.user), rowid FROM users WHERE id = ?1"
        case .userByEmailInAudience:
            "SELECT \(Columns.user) FROM users WHERE email = ?1 AND is_sso_user = 0 AND aud = ?2"
        case .userByPhoneInAudience:
            "SELECT \(Columns.user) FROM users WHERE phone = ?1 AND is_sso_user = 0 AND aud = ?2"
        case .userByEmail: "SELECT \(Columns.user) FROM users WHERE email = ?1 AND is_sso_user = 0"
        case .userByPhone: "SELECT \(Columns.user) FROM users WHERE phone = ?1"
        case .userByPhoneChange:
            "SELECT \(Columns.user) FROM users WHERE phone_change = ?1 AND phone_change <> '' AND aud = ?2 LIMIT 1"
        case .usersAscending:
            "SELECT \(Columns.user) FROM users WHERE aud = ?1 ORDER BY created_at, id LIMIT ?2 OFFSET ?3"
        case .usersDescending:
            "SELECT \(Columns.user) FROM users WHERE aud = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2 OFFSET ?3"
        case .countUsers: "SELECT count(*) FROM users WHERE aud = ?1"
        case .filteredUsersAscending:
            "SELECT \(Columns.user) FROM users WHERE aud = ?1 AND \(Self.filter) "
                + "ORDER BY created_at, id LIMIT ?4 OFFSET ?5"
        case .filteredUsersDescending:
            "SELECT \(Columns.user) FROM users WHERE aud = ?1 AND \(Self.filter) "
                + "ORDER BY created_at DESC, id DESC LIMIT ?4 OFFSET ?5"
        case .countFilteredUsers: "SELECT count(*) FROM users WHERE aud = ?1 AND \(Self.filter)"
        case .usersAfterAscending: Self.usersAfter(">", "created_at, id")
        case .usersAfterDescending: Self.usersAfter("<", "created_at DESC, id DESC")
        case .identitiesOfUser:
            "SELECT \(Columns.identity) FROM identities WHERE user_id = ?1 ORDER BY created_at, rowid"
        case .identityByProvider:
            "SELECT \(Columns.identity) FROM identities WHERE provider_id = ?1 AND provider = ?2"
        case .identitiesByEmail:
            "SELECT \(Columns.identity) FROM identities WHERE email = ?1 AND provider NOT LIKE 'sso:%' "
                + "ORDER BY created_at, rowid"
        case .factorsOfUser: "SELECT \(Columns.factor) FROM mfa_factors WHERE user_id = ?1 ORDER BY created_at, rowid"
        case .sessionByID: "SELECT \(Columns.session), rowid FROM sessions WHERE id = ?1"
        case .sessionOwner: "SELECT user_id FROM sessions WHERE id = ?1"
        case .sessionsOfUser:
            "SELECT \(Columns.session) FROM sessions WHERE user_id = ?1 ORDER BY created_at, rowid"
        case .refreshTokenByToken: "SELECT \(Columns.refreshToken) FROM refresh_tokens WHERE token = ?1"
        case .activeRefreshToken:
            "SELECT \(Columns.refreshToken) FROM refresh_tokens WHERE session_id = ?1 AND revoked = 0 "
                + "ORDER BY id DESC LIMIT 1"
        case .newestRefreshTokenOfSession:
            "SELECT \(Columns.refreshToken) FROM refresh_tokens WHERE session_id = ?1 ORDER BY id DESC LIMIT 1"
        case .amrClaims:
            "SELECT authentication_method, created_at, updated_at FROM mfa_amr_claims WHERE session_id = ?1 "
                + "ORDER BY updated_at DESC"
        case .oneTimeToken: "SELECT \(Columns.oneTimeToken) FROM one_time_tokens WHERE token_hash = ?1"
        case .oneTimeTokenByAddress:
            "SELECT \(Columns.oneTimeToken) FROM one_time_tokens WHERE relates_to = ?1 AND token_type = ?2 "
                + "ORDER BY created_at DESC LIMIT 1"
        case .flowStateByCode: "SELECT \(Columns.flowState) FROM flow_state WHERE auth_code = ?1"
        case .flowStateOfUser:
            "SELECT \(Columns.flowState) FROM flow_state WHERE user_id = ?1 AND authentication_method = ?2 "
                + "ORDER BY created_at DESC, rowid DESC LIMIT 1"
        case .auditEntries: Self.audit(where: nil)
        case .countAudit: Self.countAudit(where: nil)
        case .auditByAuthor: Self.audit(where: Self.author)
        case .countAuditByAuthor: Self.countAudit(where: Self.author)
        case .auditByAction: Self.audit(where: Self.action)
        case .countAuditByAction: Self.countAudit(where: Self.action)
        case .auditByType: Self.audit(where: Self.logType)
        case .countAuditByType: Self.countAudit(where: Self.logType)
        case .inbox: "SELECT \(Columns.inbox) FROM drawbridge_inbox ORDER BY id DESC LIMIT ?1"
        case .inboxOfRecipient:
            "SELECT \(Columns.inbox) FROM drawbridge_inbox WHERE recipient = ?2 ORDER BY id DESC LIMIT ?1"
        default: nil
        }
    }
}
