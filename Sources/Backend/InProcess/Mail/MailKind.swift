/// The mails that are sent, by the names that subjects and templates are set under. Source: supabase-admin.md 13.1.
public enum MailKind: String, Sendable, CaseIterable {
    case invite
    case confirmation
    case recovery
    case magicLink = "magic_link"
    case emailChange = "email_change"
    case reauthentication
    case passwordChanged = "password_changed_notification"
    case emailChanged = "email_changed_notification"
    case phoneChanged = "phone_changed_notification"
    case identityLinked = "identity_linked_notification"
    case identityUnlinked = "identity_unlinked_notification"
    case factorEnrolled = "mfa_factor_enrolled_notification"
    case factorUnenrolled = "mfa_factor_unenrolled_notification"

    /// What `$messageType` in the extra headers stands for.
    var messageType: String { self == .reauthentication ? "reauthenticate" : rawValue }

    /// The words of the error when it cannot be sent: "Error sending … email".
    var errorName: String {
        switch self {
        case .magicLink: "magic link"
        case .emailChange: "email change"
        default: rawValue
        }
    }

    /// Notices are counted and judged by no limit and never fail a request.
    var isNotice: Bool {
        switch self {
        case .invite, .confirmation, .recovery, .magicLink, .emailChange, .reauthentication: false
        case .passwordChanged, .emailChanged, .phoneChanged, .identityLinked, .identityUnlinked, .factorEnrolled,
            .factorUnenrolled:
            true
        }
    }
}
