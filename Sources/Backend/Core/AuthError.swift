/// A refusal or failure of an operation: why, with what the sentence about it needs.
///
/// How it looks on the wire (status, `error_code`, words) is Compat's error table, one row for each ``Reason``.
public struct AuthError: Error, Sendable, CustomStringConvertible {
    public let reason: Reason
    /// Fills the blanks of the reason's sentence, in order. Never a secret.
    public let arguments: [String]
    /// Which password rules were broken: `length`, `characters`, `pwned`.
    public let weakPasswordReasons: [String]
    /// When trying again makes sense.
    public let retryAfter: Duration?
    /// For the log alone: what happened, without a secret. Never sent.
    public let detail: String
    /// What a remote server answered, to be handed on word by word; ``reason`` is what it means, `.remote` when that is
    /// not known. Reason `.remote` without it: there was no usable answer.
    public let remote: RemoteAnswer?

    public init(
        _ reason: Reason, _ arguments: String..., weakPasswordReasons: [String] = [], retryAfter: Duration? = nil,
        detail: String = "", remote: RemoteAnswer? = nil
    ) {
        self.reason = reason
        self.arguments = arguments
        self.weakPasswordReasons = weakPasswordReasons
        self.retryAfter = retryAfter
        self.detail = detail
        self.remote = remote
    }

    public var description: String {
        detail.isEmpty ? reason.rawValue : "\(reason.rawValue): \(detail)"
    }

    /// An error answer of a remote server.
    public struct RemoteAnswer: Sendable, Equatable {
        public let status: Int
        public let code: String?
        public let message: String
        /// OAuth's `error`, in place of a code (RFC 6749 section 5.2).
        public let oauthError: String?
        public init(status: Int, code: String?, message: String, oauthError: String? = nil) {
            self.status = status
            self.code = code
            self.message = message
            self.oauthError = oauthError
        }
    }

    /// Every reason there is. A new one does not compile until Compat's table has a row for it.
    public enum Reason: String, Sendable, CaseIterable {
        // The caller's credentials (supabase-core.md 5).
        case bearerMissing, tokenInvalid, subjectMissing, subjectNotUUID, subjectUnknown, sessionIDNotUUID
        case sessionUnknown, sessionNoLongerValid, userBanned, notAdministrator, audienceMismatch

        // Addresses and passwords.
        case emailMissing, emailTooLong, emailMalformed, phoneMalformed, channelInvalid
        case passwordTooLong, passwordWeak, passwordQueueFull, leakedPasswordsUnknown
        case textHasNUL, audienceTooLong, roleTooLong

        // Sign-up (10.1).
        case signUpDisabled, signUpPasswordMissing, signUpEmailAndPhone, pkceWithPhone
        case pkceIncomplete, pkceChallengeLength, pkceChallengeCharacters, pkceMethodInvalid
        case emailSignUpsDisabled, phoneSignUpsDisabled, anonymousSignInsDisabled, userAlreadyExists

        // Mail and SMS.
        case emailSendInterval, smsSendInterval, emailSendLimit, smsSendLimit
        case emailNotAuthorized, emailRefused, mailNotDelivered, smsNotDelivered, smsProviderMissing

        // Codes, links and messages that are asked for (10.4–10.6, 10.9, 10.10).
        case otpEmailAndPhone, otpChannelWithEmail, otpSignUpsNotAllowed, otpAddressMissing, otpPhoneDisabled
        case magicLinkDisabled, magicLinkEmailMissing, recoveryEmailMissing, sendingEmailDisabled
        case resendTypeMissing, resendEmailMissing, resendPhoneMissing, resendEmailAndPhone, resendAddressMissing
        case resendPhoneDisabled
        case reauthenticationAddressMissing, reauthenticationEmailNotConfirmed, reauthenticationPhoneNotConfirmed

        // Grants (10.3).
        case grantTypeUnsupported, signInEmailAndPhone, emailLoginsDisabled, phoneLoginsDisabled
        case signInAddressMissing, invalidCredentials, signInUserBanned, emailNotConfirmed, phoneNotConfirmed
        case refreshTokenMalformed, refreshTokenNotFound, refreshUserBanned, refreshSessionMissing
        case refreshTokenNotIssuedHere, refreshTokenAlreadyUsed, refreshConflict
        case refreshSessionExpired, refreshSessionInactive, refreshSessionLowAAL, refreshSessionRevokedByNewer
        case exchangeIncomplete, flowStateNotFound, flowStateExpired, codeVerifierMismatch

        // Verification (10.7, 10.8).
        case verifyTypeMissing, verifyTokenMissing, verifyTokenAndHash, verifyAddressNotSingle, verifyHashNotAlone
        case verifyEmailMalformed, verifyTypeInvalid, linkExpired, codeExpired, linkFlowStateMissing

        // Account changes (10.11, 10.13).
        case logoutScopeUnsupported, appMetadataNeedsAdmin, aal2Required, anonymousPasswordNeedsAddress
        case ssoManaged, emailExists, phoneExists, reauthenticationNeeded, reauthenticationInvalid
        case currentPasswordMissing, currentPasswordWrong, samePassword
        case userMetadataTooLarge

        // Administration (supabase-admin.md 4).
        case adminAddressMissing, adminPhoneExists, adminPasswordAndHash, adminPasswordHashMalformed
        case adminIDMalformed, adminIDNil, adminIDTaken, banDurationMalformed, userNotFound
        case paginationMalformed, sortMalformed
        case factorNotFound, factorNameTaken, factorPhoneTaken
        case linkTypeInvalid, linkUserNotFound, linkNeedsSecureEmailChange, auditQueryInvalid

        // Ours or beyond us.
        case unexpected, unavailable, timedOut, notSupported, remote
    }
}
