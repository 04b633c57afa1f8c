import Backend
import Bytes
import Store

/// A mail with a new code to the address that an account has. Source: supabase-admin.md 13.1.
enum AccountMail: Sendable {
    case confirmation
    case magicLink
    case recovery
    /// No link: a code to be typed where a change asks for it.
    case reauthentication

    /// The code's column and type; nil for the one that proves a change.
    private var purpose: VerificationPurpose? {
        switch self {
        case .confirmation: .signUp
        case .magicLink: .magicLink
        case .recovery: .recovery
        case .reauthentication: nil
        }
    }

    func sentAt(_ user: UserRow) -> Timestamp? {
        guard let purpose else { return user.reauthenticationSentAt }
        return purpose.sentAt(user)
    }

    var keptType: OneTimeTokenType { purpose?.keptType ?? .reauthentication }

    /// `authentication_method` of a PKCE flow that begins with it.
    var flowMethod: String {
        switch self {
        case .confirmation: "email/signup"
        case .magicLink: "magiclink"
        case .recovery: "recovery"
        case .reauthentication: ""
        }
    }

    /// `provider_type` of that flow.
    var flowProvider: String {
        if case .confirmation = self { return "email" }
        return flowMethod
    }

    var auditAction: AuditAction {
        switch self {
        case .confirmation: .confirmationRequested
        case .magicLink, .recovery: .recoveryRequested
        case .reauthentication: .reauthenticateRequested
        }
    }
}

extension UserRow {
    /// Keeps a code in the column of its kind; older ones of the kind are dead.
    mutating func keep(_ stored: String, _ type: OneTimeTokenType, at now: Timestamp) -> UserColumns {
        switch type {
        case .confirmation:
            self.confirmationToken = stored
            self.confirmationSentAt = now
            return .confirmation
        case .recovery:
            self.recoveryToken = stored
            self.recoverySentAt = now
            return .recovery
        case .reauthentication:
            self.reauthenticationToken = stored
            self.reauthenticationSentAt = now
            return .reauthentication
        case .emailChangeNew:
            self.emailChangeTokenNew = stored
            self.emailChangeSentAt = now
            return .emailChange
        case .emailChangeCurrent:
            self.emailChangeTokenCurrent = stored
            self.emailChangeSentAt = now
            return .emailChange
        case .phoneChange:
            self.phoneChangeToken = stored
            self.phoneChangeSentAt = now
            return .phoneChange
        }
    }
}

extension InProcessBackend {
    /// Mails an account a new code. An account that is gone meanwhile, or has another address, is passed over: the code
    /// is good for nothing then.
    /// - Throws: `emailSendInterval`, `emailSendLimit`, `emailNotAuthorized`, `mailNotDelivered`.
    func mail(
        _ kind: AccountMail, to known: UserRow, flow: PKCERules.Flow? = nil, _ context: RequestContext
    ) async throws(AuthError) {
        guard let address = known.email, !address.isEmpty else { return }
        let interval = SendInterval(interval: policy.emailSendInterval)
        try interval.check(lastSent: kind.sentAt(known), now: clock.now(), .emailSendInterval)
        let mail = prepare(kind, to: address, known, isPKCE: flow != nil, context)
        try await send([mail])
        try await transaction { tx in
            try await tx.lock(user: known.id)
            guard var user = try await tx.user(known.id), user.email == address else { return }
            if case .confirmation = kind, user.emailConfirmedAt != nil { return }
            let now = self.clock.now()
            try interval.check(lastSent: kind.sentAt(user), now: now, .emailSendInterval)
            user.updatedAt = now
            let columns = user.keep(mail.stored, kind.keptType, at: now)
            try await tx.update(user, columns)
            try await self.keep(mail.stored, kind.keptType, of: user.id, relatesTo: address, at: now, in: tx)
            try await self.beginFlow(
                flow, kind.flowProvider, method: kind.flowMethod, user: user.id, at: now, in: tx)
            try await self.enqueue([mail], at: now, in: tx)
            try await self.audit(kind.auditAction, by: AuditActor(user), at: now, in: tx)
        }
        wakeOutbox()
    }

    private func prepare(
        _ kind: AccountMail, to address: String, _ user: UserRow, isPKCE: Bool, _ context: RequestContext
    ) -> PreparedMail {
        let (mail, link): (MailKind, LinkKind)
        switch kind {
        case .confirmation: (mail, link) = (.confirmation, .signUp)
        case .magicLink: (mail, link) = (.magicLink, .magicLink)
        case .recovery: (mail, link) = (.recovery, .recovery)
        case .reauthentication: return prepareReauthentication(to: address, metadata: user.userMetadata)
        }
        return prepare(
            mail, link, to: address, account: address, metadata: user.userMetadata, isPKCE: isPKCE, context)
    }
}
