public import Backend
import Bytes
import JSON
import Store

/// A request for a code or link that signs in, as far as it is judged before an account is looked up.
struct SignInRequest: Sendable {
    let address: SignUpRequest.Address
    let channel: String
    let createsUser: Bool
    let metadata: JSONObject?
    let flow: PKCERules.Flow?
}

extension InProcessBackend {
    /// Sends a code or link that signs in; makes the account when it may. Source: supabase-core.md 10.4, FR-12.
    ///
    /// - Throws: `otpEmailAndPhone`, `otpChannelWithEmail`, `otpSignUpsNotAllowed`, `otpAddressMissing`,
    ///   `otpPhoneDisabled`, `emailLoginsDisabled`, `magicLinkDisabled`, `signUpDisabled`, the faults of addresses, of
    ///   PKCE, of metadata, of the send interval and limit, and of mails and messages.
    public func sendCode(
        _ signIn: OneTimeSignIn, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt {
        let email = signIn.email ?? ""
        let phone = signIn.phone ?? ""
        guard email.isEmpty || phone.isEmpty else { throw AuthError(.otpEmailAndPhone) }
        guard email.isEmpty || (signIn.channel ?? "").isEmpty else { throw AuthError(.otpChannelWithEmail) }
        let flow = try PKCERules.flow(signIn.pkce)
        guard !email.isEmpty || !phone.isEmpty else { throw AuthError(.otpAddressMissing) }
        if !signIn.createsUser, !policy.preventsEnumeration {
            guard try await isKnown(email: email, phone: phone, context) else { throw AuthError(.otpSignUpsNotAllowed) }
        }
        if phone.isEmpty {
            try checkMagicLinks()
            let request = SignInRequest(
                address: .email(try EmailAddress(validating: email).text), channel: "",
                createsUser: signIn.createsUser, metadata: signIn.userMetadata, flow: flow)
            try await self.signIn(request, context)
            return MessageReceipt()
        }
        guard policy.isPhoneEnabled else { throw AuthError(.otpPhoneDisabled) }
        let number = try PhoneNumber(validating: phone).digits
        let request = SignInRequest(
            address: .phone(number), channel: try MessageChannel.judged(signIn.channel),
            createsUser: signIn.createsUser, metadata: signIn.userMetadata, flow: nil)
        let receipt = try await self.signIn(request, context)
        // A number that only known accounts get would tell them apart.
        return policy.preventsEnumeration ? MessageReceipt() : receipt
    }

    /// Sends a link that signs in; makes the account when there is none. Source: supabase-core.md 10.5.
    ///
    /// - Throws: `emailLoginsDisabled`, `magicLinkDisabled`, `magicLinkEmailMissing`, and what ``sendCode(_:_:)`` does.
    public func sendMagicLink(_ link: MagicLink, _ context: RequestContext) async throws(AuthError) {
        try checkMagicLinks()
        guard let email = link.email, !email.isEmpty else { throw AuthError(.magicLinkEmailMissing) }
        let address = SignUpRequest.Address.email(try EmailAddress(validating: email).text)
        let flow = try PKCERules.flow(link.pkce)
        let request = SignInRequest(
            address: address, channel: "", createsUser: true, metadata: link.userMetadata, flow: flow)
        try await signIn(request, context)
    }

    private func checkMagicLinks() throws(AuthError) {
        guard policy.isEmailEnabled else { throw AuthError(.emailLoginsDisabled) }
        guard policy.isMagicLinkEnabled else { throw AuthError(.magicLinkDisabled) }
    }

    /// Whether there is an account; a malformed address has none.
    private func isKnown(
        email: String, phone: String, _ context: RequestContext
    ) async throws(AuthError) -> Bool {
        let address: SignUpRequest.Address
        if phone.isEmpty {
            guard let valid = try? EmailAddress(validating: email) else { return false }
            address = .email(valid.text)
        } else {
            guard let valid = try? PhoneNumber(validating: phone) else { return false }
            address = .phone(valid.digits)
        }
        return try await find(address, context) != nil
    }

    private func find(
        _ address: SignUpRequest.Address, _ context: RequestContext
    ) async throws(AuthError) -> UserRow? {
        let audience = try audience(context)
        return try await read { reader in
            switch address {
            case .email(let email): try await reader.user(email: email, audience: audience)
            case .phone(let phone): try await reader.user(phone: phone, audience: audience)
            }
        }
    }

    // MARK: Known or not

    @discardableResult
    private func signIn(
        _ request: SignInRequest, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt {
        let signUp = try SignUpRequest(
            passwordless: request.address, metadata: request.metadata, channel: request.channel, flow: request.flow,
            policy)
        // Before the account is looked up: a fault of the metadata tells nothing about it.
        try checkSize(signUp)
        let mayCreate = request.createsUser && !policy.isSignUpDisabled
        guard mayCreate || !policy.preventsEnumeration else {
            return try await signInSilently(request, signUp, context)
        }
        try checkAsked([.signIn, .confirmation], request.address)
        let receipt: MessageReceipt
        if let user = try await find(request.address, context) {
            receipt = try await signIn(user, request, signUp, context)
        } else {
            guard mayCreate else {
                if request.createsUser, !policy.hidesClosedSignUps { throw AuthError(.signUpDisabled) }
                throw AuthError(.otpSignUpsNotAllowed)
            }
            receipt = try await register(signUp, context)
        }
        noteAsked([.signIn, .confirmation], request.address)
        return receipt
    }

    /// Where no account is made and none is told of: a known address gets its code, and every address the same answer.
    private func signInSilently(
        _ request: SignInRequest, _ signUp: SignUpRequest, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt {
        let user = try await find(request.address, context)
        if user == nil, request.createsUser, !policy.hidesClosedSignUps { throw AuthError(.signUpDisabled) }
        guard isFirstAsked([.signIn], request.address), let user else {
            noteAsked([.confirmation], request.address)
            try await spendATransaction()
            return MessageReceipt()
        }
        noteAsked([.confirmation], request.address)
        do throws(AuthError) {
            return try await signIn(user, request, signUp, context)
        } catch {
            guard error.tellsAnAccount else { throw error }
            try await spendATransaction()
            return MessageReceipt()
        }
    }

    private func signIn(
        _ user: UserRow, _ request: SignInRequest, _ signUp: SignUpRequest, _ context: RequestContext
    ) async throws(AuthError) -> MessageReceipt {
        if !signUp.isConfirmed(user) {
            if policy.isSignUpDisabled, !policy.hidesClosedSignUps { throw AuthError(.signUpDisabled) }
            // Under auto-confirm the code itself confirms: nobody is let in without proof (deviations.md).
            if !signUp.isAutoconfirmed(policy) { return try await register(signUp, context) }
        }
        switch request.address {
        case .email:
            try await mail(.magicLink, to: user, flow: request.flow, context)
            return MessageReceipt()
        case .phone: return try await text(.signIn(request.channel), to: user)
        }
    }

    /// Signs the address up; its confirmation is what signs in. Under auto-confirm the account is there at once, and
    /// the code is sent to it. Source: supabase-core.md 10.4, 10.5.
    private func register(_ signUp: SignUpRequest, _ context: RequestContext) async throws(AuthError) -> MessageReceipt
    {
        let hash = BcryptShape.unknowable(cost: policy.bcryptCost, random)
        guard case .signedIn(let session) = try await self.signUp(signUp, passwordHash: hash, context) else {
            return MessageReceipt()
        }
        let id = session.user.id
        guard let user = try await read({ try await $0.user(id) }) else { return MessageReceipt() }
        switch signUp.address {
        case .email:
            try await mail(.magicLink, to: user, flow: signUp.flow, context)
            return MessageReceipt()
        case .phone: return try await text(.signIn(signUp.channel), to: user)
        }
    }

    /// The store's part of a sending, so that an unknown address takes as long as a known one. Leaves nothing behind.
    func spendATransaction() async throws(AuthError) {
        let now = clock.now()
        try await transaction { tx in
            let row = OutboxRow(channel: "none", recipient: "", payload: .emptyObject, createdAt: now)
            try await tx.delete(outbox: try await tx.insert(row))
        }
    }
}

extension SignUpRequest {
    /// Whether the account has shown that the address is its own.
    func isConfirmed(_ user: UserRow) -> Bool {
        switch address {
        case .email: user.emailConfirmedAt != nil
        case .phone: user.phoneConfirmedAt != nil
        }
    }
}

extension AuthError {
    /// A refusal that only an account can meet: to send to it once more, or at all.
    var tellsAnAccount: Bool {
        switch reason {
        case .emailSendInterval, .smsSendInterval, .emailSendLimit, .smsSendLimit, .emailNotAuthorized,
            .mailNotDelivered, .smsNotDelivered, .smsProviderMissing:
            true
        default: false
        }
    }
}
