import Backend
import JSON

/// A sign-up that passed the checks which need no account to be looked at. Source: supabase-core.md 10.1.
struct SignUpRequest: Sendable {
    enum Address: Sendable {
        case email(String)
        case phone(String)
    }

    let address: Address
    let password: Password
    let metadata: JSONObject
    let channel: String
    let flow: PKCERules.Flow?

    /// Judged in the reference's order.
    init(_ signUp: SignUp, _ policy: Policy, isLeaked: Bool = false) throws(AuthError) {
        guard !policy.isSignUpDisabled else { throw AuthError(.signUpDisabled) }
        guard let password = signUp.password, !password.isEmpty else { throw AuthError(.signUpPasswordMissing) }
        try PasswordRules(policy, isLeaked: isLeaked).check(password)
        let email = signUp.email ?? ""
        let phone = signUp.phone ?? ""
        guard email.isEmpty || phone.isEmpty else { throw AuthError(.signUpEmailAndPhone) }
        channel = phone.isEmpty ? "" : try MessageChannel.judged(signUp.channel)
        if !phone.isEmpty, !(signUp.pkce.challenge ?? "").isEmpty { throw AuthError(.pkceWithPhone) }
        flow = try PKCERules.flow(signUp.pkce)
        if phone.isEmpty {
            guard policy.isEmailEnabled else { throw AuthError(.emailSignUpsDisabled) }
            address = .email(try EmailAddress(validating: email).text)
        } else {
            guard policy.isPhoneEnabled else { throw AuthError(.phoneSignUpsDisabled) }
            address = .phone(try PhoneNumber(validating: phone).digits)
        }
        try Metadata.check(signUp.userMetadata)
        metadata = signUp.userMetadata ?? [:]
        self.password = password
    }

    /// The sign-up behind a request for a code or link: the account gets no password of its owner's. Judged are the
    /// address's provider and the metadata; the rest was before.
    init(
        passwordless address: Address, metadata: JSONObject?, channel: String, flow: PKCERules.Flow?, _ policy: Policy
    ) throws(AuthError) {
        switch address {
        case .email: guard policy.isEmailEnabled else { throw AuthError(.emailSignUpsDisabled) }
        case .phone: guard policy.isPhoneEnabled else { throw AuthError(.phoneSignUpsDisabled) }
        }
        try Metadata.check(metadata)
        self.address = address
        self.metadata = metadata ?? [:]
        self.channel = channel
        self.flow = flow
        password = Password("")
    }

    /// `email` or `phone`.
    var provider: String {
        switch address {
        case .email: "email"
        case .phone: "phone"
        }
    }

    /// Whether an account of this address is confirmed without proof.
    func isAutoconfirmed(_ policy: Policy) -> Bool {
        switch address {
        case .email: policy.autoconfirmsEmail
        case .phone: policy.autoconfirmsPhone
        }
    }
}

/// The ways to a phone. Source: supabase-core.md 9.2.
enum MessageChannel {
    /// The channel that was asked for; `sms` when none was.
    /// - Throws: `channelInvalid`.
    static func judged(_ channel: String?) throws(AuthError) -> String {
        guard let channel, !channel.isEmpty else { return "sms" }
        guard channel == "sms" else { throw AuthError(.channelInvalid) }
        return channel
    }
}
