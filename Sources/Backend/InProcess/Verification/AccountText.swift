import Backend
import Bytes
import Store

/// A text message with a new code to a number of an account.
struct AccountText: Sendable {
    let purpose: TextPurpose
    /// `sms` or `whatsapp`.
    let channel: String
    /// What is written down of it, and whether with the channel.
    let auditAction: AuditAction?
    let tellsChannel: Bool

    /// Signs in. Source: supabase-core.md 10.4.
    static func signIn(_ channel: String) -> AccountText {
        AccountText(
            purpose: .confirmation, channel: channel, auditAction: .recoveryRequested, tellsChannel: true)
    }

    /// Confirms a sign-up, once more. Source: supabase-core.md 10.9.
    static let confirmation = AccountText(
        purpose: .confirmation, channel: "sms", auditAction: .recoveryRequested, tellsChannel: false)
    /// Confirms the number that waits, once more. Source: supabase-core.md 10.9.
    static let phoneChange = AccountText(
        purpose: .phoneChange, channel: "sms", auditAction: nil, tellsChannel: false)
    /// Proves a change. Source: supabase-core.md 10.10.
    static let reauthentication = AccountText(
        purpose: .reauthentication, channel: "sms", auditAction: .reauthenticateRequested, tellsChannel: false)

    /// The number that it goes to; nil when there is none.
    func number(_ user: UserRow) -> String? {
        let number = purpose == .phoneChange ? user.phoneChange : user.phone
        return (number ?? "").isEmpty ? nil : number
    }

    func sentAt(_ user: UserRow) -> Timestamp? {
        switch purpose {
        case .confirmation: user.confirmationSentAt
        case .phoneChange: user.phoneChangeSentAt
        case .reauthentication: user.reauthenticationSentAt
        }
    }

    var keptType: OneTimeTokenType {
        switch purpose {
        case .confirmation: .confirmation
        case .phoneChange: .phoneChange
        case .reauthentication: .reauthentication
        }
    }
}

extension InProcessBackend {
    /// Sends a number of an account a new code. An account that is gone meanwhile, or has another number, is passed
    /// over.
    /// - Throws: `smsSendInterval`, `smsProviderMissing`, `smsNotDelivered`.
    func text(_ text: AccountText, to known: UserRow) async throws(AuthError) -> MessageReceipt {
        guard let phone = text.number(known) else { return MessageReceipt() }
        let interval = SendInterval(interval: policy.smsSendInterval)
        try interval.check(lastSent: text.sentAt(known), now: clock.now(), .smsSendInterval)
        let sent = try await sendCode(text.purpose, to: phone, channel: text.channel)
        try await transaction { tx in
            try await tx.lock(user: known.id)
            guard var user = try await tx.user(known.id), text.number(user) == phone else { return }
            let now = self.clock.now()
            try interval.check(lastSent: text.sentAt(user), now: now, .smsSendInterval)
            user.updatedAt = now
            let columns = user.keep(sent.stored, text.keptType, at: now)
            try await tx.update(user, columns)
            try await self.keep(sent.stored, text.keptType, of: user.id, relatesTo: phone, at: now, in: tx)
            guard let action = text.auditAction else { return }
            var traits: [(name: StaticString, value: String)] = []
            if text.tellsChannel { traits.append(("channel", text.channel)) }
            try await self.audit(action, by: AuditActor(user), traits, at: now, in: tx)
        }
        return MessageReceipt(messageID: sent.messageID)
    }
}
