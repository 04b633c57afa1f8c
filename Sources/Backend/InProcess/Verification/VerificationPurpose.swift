import Backend
import Bytes
import Store

/// Which of the two codes of an e-mail change was shown.
enum EmailChangeHalf: Sendable {
    /// The code that went to the new address.
    case new
    /// The code that went to the address that the account has.
    case current
}

/// What a shown code or link is good for.
enum VerificationPurpose: Sendable {
    case signUp
    case invite
    case recovery
    case magicLink
    case emailChange(EmailChangeHalf)
    case sms
    case phoneChange

    /// The purpose of a link's token, from the type that was asked for and the type under which it is kept.
    init?(type: String, _ kept: OneTimeTokenType) {
        switch (type, kept) {
        case ("signup", .confirmation), ("email", .confirmation): self = .signUp
        case ("invite", .confirmation): self = .invite
        case ("recovery", .recovery): self = .recovery
        case ("magiclink", .recovery), ("email", .recovery): self = .magicLink
        case ("email_change", .emailChangeNew): self = .emailChange(.new)
        case ("email_change", .emailChangeCurrent): self = .emailChange(.current)
        default: return nil
        }
    }

    /// Under which types the tokens of links of a type are kept; nil for an unknown type. Source: supabase-core 10.7.
    static func keptTypes(_ type: String, _ policy: Policy) -> [OneTimeTokenType]? {
        switch type {
        case "signup", "invite": [.confirmation]
        case "recovery", "magiclink": [.recovery]
        case "email": [.confirmation, .recovery]
        case "email_change": policy.emailChangeNeedsBoth ? [.emailChangeNew, .emailChangeCurrent] : [.emailChangeNew]
        default: nil
        }
    }

    /// The type as redirects tell it.
    var typeName: String {
        switch self {
        case .signUp: "signup"
        case .invite: "invite"
        case .recovery: "recovery"
        case .magicLink: "magiclink"
        case .emailChange: "email_change"
        case .sms: "sms"
        case .phoneChange: "phone_change"
        }
    }

    /// The methods under which a PKCE flow may have begun that a link of this type ends. The type `email` says nothing
    /// of the method: then either will do, the likely one first.
    func flowMethods(_ type: String) -> [String] {
        switch self {
        case .signUp: ["email/signup"]
        case .invite: ["invite"]
        case .recovery: ["recovery"]
        case .magicLink: type == "email" ? ["magiclink", "recovery"] : ["magiclink"]
        case .emailChange: ["email_change"]
        case .sms, .phoneChange: []
        }
    }

    /// When the code was sent; expiry is always judged on it.
    func sentAt(_ user: UserRow) -> Timestamp? {
        switch self {
        case .signUp, .invite, .sms: user.confirmationSentAt
        case .recovery, .magicLink: user.recoverySentAt
        case .emailChange: user.emailChangeSentAt
        case .phoneChange: user.phoneChangeSentAt
        }
    }

    /// What the account's row keeps of the code; empty when there is none.
    func stored(_ user: UserRow) -> String {
        switch self {
        case .signUp, .invite, .sms: user.confirmationToken
        case .recovery, .magicLink: user.recoveryToken
        case .emailChange(.new): user.emailChangeTokenNew
        case .emailChange(.current): user.emailChangeTokenCurrent
        case .phoneChange: user.phoneChangeToken
        }
    }

    /// Under which type the token is kept for look-ups.
    var keptType: OneTimeTokenType {
        switch self {
        case .signUp, .invite, .sms: .confirmation
        case .recovery, .magicLink: .recovery
        case .emailChange(.new): .emailChangeNew
        case .emailChange(.current): .emailChangeCurrent
        case .phoneChange: .phoneChange
        }
    }

    /// Valid while now is not after the sending and the lifetime. Source: supabase-core.md 8.2.
    func isExpired(_ user: UserRow, _ policy: Policy, _ now: Timestamp) -> Bool {
        guard let sentAt = sentAt(user) else { return true }
        let lifetime =
            switch self {
            case .sms, .phoneChange: policy.smsCodeLifetime
            case .signUp, .invite, .recovery, .magicLink, .emailChange: policy.emailCodeLifetime
            }
        return sentAt + lifetime < now
    }
}
