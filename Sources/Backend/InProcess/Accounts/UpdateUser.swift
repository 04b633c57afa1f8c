public import Backend
import Bytes
import JSON
import Store

extension InProcessBackend {
    /// How fresh a sign-in makes a proof of identity unnecessary. Source: supabase-core.md 10.13 #8.
    private static let reauthenticationAge: Duration = .seconds(24 * 3600)
    /// `amr` methods of sessions that began with a mail: they need not know the password. Source: 10.13 #9.
    private static let recoveryMethods: Set<String> = ["otp", "magiclink", "recovery"]

    /// Changes the caller's own account, whole or not at all. Source: supabase-core.md 10.13.
    ///
    /// - Throws: `emailTooLong`, `emailMalformed`, `phoneMalformed`, `channelInvalid`, `passwordTooLong`,
    ///   `passwordWeak`, `textHasNUL`, `appMetadataNeedsAdmin`, `aal2Required`, `sessionUnknown`,
    ///   `anonymousPasswordNeedsAddress`, `ssoManaged`, `emailExists`, `phoneExists`, `reauthenticationNeeded`,
    ///   `reauthenticationInvalid`, `currentPasswordMissing`, `currentPasswordWrong`, `samePassword`,
    ///   `userMetadataTooLarge`, the faults of PKCE, of the send interval and limit, and of mails and messages.
    public func update(
        _ update: UpdateUser, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        guard let userID = principal.userID else { throw AuthError(.subjectMissing) }
        let account = try await snapshot(userID, principal)
        let change = try AccountChange(update, policy, isLeaked: try await isLeaked(update.password))
        if change.appMetadata != nil, account.user.role != policy.administratorGroup {
            throw AuthError(.appMetadataNeedsAdmin)
        }
        if change.isMetadataOnly {
            if change.nonce != nil, account.user.isSSOUser { throw AuthError(.ssoManaged) }
            return try await updateMetadata(change, account, principal)
        }
        return try await changeSignIn(change, account, principal, context)
    }

