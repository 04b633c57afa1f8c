internal import Backend

/// The rows, in the order of ``AuthError/Reason``. Sentences are the reference's, since clients compare them.
extension ErrorTable {
    static let callers: [Row] = [
        Row(.bearerMissing, 401, "no_authorization", "This endpoint requires a valid Bearer token"),
        Row(.tokenInvalid, 403, "bad_jwt", "invalid JWT: unable to parse or verify signature, {0}"),
        Row(.subjectMissing, 403, "bad_jwt", "invalid claim: missing sub claim"),
        Row(.subjectNotUUID, 400, "bad_jwt", "invalid claim: sub claim must be a UUID"),
        Row(.subjectUnknown, 403, "user_not_found", "User from sub claim in JWT does not exist"),
        Row(.sessionIDNotUUID, 403, "bad_jwt", "invalid claim: session_id claim must be a UUID"),
        Row(.sessionUnknown, 403, "session_not_found", "Session from session_id claim in JWT does not exist"),
        Row(.sessionNoLongerValid, 403, "session_expired", "Session is no longer valid"),
        Row(.userBanned, 403, "user_banned", "User is banned"),
        Row(.notAdministrator, 403, "not_admin", "User not allowed"),
        Row(.audienceMismatch, 400, "validation_failed", "Token audience doesn't match request audience"),
    ]

    static let addresses: [Row] = [
        Row(.emailMissing, 400, "validation_failed", "An email address is required"),
        Row(.emailTooLong, 400, "validation_failed", "An email address is too long"),
        Row(.emailMalformed, 400, "validation_failed", "Unable to validate email address: invalid format"),
        Row(.phoneMalformed, 400, "validation_failed", "Invalid phone number format (E.164 required)"),
        Row(
            .channelInvalid, 400, "validation_failed",
            "Invalid channel, supported values are 'sms' or 'whatsapp'. "
                + "'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider."),
        Row(.passwordTooLong, 400, "validation_failed", "Password cannot be longer than 72 characters"),
        Row(.passwordWeak, 422, "weak_password", "{0}"),
        Row(
            .passwordQueueFull, 503, "unexpected_failure",
            "Too many passwords are being checked, please retry after a moment."),
        Row(.textHasNUL, 400, "validation_failed", "Texts must not contain the character U+0000"),
        Row(.audienceTooLong, 400, "validation_failed", "An audience cannot be longer than 255 characters"),
        Row(.roleTooLong, 400, "validation_failed", "A role cannot be longer than 255 characters"),
    ]

