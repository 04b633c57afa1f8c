import Backend
import Bytes
import JSON
import Store

/// Changes of an account that several operations make. Each returns the columns that it touched.
extension UserRow {
    /// Kills every code and link that is on its way, as a new password does. The addresses that wait to be confirmed
    /// stay visible. Source: supabase-core.md 10.13 step 1.
    mutating func forgetPendingTokens() -> UserColumns {
        confirmationToken = ""
        confirmationSentAt = nil
        recoveryToken = ""
        recoverySentAt = nil
        emailChangeTokenNew = ""
        emailChangeTokenCurrent = ""
        emailChangeSentAt = nil
        phoneChangeToken = ""
        phoneChangeSentAt = nil
        reauthenticationToken = ""
        reauthenticationSentAt = nil
        return [.confirmation, .recovery, .emailChange, .phoneChange, .reauthentication]
    }

    /// Confirms the address: also in the user metadata, as the reference does. Source: supabase-admin.md 4.2, 4.4.
    mutating func confirmEmail(at now: Timestamp) -> UserColumns {
        emailConfirmedAt = now
        confirmationToken = ""
        var metadata = userMetadata.object
        metadata["email_verified"] = true
        userMetadata = JSONText(metadata)
        return [.emailConfirmedAt, .confirmation, .userMetadata]
    }

    /// Confirms the number. Source: supabase-admin.md 4.2, 4.4.
    mutating func confirmPhone(at now: Timestamp) -> UserColumns {
        phoneConfirmedAt = now
        confirmationToken = ""
        return [.phoneConfirmedAt, .confirmation]
    }

    /// An anonymous account has an address of its own now.
    mutating func becomePermanent() -> UserColumns {
        isAnonymous = false
        return .isAnonymous
    }
}
