/// One column that a partial update can write, with the group of ``UserColumns`` that names it.
enum UserColumn: String, CaseIterable {
    case aud, role, email
    case encryptedPassword = "encrypted_password"
    case emailConfirmedAt = "email_confirmed_at"
    case invitedAt = "invited_at"
    case confirmationToken = "confirmation_token"
    case confirmationSentAt = "confirmation_sent_at"
    case recoveryToken = "recovery_token"
    case recoverySentAt = "recovery_sent_at"
    case emailChangeTokenNew = "email_change_token_new"
    case emailChange = "email_change"
    case emailChangeSentAt = "email_change_sent_at"
    case emailChangeTokenCurrent = "email_change_token_current"
    case emailChangeConfirmStatus = "email_change_confirm_status"
    case lastSignInAt = "last_sign_in_at"
    case appMetadata = "raw_app_meta_data"
    case userMetadata = "raw_user_meta_data"
    case phone
    case phoneConfirmedAt = "phone_confirmed_at"
    case phoneChange = "phone_change"
    case phoneChangeToken = "phone_change_token"
    case phoneChangeSentAt = "phone_change_sent_at"
    case reauthenticationToken = "reauthentication_token"
    case reauthenticationSentAt = "reauthentication_sent_at"
    case bannedUntil = "banned_until"
    case deletedAt = "deleted_at"
    case isAnonymous = "is_anonymous"
    case isSSOUser = "is_sso_user"

    /// The update of a set of columns: `?1` is the id or the row's number, `?2` the time, then the columns in the order
    /// of the cases.
    static func update(_ columns: UserColumns, isByNumber: Bool) -> String {
        var text = "UPDATE users SET updated_at = ?2"
        var index = 3
        for column in allCases where columns.contains(column.group) {
            text += ", \(column.rawValue) = ?\(index)"
            index += 1
        }
        return text + (isByNumber ? " WHERE rowid = ?1" : " WHERE id = ?1")
    }

    var group: UserColumns {
        switch self {
        case .aud: .audience
        case .role: .role
        case .email: .email
        case .encryptedPassword: .encryptedPassword
        case .emailConfirmedAt: .emailConfirmedAt
        case .invitedAt: .invitedAt
        case .confirmationToken, .confirmationSentAt: .confirmation
        case .recoveryToken, .recoverySentAt: .recovery
        case .emailChangeTokenNew, .emailChange, .emailChangeSentAt, .emailChangeTokenCurrent,
            .emailChangeConfirmStatus:
            .emailChange
        case .lastSignInAt: .lastSignInAt
        case .appMetadata: .appMetadata
        case .userMetadata: .userMetadata
        case .phone: .phone
        case .phoneConfirmedAt: .phoneConfirmedAt
        case .phoneChange, .phoneChangeToken, .phoneChangeSentAt: .phoneChange
        case .reauthenticationToken, .reauthenticationSentAt: .reauthentication
        case .bannedUntil: .bannedUntil
        case .deletedAt: .deletedAt
        case .isAnonymous: .isAnonymous
        case .isSSOUser: .isSSOUser
        }
    }

