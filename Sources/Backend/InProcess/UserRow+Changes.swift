import Backend
import Bytes
import JSON
import Store

/// Changes of an account that several operations make. Each returns the columns that it touched.
extension UserRow {
    /// Kills every code and link that is on its way, as a new password does. The addresses that wait to be confirmed
    /// stay visible. Source: supabase-core.md 10.13 step 1.
    mutating func forgetPendingTokens() -> UserColumns {
        self.confirmationToken = ""
        self.confirmationSentAt = nil
        self.recoveryToken = ""
        self.recoverySentAt = nil
        self.emailChangeTokenNew = ""
        self.emailChangeTokenCurrent = ""
        self.emailChangeSentAt = nil
        self.phoneChangeToken = ""
        self.phoneChangeSentAt = nil
        self.reauthenticationToken = ""
        self.reauthenticationSentAt = nil
        return [.confirmation, .recovery, .emailChange, .phoneChange, .reauthentication]
    }

    /// Confirms the address: also in the user metadata, as the reference does. Source: supabase-admin.md 4.2, 4.4.
    mutating func confirmEmail(at now: Timestamp) -> UserColumns {
        self.emailConfirmedAt = now
        self.confirmationToken = ""
        var metadata = self.userMetadata.object
        metadata["email_verified"] = true
        self.userMetadata = JSONText(metadata)
        return [.emailConfirmedAt, .confirmation, .userMetadata]
    }

    /// Confirms the number. Source: supabase-admin.md 4.2, 4.4.
    mutating func confirmPhone(at now: Timestamp) -> UserColumns {
        self.phoneConfirmedAt = now
        self.confirmationToken = ""
        return [.phoneConfirmedAt, .confirmation]
    }

    /// An anonymous account has an address of its own now.
    mutating func becomePermanent() -> UserColumns {
        self.isAnonymous = false
        return .isAnonymous
    }
}