    static let signUps: [Row] = [
        Row(.signUpDisabled, 422, "signup_disabled", "Signups not allowed for this instance"),
        Row(.signUpPasswordMissing, 400, "validation_failed", "Signup requires a valid password"),
        Row(
            .signUpEmailAndPhone, 400, "validation_failed",
            "Only an email address or phone number should be provided on signup."),
        Row(.pkceWithPhone, 400, "validation_failed", "PKCE not supported for phone signups"),
        Row(
            .pkceIncomplete, 400, "validation_failed", "PKCE flow requires code_challenge_method and code_challenge"),
        Row(
            .pkceChallengeLength, 400, "validation_failed",
            "code challenge has to be between 43 and 128 characters"),
        Row(
            .pkceChallengeCharacters, 400, "validation_failed",
            "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes"),
        Row(.pkceMethodInvalid, 400, "validation_failed", "code challenge method has to be s256 or plain"),
        Row(.emailSignUpsDisabled, 400, "email_provider_disabled", "Email signups are disabled"),
        Row(.phoneSignUpsDisabled, 400, "phone_provider_disabled", "Phone signups are disabled"),
        Row(.anonymousSignInsDisabled, 422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled"),
        Row(.userAlreadyExists, 422, "user_already_exists", "User already registered"),
    ]

    static let sending: [Row] = [
        Row(
            .emailSendInterval, 429, "over_email_send_rate_limit",
            "For security purposes, you can only request this after {0} seconds."),
        Row(
            .smsSendInterval, 429, "over_sms_send_rate_limit",
            "For security purposes, you can only request this after {0} seconds."),
        Row(.emailSendLimit, 429, "over_email_send_rate_limit", "email rate limit exceeded"),
        Row(.smsSendLimit, 429, "over_sms_send_rate_limit", "SMS rate limit exceeded"),
        Row(
            .emailNotAuthorized, 400, "email_address_not_authorized",
            "Email address \"{0}\" cannot be used as it is not authorized"),
        Row(.emailRefused, 400, "email_address_invalid", "Email address \"{0}\" is invalid"),
        Row(.mailNotDelivered, 500, "unexpected_failure", "Error sending {0} email"),
        Row(.smsNotDelivered, 422, "sms_send_failed", "Error sending {0} OTP to provider: {1}"),
        Row(.smsProviderMissing, 500, "unexpected_failure", "Unable to get SMS provider"),
    ]

    static let requestedMessages: [Row] = [
        Row(
            .otpEmailAndPhone, 400, "validation_failed", "Only an email address or phone number should be provided"),
        Row(
            .otpChannelWithEmail, 400, "validation_failed", "Channel should only be specified with Phone OTP"),
        Row(.otpSignUpsNotAllowed, 422, "otp_disabled", "Signups not allowed for otp"),
        Row(.otpAddressMissing, 400, "validation_failed", "One of email or phone must be set"),
        Row(.otpPhoneDisabled, 400, "phone_provider_disabled", "Unsupported phone provider"),
        Row(.magicLinkDisabled, 422, "email_provider_disabled", "Login with magic link is disabled"),
        Row(.magicLinkEmailMissing, 422, "validation_failed", "Password recovery requires an email"),
        Row(.recoveryEmailMissing, 400, "validation_failed", "Password recovery requires an email"),
        Row(.sendingEmailDisabled, 400, "email_provider_disabled", "Email logins are disabled"),
        Row(
            .resendTypeMissing, 400, "validation_failed",
            "Missing one of these types: signup, email_change, sms, phone_change"),
        Row(.resendEmailMissing, 400, "validation_failed", "Type provided requires an email address"),
        Row(.resendPhoneMissing, 400, "validation_failed", "Type provided requires a phone number"),
        Row(
            .resendEmailAndPhone, 400, "validation_failed",
            "Only an email address or phone number should be provided."),
        Row(.resendAddressMissing, 400, "validation_failed", "Missing email address or phone number"),
        Row(.resendPhoneDisabled, 400, "phone_provider_disabled", "Phone logins are disabled"),
        Row(
            .reauthenticationAddressMissing, 400, "validation_failed",
            "Reauthentication requires the user to have an email or a phone number"),
        Row(
            .reauthenticationEmailNotConfirmed, 422, "email_not_confirmed", "Please verify your email first."),
        Row(
            .reauthenticationPhoneNotConfirmed, 422, "phone_not_confirmed", "Please verify your phone first."),
    ]

    static let grants: [Row] = [
        Row(.grantTypeUnsupported, 400, "invalid_credentials", "unsupported_grant_type"),
        Row(
            .signInEmailAndPhone, 400, "validation_failed",
            "Only an email address or phone number should be provided on login."),
        Row(.emailLoginsDisabled, 422, "email_provider_disabled", "Email logins are disabled"),
        Row(.phoneLoginsDisabled, 422, "phone_provider_disabled", "Phone logins are disabled"),
        Row(.signInAddressMissing, 400, "validation_failed", "missing email or phone"),
        Row(.invalidCredentials, 400, "invalid_credentials", "Invalid login credentials"),
        Row(.signInUserBanned, 400, "user_banned", "User is banned"),
        Row(.emailNotConfirmed, 400, "email_not_confirmed", "Email not confirmed"),
        Row(.phoneNotConfirmed, 400, "phone_not_confirmed", "Phone not confirmed"),
    ]

    static let refreshes: [Row] = [
        Row(.refreshTokenMalformed, 400, "validation_failed", "Refresh token is not valid"),
        Row(
            .refreshTokenNotFound, 400, "refresh_token_not_found",
            "Invalid Refresh Token: Refresh Token Not Found"),
        Row(.refreshUserBanned, 400, "user_banned", "Invalid Refresh Token: User Banned"),
        Row(.refreshSessionMissing, 400, "session_not_found", "Invalid Refresh Token: No Valid Session Found"),
        Row(
            .refreshTokenNotIssuedHere, 400, "validation_failed",
            "Invalid Refresh Token: Not Issued By This Server"),
        Row(.refreshTokenAlreadyUsed, 400, "refresh_token_already_used", "Invalid Refresh Token: Already Used"),
        Row(
            .refreshConflict, 409, "conflict",
            "Too many concurrent token refresh requests on the same session or refresh token"),
        Row(.refreshSessionExpired, 400, "session_expired", "Invalid Refresh Token: Session Expired"),
        Row(.refreshSessionInactive, 400, "session_expired", "Invalid Refresh Token: Session Expired (Inactivity)"),
        Row(
            .refreshSessionLowAAL, 400, "session_expired",
            "Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)"),
        Row(
            .refreshSessionRevokedByNewer, 400, "session_expired",
            "Invalid Refresh Token: Session Expired (Revoked by Newer Login)"),
    ]

    static let exchanges: [Row] = [
        Row(
            .exchangeIncomplete, 400, "validation_failed",
            "invalid request: both auth code and code verifier should be non-empty"),
        Row(.flowStateNotFound, 404, "flow_state_not_found", "invalid flow state, no valid flow state found"),
        Row(.flowStateExpired, 422, "flow_state_expired", "invalid flow state, flow state has expired"),
        Row(
            .codeVerifierMismatch, 400, "bad_code_verifier",
            "code challenge does not match previously saved code verifier"),
    ]

    static let verifications: [Row] = [
        Row(.verifyTypeMissing, 400, "validation_failed", "Verify requires a verification type"),
        Row(.verifyTokenMissing, 400, "validation_failed", "Verify requires a token or a token hash"),
        Row(.verifyTokenAndHash, 400, "validation_failed", "Verify requires either a token or a token hash"),
        Row(
            .verifyAddressNotSingle, 400, "validation_failed",
            "Only an email address or phone number should be provided on verify"),
        Row(.verifyHashNotAlone, 400, "validation_failed", "Only the token_hash and type should be provided"),
        Row(.verifyEmailMalformed, 422, "validation_failed", "Invalid email format"),
        Row(.verifyTypeInvalid, 400, "validation_failed", "Invalid email verification type"),
        Row(.linkExpired, 403, "otp_expired", "Email link is invalid or has expired"),
        Row(.codeExpired, 403, "otp_expired", "Token has expired or is invalid"),
        Row(
            .linkFlowStateMissing, 400, "flow_state_not_found",
            "No associated flow state found. 422: No valid flow state found for user."),
    ]

    static let changes: [Row] = [
        Row(.logoutScopeUnsupported, 400, "validation_failed", "Unsupported logout scope {0}"),
        Row(.appMetadataNeedsAdmin, 403, "not_admin", "Updating app_metadata requires admin privileges"),
        Row(
            .aal2Required, 401, "insufficient_aal",
            "AAL2 session is required to update email or password when MFA is enabled.",
            detailCode: "REAUTHENTICATION_REQUIRED"),
        Row(
            .anonymousPasswordNeedsAddress, 422, "validation_failed",
            "Updating password of an anonymous user without an email or phone is not allowed"),
        Row(
            .ssoManaged, 422, "user_sso_managed",
            "Updating email, phone, password of a SSO account only possible via SSO"),
        Row(
            .emailExists, 422, "email_exists",
            "A user with this email address has already been registered"),
        Row(.phoneExists, 422, "phone_exists", "A user with this phone number has already been registered"),
        Row(
            .reauthenticationNeeded, 400, "reauthentication_needed", "Password update requires reauthentication",
            detailCode: "REAUTHENTICATION_REQUIRED"),
        Row(.reauthenticationInvalid, 422, "reauthentication_not_valid", "Nonce has expired or is invalid"),
        Row(
            .currentPasswordMissing, 400, "current_password_required",
            "Current password required when setting new password."),
        Row(
            .currentPasswordWrong, 400, "current_password_invalid",
            "Current password required when setting new password."),
        Row(.samePassword, 422, "same_password", "New password should be different from the old password."),
        Row(
            .userMetadataTooLarge, 422, "validation_failed", "User metadata is too large",
            detailCode: "USER_METADATA_TOO_LARGE"),
    ]

    static let administration: [Row] = [
        Row(
            .adminAddressMissing, 400, "validation_failed",
            "Cannot create a user without either an email or phone"),
        Row(.adminPhoneExists, 422, "phone_exists", "Phone number already registered by another user"),
        Row(
            .adminPasswordAndHash, 400, "validation_failed", "Only a password or a password hash should be provided"),
        Row(
            .adminPasswordHashMalformed, 400, "validation_failed",
            "password_hash has to be a bcrypt, argon2 or firebase scrypt hash"),
        Row(.adminIDMalformed, 400, "validation_failed", "ID must conform to the uuid v4 format"),
        Row(.adminIDNil, 400, "validation_failed", "ID cannot be a nil uuid"),
        Row(.adminIDTaken, 422, "conflict", "A user with this ID already exists"),
        Row(.banDurationMalformed, 400, "validation_failed", "invalid format for ban duration: {0}"),
        Row(.userNotFound, 404, "user_not_found", "User not found"),
        Row(.paginationMalformed, 400, "validation_failed", "Bad Pagination Parameters: {0}"),
        Row(.sortMalformed, 400, "validation_failed", "Bad Sort Parameters: {0}"),
        Row(.factorNotFound, 404, "mfa_factor_not_found", "Factor not found"),
        Row(
            .factorNameTaken, 422, "mfa_factor_name_conflict",
            "A factor with the friendly name \"{0}\" for this user already exists"),
        Row(
            .factorPhoneTaken, 422, "mfa_verified_factor_exists",
            "A phone factor with this number already exists for this user"),
        Row(.linkTypeInvalid, 400, "validation_failed", "Invalid email action link type requested: {0}"),
        Row(.linkUserNotFound, 404, "user_not_found", "User with this email not found"),
        Row(
            .linkNeedsSecureEmailChange, 400, "validation_failed",
            "Enable secure email change to generate link for current email"),
        Row(.auditQueryInvalid, 400, "validation_failed", "Invalid query scope: {0}"),
    ]

    static let failures: [Row] = [
        Row(.unexpected, 500, nil, ErrorAnswer.unexpected.message),
        Row(
            .unavailable, 503, "unexpected_failure",
            "The service is temporarily unavailable, please retry after a moment."),
        Row(
            .timedOut, 504, "request_timeout",
            "Processing this request timed out, please retry after a moment."),
        Row(
            .leakedPasswordsUnknown, 500, "unexpected_failure",
            "Unable to perform password strength check with HaveIBeenPwned.org."),
        Row(.notSupported, 404, "feature_disabled", "This server does not offer this feature"),
        Row(.remote, 502, "unexpected_failure", "The auth server behind this gateway gave no usable answer"),
    ]
}
