public import Backend
import Bytes
import Store

/// What looking for a code led to. A refusal that leaves a trace (a counted try) commits.
private enum CodeOutcome: Sendable {
    case granted(OpenedSession)
    case otherHalfAwaited
    case refused(AuthError)
}

extension InProcessBackend {
    /// Uses up a code or a token hash. Source: supabase-core.md 10.8.
    ///
    /// Exactly one of any number of parallel calls succeeds.
    /// - Throws: `verifyTypeMissing`, `verifyTokenAndHash`, `verifyAddressNotSingle`, `verifyHashNotAlone`,
    ///   `verifyEmailMalformed`, `phoneMalformed`, `verifyTypeInvalid`, `linkExpired`, `codeExpired`, `userBanned`,
    ///   `emailExists`, `phoneExists`.
    public func verify(
        _ verification: Verification, _ context: RequestContext
    ) async throws(AuthError) -> VerificationOutcome {
        let audience = try audience(context)
        let shown = try ShownCode(verification)
        let outcome = try await transaction(conflict: Self.takenMeanwhile) { tx -> CodeOutcome in
            let granted: Granted
            switch shown {
            case .hash(let hash):
                let (user, purpose) = try await self.findLink(hash, type: verification.type, in: tx)
                granted = try await self.grant(purpose, to: user, at: self.clock.now(), in: tx)
            case .email, .phone:
                let found = try await self.findCode(shown, type: verification.type, audience: audience, in: tx)
                guard case .success(let (user, purpose)) = found else {
                    return .refused(AuthError(.codeExpired))
                }
                granted = try await self.grant(purpose, to: user, at: self.clock.now(), in: tx)
            }
            guard case .confirmed(let user) = granted else { return .otherHalfAwaited }
            return .granted(try await self.openSession(for: user, method: "otp", context, in: tx))
        }
        switch outcome {
        case .granted(let opened):
            if policy.notifiesEmailChanged { wakeOutbox() }
            return .signedIn(try await issueReloaded(opened))
        case .otherHalfAwaited: return .otherHalfAwaited
        case .refused(let error): throw error
        }
    }

    /// A unique index refused: another account took the address or number a moment ago.
    static func takenMeanwhile(_ index: String) -> AuthError? {
        if index.contains(text: "phone") { return AuthError(.phoneExists) }
        return index.contains(text: "email") || index.contains(text: "identities") ? AuthError(.emailExists) : nil
    }

    /// Finds the account of a link's token and locks it.
    /// - Throws: `verifyTypeInvalid`, `linkExpired`, `userBanned`.
    func findLink(
        _ hash: String, type: String, in tx: any StoreTransaction
    ) async throws -> (UserRow, VerificationPurpose) {
        guard let types = VerificationPurpose.keptTypes(type, policy) else { throw AuthError(.verifyTypeInvalid) }
        guard !Metadata.hasNUL(hash), let found = try await tx.oneTimeToken(hash: hash, types: types) else {
            throw AuthError(.linkExpired)
        }
        try await tx.lock(user: found.userID)
        // Whoever waited for the lock looks again: the token may be used up.
        guard let row = try await tx.oneTimeToken(hash: hash, types: types), row.userID == found.userID,
            let purpose = VerificationPurpose(type: type, row.type), let user = try await tx.user(row.userID)
        else { throw AuthError(.linkExpired) }
        let now = clock.now()
        if let bannedUntil = user.bannedUntil, now < bannedUntil { throw AuthError(.userBanned) }
        guard !purpose.isExpired(user, policy, now) else { throw AuthError(.linkExpired) }
        return (user, purpose)
    }

    /// Finds the account and the purpose of a code and locks the account; a failure means that a try was counted, and
    /// that the transaction has to be kept.
    /// - Throws: `codeExpired`, `userBanned`.
    private func findCode(
        _ shown: ShownCode, type: String, audience: String, in tx: any StoreTransaction
    ) async throws -> Result<(UserRow, VerificationPurpose), AuthError> {
        guard let id = try await account(of: shown, type: type, audience: audience, in: tx) else {
            throw AuthError(.codeExpired)
        }
        try await tx.lock(user: id)
        guard let user = try await tx.user(id) else { throw AuthError(.codeExpired) }
        let now = clock.now()
        if let bannedUntil = user.bannedUntil, now < bannedUntil { throw AuthError(.userBanned) }
        let candidates = shown.purposes(type, policy)
        if let purpose = candidates.first, shown.isTestCode(policy, now) { return .success((user, purpose)) }
        for purpose in candidates where shown.matches(purpose.stored(user)) {
            guard try await isStillKept(purpose, user, in: tx), !purpose.isExpired(user, policy, now) else { continue }
            return .success((user, purpose))
        }
        guard try await countWrongTry(candidates, user, at: now, in: tx) else { throw AuthError(.codeExpired) }
        return .failure(AuthError(.codeExpired))
    }