    func bind(_ row: UserRow, to statement: SQLiteStatement, at index: Int32) throws(StoreError) {
        switch self {
        case .aud: try statement.bind(index, row.audience)
        case .role: try statement.bind(index, row.role)
        case .email: try statement.bind(index, row.email.nilIfEmpty)
        case .encryptedPassword: try statement.bind(index, row.encryptedPassword)
        case .emailConfirmedAt: try statement.bind(index, row.emailConfirmedAt)
        case .invitedAt: try statement.bind(index, row.invitedAt)
        case .confirmationToken: try statement.bind(index, row.confirmationToken)
        case .confirmationSentAt: try statement.bind(index, row.confirmationSentAt)
        case .recoveryToken: try statement.bind(index, row.recoveryToken)
        case .recoverySentAt: try statement.bind(index, row.recoverySentAt)
        case .emailChangeTokenNew: try statement.bind(index, row.emailChangeTokenNew)
        case .emailChange: try statement.bind(index, row.emailChange)
        case .emailChangeSentAt: try statement.bind(index, row.emailChangeSentAt)
        case .emailChangeTokenCurrent: try statement.bind(index, row.emailChangeTokenCurrent)
        case .emailChangeConfirmStatus: try statement.bind(index, Int64(row.emailChangeConfirmStatus))
        case .lastSignInAt: try statement.bind(index, row.lastSignInAt)
        case .appMetadata: try statement.bind(index, row.appMetadata)
        case .userMetadata: try statement.bind(index, row.userMetadata)
        case .phone: try statement.bind(index, row.phone.nilIfEmpty)
        case .phoneConfirmedAt: try statement.bind(index, row.phoneConfirmedAt)
        case .phoneChange: try statement.bind(index, row.phoneChange)
        case .phoneChangeToken: try statement.bind(index, row.phoneChangeToken)
        case .phoneChangeSentAt: try statement.bind(index, row.phoneChangeSentAt)
        case .reauthenticationToken: try statement.bind(index, row.reauthenticationToken)
        case .reauthenticationSentAt: try statement.bind(index, row.reauthenticationSentAt)
        case .bannedUntil: try statement.bind(index, row.bannedUntil)
        case .deletedAt: try statement.bind(index, row.deletedAt)
        case .isAnonymous: try statement.bind(index, row.isAnonymous)
        case .isSSOUser: try statement.bind(index, row.isSSOUser)
        }
    }

    /// Keeps a copy of a row in step with the update.
    func copy(from row: UserRow, to copy: inout UserRow) {
        switch self {
        case .aud: copy.audience = row.audience
        case .role: copy.role = row.role
        case .email: copy.email = row.email.nilIfEmpty
        case .encryptedPassword: copy.encryptedPassword = row.encryptedPassword
        case .emailConfirmedAt: copy.emailConfirmedAt = row.emailConfirmedAt
        case .invitedAt: copy.invitedAt = row.invitedAt
        case .confirmationToken: copy.confirmationToken = row.confirmationToken
        case .confirmationSentAt: copy.confirmationSentAt = row.confirmationSentAt
        case .recoveryToken: copy.recoveryToken = row.recoveryToken
        case .recoverySentAt: copy.recoverySentAt = row.recoverySentAt
        case .emailChangeTokenNew: copy.emailChangeTokenNew = row.emailChangeTokenNew
        case .emailChange: copy.emailChange = row.emailChange
        case .emailChangeSentAt: copy.emailChangeSentAt = row.emailChangeSentAt
        case .emailChangeTokenCurrent: copy.emailChangeTokenCurrent = row.emailChangeTokenCurrent
        case .emailChangeConfirmStatus: copy.emailChangeConfirmStatus = row.emailChangeConfirmStatus
        case .lastSignInAt: copy.lastSignInAt = row.lastSignInAt
        case .appMetadata: copy.appMetadata = row.appMetadata
        case .userMetadata: copy.userMetadata = row.userMetadata
        case .phone: copy.phone = row.phone.nilIfEmpty
        case .phoneConfirmedAt: copy.phoneConfirmedAt = row.phoneConfirmedAt
        case .phoneChange: copy.phoneChange = row.phoneChange
        case .phoneChangeToken: copy.phoneChangeToken = row.phoneChangeToken
        case .phoneChangeSentAt: copy.phoneChangeSentAt = row.phoneChangeSentAt
        case .reauthenticationToken: copy.reauthenticationToken = row.reauthenticationToken
        case .reauthenticationSentAt: copy.reauthenticationSentAt = row.reauthenticationSentAt
        case .bannedUntil: copy.bannedUntil = row.bannedUntil
        case .deletedAt: copy.deletedAt = row.deletedAt
        case .isAnonymous: copy.isAnonymous = row.isAnonymous
        case .isSSOUser: copy.isSSOUser = row.isSSOUser
        }
    }
}