    /// Addresses and passwords. A function of its own, for its frame is large and most changes are of metadata alone.
    private func changeSignIn(
        _ change: AccountChange, _ account: AccountRows, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> User {
        try Self.checkAllowed(change, account, principal)
        try await read { try await Self.checkFree(change, account.user, in: $0) }
        if change.password != nil { try await checkProof(change, account, principal) }
        let prepared = try await prepare(change, account.user, context)
        let user = try await transaction(conflict: Self.takenMeanwhile) { tx in
            try await self.apply(change, prepared, account, principal, in: tx)
        }
        wakeOutbox()
        return user
    }

    /// The rows that the check of the bearer read, or fresh ones.
    private func snapshot(_ user: UserID, _ principal: Principal) async throws(AuthError) -> AccountRows {
        if let account = (principal.backendState as? KnownToken)?.account { return account.rows }
        guard let rows = try await read({ try await $0.account(user, session: principal.sessionID) }) else {
            throw AuthError(.subjectUnknown)
        }
        return rows
    }

    /// One read, one update and the audit entry.
    private func updateMetadata(
        _ change: AccountChange, _ account: AccountRows, _ principal: Principal
    ) async throws(AuthError) -> User {
        let row = try await transaction { tx -> UserRow in
            try await tx.lock(user: account.user.id)
            guard var user = try await tx.user(account.user.id) else { throw AuthError(.subjectUnknown) }
            let now = self.clock.now()
            let columns = try self.mergeMetadata(change, &user)
            if !columns.isEmpty {
                user.updatedAt = now
                try await tx.update(user, columns)
            }
            try await self.audit(.modified, by: AuditActor(user), at: now, in: tx)
            return user
        }
        let snapshot = AccountSnapshot(account.with(row))
        remember(snapshot, for: principal)
        return snapshot.user
    }

    private func mergeMetadata(_ change: AccountChange, _ user: inout UserRow) throws(AuthError) -> UserColumns {
        var columns: UserColumns = []
        if let patch = change.userMetadata, !patch.isEmpty {
            user.userMetadata = Metadata.merged(user.userMetadata, with: patch)
            try Metadata.checkSize(user.userMetadata, policy)
            columns.insert(.userMetadata)
        }
        if let patch = change.appMetadata, !patch.isEmpty {
            user.appMetadata = Metadata.merged(user.appMetadata, with: patch)
            columns.insert(.appMetadata)
        }
        return columns
    }

    // MARK: May it be changed?

    /// Checks 3 to 5 of the reference's table.
    private static func checkAllowed(
        _ change: AccountChange, _ account: AccountRows, _ principal: Principal
    ) throws(AuthError) {
        let user = account.user
        let changesAddress = change.changesEmail(of: user) || change.changesPhone(of: user)
        if account.hasVerifiedFactor, change.password != nil || changesAddress {
            guard let session = account.session, principal.sessionID != nil else { throw AuthError(.sessionUnknown) }
            guard session.aal == "aal2" else { throw AuthError(.aal2Required) }
        }
        if user.isAnonymous, change.password != nil, change.email == nil, change.phone == nil {
            throw AuthError(.anonymousPasswordNeedsAddress)
        }
        if user.isSSOUser, change.password != nil || changesAddress || change.nonce != nil {
            throw AuthError(.ssoManaged)
        }
    }

    /// Checks 6 and 7.
    private static func checkFree(
        _ change: AccountChange, _ user: UserRow, in reader: any StoreReader
    ) async throws {
        if let email = change.email, change.changesEmail(of: user) {
            try await checkFree(email: email, user.audience, except: user.id, in: reader)
        }
        if let phone = change.phone, change.changesPhone(of: user) {
            if let other = try await reader.user(phone: phone), other.id != user.id { throw AuthError(.phoneExists) }
        }
    }

    /// Checks 8 to 10: who sets a new password proves to be the account's owner.
    private func checkProof(
        _ change: AccountChange, _ account: AccountRows, _ principal: Principal
    ) async throws(AuthError) {
        guard let password = change.password else { return }
        let session = principal.sessionID == nil ? nil : account.session
        if policy.passwordChangeNeedsReauthentication, !isFresh(session) {
            guard let nonce = change.nonce else { throw AuthError(.reauthenticationNeeded) }
            try await consume(nonce, account.user)
        }
        let stored = account.user.encryptedPassword ?? ""
        guard !stored.isEmpty else { return }
        if policy.passwordChangeNeedsCurrent {
            guard try await !isRecovery(session) else { return try await checkNotSame(password, stored) }
            guard let current = change.currentPassword else { throw AuthError(.currentPasswordMissing) }
            guard try await passwords.matches(current, hash: stored) else { throw AuthError(.currentPasswordWrong) }
        }
        try await checkNotSame(password, stored)
    }

    private func checkNotSame(_ password: Password, _ stored: String) async throws(AuthError) {
        if try await passwords.matches(password, hash: stored) { throw AuthError(.samePassword) }
    }

    private func isFresh(_ session: SessionRow?) -> Bool {
        guard let session else { return false }
        return clock.now() <= session.createdAt + Self.reauthenticationAge
    }

    private func isRecovery(_ session: SessionRow?) async throws(AuthError) -> Bool {
        guard let session else { return false }
        let claims = try await read { try await $0.amrClaims(of: session.id) }
        return claims.contains { Self.recoveryMethods.contains($0.method) }
    }

    /// Uses up the code of `GET /reauthenticate`, whatever becomes of the change. Exactly one caller succeeds.
    /// - Throws: `reauthenticationInvalid`.
    private func consume(_ nonce: OneTimeCode, _ known: UserRow) async throws(AuthError) {
        try await transaction { tx in
            try await tx.lock(user: known.id)
            guard var user = try await tx.user(known.id), let sentAt = user.reauthenticationSentAt else {
                throw AuthError(.reauthenticationInvalid)
            }
            let hasEmail = !(user.email ?? "").isEmpty
            let address = hasEmail ? user.email : user.phone
            let lifetime = hasEmail ? self.policy.emailCodeLifetime : self.policy.smsCodeLifetime
            let now = self.clock.now()
            guard let address, nonce.matches(user.reauthenticationToken, for: address), now <= sentAt + lifetime else {
                throw AuthError(.reauthenticationInvalid)
            }
            user.reauthenticationToken = ""
            user.updatedAt = now
            try await tx.update(user, .reauthentication)
            try await tx.deleteOneTimeTokens(of: user.id)
        }
    }

    // MARK: Before the transaction

    private func prepare(
        _ change: AccountChange, _ user: UserRow, _ context: RequestContext
    ) async throws(AuthError) -> PreparedChange {
        var prepared = PreparedChange()
        var after = user
        _ = try mergeMetadata(change, &after)
        let isAtOnce = user.isAnonymous && policy.autoconfirmsEmail
        if let email = change.email, change.changesEmail(of: user), !isAtOnce {
            prepared.flow = try PKCERules.flow(change.pkce)
            try checkInterval(ofEmailChange: user)
            prepared.newMail = changeMail(to: email, email, after, prepared.flow, context)
            if policy.emailChangeNeedsBoth, let current = user.email, !current.isEmpty {
                prepared.currentMail = changeMail(to: current, email, after, prepared.flow, context)
            }
        }
        if change.changesPhone(of: user), !policy.autoconfirmsPhone { try checkInterval(ofPhoneChange: user) }
        if let password = change.password { prepared.passwordHash = try await passwords.hash(password) }
        if !prepared.mails.isEmpty { try await send(prepared.mails) }
        if let phone = change.phone, change.changesPhone(of: user), !policy.autoconfirmsPhone {
            prepared.phoneCode = try await sendCode(.phoneChange, to: phone, channel: change.channel).stored
        }
        return prepared
    }

    func changeMail(
        to recipient: String, _ newEmail: String, _ user: UserRow, _ flow: PKCERules.Flow?, _ context: RequestContext
    ) -> PreparedMail {
        prepare(
            .emailChange, .emailChange, to: recipient, account: user.email ?? "", metadata: user.userMetadata,
            isPKCE: flow != nil, extras: ["NewEmail": .string(newEmail), "SendingTo": .string(recipient)], context)
    }

    private func checkInterval(ofEmailChange user: UserRow) throws(AuthError) {
        try SendInterval(interval: policy.emailSendInterval).check(
            lastSent: user.emailChangeSentAt, now: clock.now(), .emailSendInterval)
    }

    private func checkInterval(ofPhoneChange user: UserRow) throws(AuthError) {
        try SendInterval(interval: policy.smsSendInterval).check(
            lastSent: user.phoneChangeSentAt, now: clock.now(), .smsSendInterval)
    }

    // MARK: Inside the transaction

    private func apply(
        _ change: AccountChange, _ prepared: PreparedChange, _ account: AccountRows, _ principal: Principal,
        in tx: any StoreTransaction
    ) async throws -> User {
        try await tx.lock(user: account.user.id)
        guard let before = try await tx.user(account.user.id) else { throw AuthError(.subjectUnknown) }
        try Self.checkSame(before, account.user)
        var user = before
        let now = clock.now()
        user.updatedAt = now
        var columns: UserColumns = []
        if let hash = prepared.passwordHash {
            let isUnchanged = before.encryptedPassword == account.user.encryptedPassword
            guard isUnchanged || !policy.passwordChangeNeedsCurrent else { throw AuthError(.currentPasswordWrong) }
            columns.formUnion(try await setPassword(hash, &user, principal, at: now, in: tx))
        }
        columns.formUnion(try mergeMetadata(change, &user))
        if let email = change.email, change.changesEmail(of: before) {
            try checkInterval(ofEmailChange: before)
            columns.formUnion(try await changeEmail(email, prepared, &user, at: now, in: tx))
        }
        if let phone = change.phone, change.changesPhone(of: before) {
            try checkInterval(ofPhoneChange: before)
            columns.formUnion(try await changePhone(phone, prepared, &user, at: now, in: tx))
        }
        if !columns.isEmpty { try await tx.update(user, columns) }
        try await audit(.modified, by: AuditActor(user), at: now, in: tx)
        let identities = try await tx.identities(of: user.id)
        var answer = User(row: user, identities: identities, factors: try await tx.factors(of: user.id))
        // Not read again in the reference: the generated column keeps its old value in the answer.
        answer.confirmedAt = before.confirmedAt
        return answer
    }

    /// Mails and codes were made for the addresses that the account had: if these changed meanwhile, nothing counts.
    private static func checkSame(_ user: UserRow, _ known: UserRow) throws(AuthError) {
        let isSame = user.email == known.email && user.phone == known.phone && user.isAnonymous == known.isAnonymous
        guard isSame else {
            throw AuthError(.unavailable, retryAfter: .seconds(1), detail: "the account's addresses changed meanwhile")
        }
    }

    /// A new password ends every other session and kills what is on its way. Source: FR-04.
    private func setPassword(
        _ hash: String, _ user: inout UserRow, _ principal: Principal, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> UserColumns {
        user.encryptedPassword = hash
        let columns = user.forgetPendingTokens().union(.encryptedPassword)
        try await tx.deleteOneTimeTokens(of: user.id)
        try await tx.deleteSessions(of: user.id, except: principal.sessionID)
        try await audit(.updatedPassword, by: AuditActor(user), at: now, in: tx)
        if policy.notifiesPasswordChanged, let email = user.email, !email.isEmpty {
            try await tx.insert(notice(.passwordChanged, to: email, user).outboxRow(at: now))
        }
        return columns
    }

    private func changeEmail(
        _ email: String, _ prepared: PreparedChange, _ user: inout UserRow, at now: Timestamp,
        in tx: any StoreTransaction
    ) async throws -> UserColumns {
        guard let newMail = prepared.newMail else {
            user.emailChange = email
            let columns = try await completeEmailChange(&user, at: now, in: tx)
            try await tx.deleteOneTimeTokens(of: user.id)
            return columns.union(try await recomputeProviders(&user, in: tx))
        }
        try await Self.checkFree(email: email, user.audience, except: user.id, in: tx)
        return try await awaitEmailChange(email, newMail, prepared.currentMail, prepared.flow, &user, at: now, in: tx)
    }

    /// The codes of both mails count from now on, and no older ones.
    func awaitEmailChange(
        _ email: String, _ newMail: PreparedMail, _ currentMail: PreparedMail?, _ flow: PKCERules.Flow?,
        _ user: inout UserRow, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> UserColumns {
        user.emailChange = email
        user.emailChangeSentAt = now
        user.emailChangeConfirmStatus = 0
        user.emailChangeTokenNew = newMail.stored
        user.emailChangeTokenCurrent = currentMail?.stored ?? ""
        try await keep(newMail.stored, .emailChangeNew, of: user.id, relatesTo: email, at: now, in: tx)
        if let mail = currentMail {
            try await keep(
                mail.stored, .emailChangeCurrent, of: user.id, relatesTo: mail.draft.recipient, at: now, in: tx)
        } else {
            try await tx.delete(oneTimeToken: .emailChangeCurrent, of: user.id)
        }
        try await beginFlow(flow, "email_change", method: "email_change", user: user.id, at: now, in: tx)
        try await enqueue([newMail, currentMail].compactMap { $0 }, at: now, in: tx)
        return .emailChange
    }

    private func changePhone(
        _ phone: String, _ prepared: PreparedChange, _ user: inout UserRow, at now: Timestamp,
        in tx: any StoreTransaction
    ) async throws -> UserColumns {
        user.phoneChange = phone
        guard let stored = prepared.phoneCode else {
            let columns = try await completePhoneChange(&user, at: now, in: tx)
            try await tx.deleteOneTimeTokens(of: user.id)
            return columns.union(try await recomputeProviders(&user, in: tx))
        }
        user.phoneChangeToken = stored
        user.phoneChangeSentAt = now
        try await keep(stored, .phoneChange, of: user.id, relatesTo: phone, at: now, in: tx)
        return .phoneChange
    }
}
