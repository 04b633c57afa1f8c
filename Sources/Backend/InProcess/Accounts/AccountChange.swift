import Backend
import JSON
import Store

/// A change of the caller's own account that passed the checks which need no account to be looked at.
/// A class, since every step of the change hands it on. Source: supabase-core.md 10.13 #1.
final class AccountChange: Sendable {
    /// nil: no change was asked for.
    let email: String?
    let phone: String?
    let channel: String
    let password: Password?
    let currentPassword: Password?
    let nonce: OneTimeCode?
    let userMetadata: JSONObject?
    let appMetadata: JSONObject?
    let pkce: PKCEChallenge

    init(_ update: UpdateUser, _ policy: Policy, isLeaked: Bool = false) throws(AuthError) {
        let emailText = update.email ?? ""
        let phoneText = update.phone ?? ""
        email = emailText.isEmpty ? nil : try EmailAddress(validating: emailText).text
        phone = phoneText.isEmpty ? nil : try PhoneNumber(validating: phoneText).digits
        channel = phoneText.isEmpty ? "" : try MessageChannel.judged(update.channel)
        if let password = update.password { try PasswordRules(policy, isLeaked: isLeaked).check(password) }
        try Metadata.check(update.userMetadata)
        try Metadata.check(update.appMetadata)
        password = update.password
        currentPassword = update.currentPassword.flatMap { $0.isEmpty ? nil : $0 }
        nonce = update.nonce.flatMap { $0.isEmpty ? nil : $0 }
        userMetadata = update.userMetadata
        appMetadata = update.appMetadata
        pkce = update.pkce
    }

    /// True when nothing but the metadata may change: the common case, which needs no look beyond the user's row.
    var isMetadataOnly: Bool { email == nil && phone == nil && password == nil }

    func changesEmail(of user: UserRow) -> Bool { email != nil && email != user.email?.lowercased() }
    func changesPhone(of user: UserRow) -> Bool { phone != nil && phone != user.phone }
}

/// What was made before the transaction of a change.
struct PreparedChange: Sendable {
    /// The hash of the new password.
    var passwordHash: String?
    /// The mail to the new address.
    var newMail: PreparedMail?
    /// The mail to the address that the account has.
    var currentMail: PreparedMail?
    var flow: PKCERules.Flow?
    /// What is stored of the code that went to the new number.
    var phoneCode: String?

    var mails: [PreparedMail] { [newMail, currentMail].compactMap { $0 } }
}
