public import Backend
import Bytes
import Store

/// A request for a message once more that passed the checks which need no account. Source: supabase-core.md 10.9.
private struct ResendRequest: Sendable {
    enum Kind: String { case signup, sms, emailChange = "email_change", phoneChange = "phone_change" }

    let kind: Kind
    let address: SignUpRequest.Address
    let flow: PKCERules.Flow?

    /// The message confirms a sign-up.
    var confirms: Bool {
        switch kind {
        case .signup, .sms: true
        case .emailChange, .phoneChange: false
        }
    }

    /// Judged in the reference's order.
    init(_ resend: Resend, _ policy: Policy) throws(AuthError) {
        guard let kind = Kind(rawValue: resend.type) else { throw AuthError(.resendTypeMissing) }
        self.kind = kind
        let email = resend.email ?? ""
        let phone = resend.phone ?? ""
        switch kind {
        case .signup, .emailChange: flow = try PKCERules.flow(resend.pkce)
        case .sms, .phoneChange: flow = nil
        }
        if kind == .signup, email.isEmpty { throw AuthError(.resendEmailMissing) }
        if kind == .sms, phone.isEmpty { throw AuthError(.resendPhoneMissing) }
        guard email.isEmpty || phone.isEmpty else { throw AuthError(.resendEmailAndPhone) }
        if !email.isEmpty {
            guard policy.isEmailEnabled else { throw AuthError(.sendingEmailDisabled) }
            address = .email(try EmailAddress(validating: email).text)
        } else if !phone.isEmpty {
            guard policy.isPhoneEnabled else { throw AuthError(.resendPhoneDisabled) }
            address = .phone(try PhoneNumber(validating: phone).digits)
        } else {
            throw AuthError(.resendAddressMissing)
        }
    }
}

extension InProcessBackend {
    /// Sends a message once more, with a new code. What there is nothing to send for is answered alike.
    /// Source: supabase-core.md 10.9, FR-64.
    ///
    /// - Throws: `resendTypeMissing`, `resendEmailMissing`, `resendPhoneMissing`, `resendEmailAndPhone`,
    ///   `resendAddressMissing`, `resendPhoneDisabled`, `sendingEmailDisabled`, the faults of addresses and of PKCE;
    ///   unless enumeration is prevented those of sending.
    public func resend(
        _ resend: Resend, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt {
        let request = try ResendRequest(resend, policy)
        let audience = try audience(context)
        if policy.preventsEnumeration, request.confirms, !isFirstAsked([.confirmation], request.address) {
            try await spendATransaction()
            return MessageReceipt()
        }
        let user = try await read { reader in
            switch request.address {
            case .email(let email): try await reader.user(email: email, audience: audience)
            case .phone(let phone): try await reader.user(phone: phone, audience: audience)
            }
        }
        do throws(AuthError) {
            if let user, let receipt = try await self.resend(request, to: user, context) {
                return policy.preventsEnumeration ? MessageReceipt() : receipt
            }
        } catch {
            guard policy.preventsEnumeration, error.tellsAnAccount else { throw error }
            try await spendATransaction()
            return MessageReceipt()
        }
        if policy.preventsEnumeration { try await spendATransaction() }
        return MessageReceipt()
    }

    /// nil when there is nothing to send.
    private func resend(
        _ request: ResendRequest, to user: UserRow, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt? {
        switch request.kind {
        case .signup:
            guard user.emailConfirmedAt == nil else { return nil }
            try await mail(.confirmation, to: user, flow: request.flow, context)
            return MessageReceipt()
        case .sms:
            guard user.phoneConfirmedAt == nil else { return nil }
            return try await text(.confirmation, to: user)
        case .emailChange:
            guard !user.emailChange.isEmpty else { return nil }
            try await mailChange(of: user, request.flow, context)
            return MessageReceipt()
        case .phoneChange:
            guard !user.phoneChange.isEmpty else { return nil }
            return try await text(.phoneChange, to: user)
        }
    }

    /// Both mails of a change of address once more; an answer of the one address that was there already is forgotten.
    private func mailChange(
        of known: UserRow, _ flow: PKCERules.Flow?, _ context: RequestContext
    ) async throws(AuthError) {
        let interval = SendInterval(interval: policy.emailSendInterval)
        try interval.check(lastSent: known.emailChangeSentAt, now: clock.now(), .emailSendInterval)
        let newEmail = known.emailChange
        let newMail = changeMail(to: newEmail, newEmail, known, flow, context)
        var currentMail: PreparedMail?
        if policy.emailChangeNeedsBoth, let current = known.email, !current.isEmpty {
            currentMail = changeMail(to: current, newEmail, known, flow, context)
        }
        try await send([newMail, currentMail].compactMap { $0 })
        try await transaction { [currentMail] tx in
            try await tx.lock(user: known.id)
            guard var user = try await tx.user(known.id), user.emailChange == newEmail, user.email == known.email else {
                return
            }
            let now = self.clock.now()
            try interval.check(lastSent: user.emailChangeSentAt, now: now, .emailSendInterval)
            user.updatedAt = now
            let columns = try await self.awaitEmailChange(
                newEmail, newMail, currentMail, flow, &user, at: now, in: tx)
            try await tx.update(user, columns)
        }
        wakeOutbox()
    }
}