    private func account(
        of shown: ShownCode, type: String, audience: String, in tx: any StoreTransaction
    ) async throws -> UserID? {
        switch (type, shown) {
        case ("sms", .phone(let phone, _)): return try await tx.user(phone: phone, audience: audience)?.id
        case ("phone_change", .phone(let phone, _)):
            return try await tx.user(phoneChange: phone, audience: audience)?.id
        case ("sms", _), ("phone_change", _), (_, .phone), (_, .hash): return nil
        case ("email_change", .email(let email, let code)):
            let types = VerificationPurpose.keptTypes(type, policy) ?? []
            let hash = code.hash(for: email)
            for stored in [hash, OneTimeCode.pkcePrefix + hash] {
                if let row = try await tx.oneTimeToken(hash: stored, types: types) { return row.userID }
            }
            // A wrong code: the tries at what went to this address are counted.
            guard policy.wrongCodesMax != nil else { return nil }
            for type in types {
                if let row = try await tx.oneTimeToken(relatesTo: email, type: type) { return row.userID }
            }
            return nil
        case (_, .email(let email, _)): return try await tx.user(email: email, audience: audience)?.id
        }
    }

    /// A change of address dies with the rows that its codes are looked up in. Source: supabase-core.md 8.3.
    private func isStillKept(
        _ purpose: VerificationPurpose, _ user: UserRow, in tx: any StoreTransaction
    ) async throws -> Bool {
        guard case .emailChange = purpose else { return true }
        return try await tx.oneTimeToken(hash: purpose.stored(user), types: [purpose.keptType]) != nil
    }

    /// Counts a wrong try at every code that it could have meant, and kills those that had too many.
    ///
    /// - Returns: whether anything was written.
    private func countWrongTry(
        _ purposes: [VerificationPurpose], _ user: UserRow, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> Bool {
        guard let limit = policy.wrongCodesMax else { return false }
        var user = user
        var hasWritten = false
        for purpose in purposes where !purpose.stored(user).isEmpty {
            hasWritten = true
            guard try await tx.countWrongTry(of: user.id, type: purpose.keptType) >= limit else { continue }
            try await tx.delete(oneTimeToken: purpose.keptType, of: user.id)
            let columns = user.forget(purpose)
            user.updatedAt = now
            try await tx.update(user, columns)
        }
        return hasWritten
    }
}

/// What a caller of `POST /verify` showed. Source: supabase-core.md 10.8 #1–4.
private enum ShownCode: Sendable {
    case hash(String)
    case email(String, OneTimeCode)
    case phone(String, OneTimeCode)

    init(_ verification: Verification) throws(AuthError) {
        guard !verification.type.isEmpty else { throw AuthError(.verifyTypeMissing) }
        let code = verification.code.flatMap { $0.isEmpty ? nil : $0 }
        let hash = verification.tokenHash.flatMap { $0.isEmpty ? nil : $0 }
        let email = verification.email ?? ""
        let phone = verification.phone ?? ""
        switch (code, hash) {
        case (nil, let hash?):
            guard email.isEmpty, phone.isEmpty, (verification.redirectTo ?? "").isEmpty else {
                throw AuthError(.verifyHashNotAlone)
            }
            self = .hash(hash.exposed)
        case (let code?, nil):
            guard email.isEmpty != phone.isEmpty else { throw AuthError(.verifyAddressNotSingle) }
            if email.isEmpty {
                self = .phone(try PhoneNumber(validating: phone).digits, code)
                return
            }
            do {
                self = .email(try EmailAddress(validating: email).text, code)
            } catch {
                throw AuthError(.verifyEmailMalformed)
            }
        case (nil, nil), (_?, _?): throw AuthError(.verifyTokenAndHash)
        }
    }

    /// Whether the code is the one that is kept; in constant time.
    func matches(_ stored: String) -> Bool {
        switch self {
        case .hash: false
        case .email(let address, let code), .phone(let address, let code): code.matches(stored, for: address)
        }
    }

    /// Whether it is the fixed code of its number: good at any time. Source: supabase-core.md 8.5.
    func isTestCode(_ policy: Policy, _ now: Timestamp) -> Bool {
        guard case .phone(let phone, let code) = self, let test = policy.testCode(for: phone, at: now) else {
            return false
        }
        return ConstantTime.equals(code.exposed, test.exposed)
    }

    /// What a code of this type may be good for, in the order in which it is compared; none for unknown types.
    func purposes(_ type: String, _ policy: Policy) -> [VerificationPurpose] {
        switch type {
        case "email": [.signUp, .magicLink]
        case "signup": [.signUp]
        case "invite": [.invite]
        case "recovery": [.recovery]
        case "magiclink": [.magicLink]
        case "email_change":
            policy.emailChangeNeedsBoth ? [.emailChange(.new), .emailChange(.current)] : [.emailChange(.new)]
        case "sms": [.sms]
        case "phone_change": [.phoneChange]
        default: []
        }
    }
}

extension UserRow {
    /// Clears what is kept of a code; returns the columns.
    fileprivate mutating func forget(_ purpose: VerificationPurpose) -> UserColumns {
        switch purpose {
        case .signUp, .invite, .sms:
            self.confirmationToken = ""
            return .confirmation
        case .recovery, .magicLink:
            self.recoveryToken = ""
            return .recovery
        case .emailChange(.new):
            self.emailChangeTokenNew = ""
            return .emailChange
        case .emailChange(.current):
            self.emailChangeTokenCurrent = ""
            return .emailChange
        case .phoneChange:
            self.phoneChangeToken = ""
            return .phoneChange
        }
    }
}
