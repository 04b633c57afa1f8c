public import Backend
import Bytes
import JSON
import Store

/// What a sign-up has made so far and keeps when another one of the same address came between.
private struct SignUpWork: Sendable {
    let request: SignUpRequest
    let audience: String
    let context: RequestContext
    var passwordHash: String?
    /// Admitted and, where the policy says so, delivered.
    var mail: PreparedMail?
}

extension InProcessBackend {
    /// How often a sign-up begins anew because another one of the same address came between.
    private static let signUpTriesMax = 4

    /// Makes an account, or answers as for one that is there already. Source: supabase-core.md 10.1, FR-09, FR-10.
    ///
    /// The password is hashed once whatever is found, so that the time tells nothing. Parallel first sign-ups make one
    /// account.
    /// - Throws: what ``SignUpRequest`` refuses, `userMetadataTooLarge`, `userAlreadyExists`, `emailSendInterval`,
    ///   `emailSendLimit`, `emailNotAuthorized`, `mailNotDelivered`, `smsSendInterval`, `smsProviderMissing`,
    ///   `smsNotDelivered`, `passwordQueueFull`.
    public func signUp(_ signUp: SignUp, _ context: RequestContext) async throws(AuthError) -> SignUpOutcome {
        let isLeaked = policy.isSignUpDisabled ? false : try await isLeaked(signUp.password)
        let request = try SignUpRequest(signUp, policy, isLeaked: isLeaked)
        if !request.isAutoconfirmed(policy) { try checkAsked([.confirmation], request.address) }
        let outcome = try await self.signUp(request, passwordHash: nil, context)
        if case .awaitsConfirmation = outcome { noteAsked([.confirmation], request.address) }
        return outcome
    }

    /// - Parameter passwordHash: of a password that nobody knows, where the account is to have none of its owner's.
    func signUp(
        _ request: SignUpRequest, passwordHash: String?, _ context: RequestContext
    ) async throws(AuthError) -> SignUpOutcome {
        let audience = try audience(context)
        try checkSize(request)
        var work = SignUpWork(request: request, audience: audience, context: context, passwordHash: passwordHash)
        for _ in 0..<Self.signUpTriesMax {
            if let outcome = try await attempt(&work) { return outcome }
        }
        throw AuthError(.unavailable, retryAfter: .seconds(1), detail: "sign-ups of one address kept colliding")
    }

    /// Refuses metadata that would be too large on the new account, whether there is one already or not.
    /// - Throws: `userMetadataTooLarge`.
    func checkSize(_ request: SignUpRequest) throws(AuthError) {
        let data = NewAccount.identityData(request, UserID(newUUID()))
        try Metadata.checkSize(JSONText(JSONObject().merging(data)), policy)
    }

    /// nil when what was found has changed meanwhile.
    private func attempt(_ work: inout SignUpWork) async throws(AuthError) -> SignUpOutcome? {
        let (address, audience) = (work.request.address, work.audience)
        let known = try await read { try await KnownAccount.find(address, audience: audience, in: $0) }
        if case .unconfirmed(let user) = known, work.request.isAutoconfirmed(policy) {
            return try await confirmKnown(user, work)
        }
        if work.passwordHash == nil { work.passwordHash = try await passwords.hash(work.request.password) }
        switch known {
        case .confirmed(let user): return try await repeated(user, work)
        case .unconfirmed(let user):
            switch address {
            case .email: return try await resend(to: user, &work)
            case .phone(let phone): return try await text(phone, to: user, work)
            }
        case .none:
            if work.request.isAutoconfirmed(policy) { return try await createConfirmed(work) }
            switch address {
            case .email(let email): return try await createPending(email, &work)
            case .phone(let phone): return try await text(phone, to: nil, work)
            }
        }
    }

    /// Runs a body; nil when it found other rows than expected, or a unique index did.
    private func unlessRaced<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) async throws -> Value?
    ) async throws(AuthError) -> Value? {
        do {
            return try await store.transaction(body)
        } catch StoreError.notUnique {
            return nil
        } catch {
            throw AuthError(storeFailure: error)
        }
    }

    private func newAccount(_ work: SignUpWork, at now: Timestamp) -> NewAccount {
        NewAccount(
            work.request, id: UserID(newUUID()), identityID: IdentityID(newUUID()), audience: work.audience,
            passwordHash: work.passwordHash ?? "", policy, at: now)
    }

    private func traits(_ request: SignUpRequest) -> [(name: StaticString, value: String)] {
        if request.channel.isEmpty { return [("provider", request.provider)] }
        return [("channel", request.channel), ("provider", request.provider)]
    }

    // MARK: New accounts

    private func createPending(_ email: String, _ work: inout SignUpWork) async throws(AuthError) -> SignUpOutcome? {
        let now = clock.now()
        var account = newAccount(work, at: now)
        let mail = try await confirmationMail(to: email, account.user.userMetadata, &work)
        account.user.confirmationToken = mail.stored
        account.user.confirmationSentAt = now
        let outcome = try await unlessRaced { [account, work] tx -> SignUpOutcome? in
            guard try await self.isUnknown(work, in: tx) else { return nil }
            try await tx.insert(account.user)
            try await tx.insert(account.identity)
            try await self.audit(
                .confirmationRequested, by: AuditActor(account.user), [("provider", "email")], at: now, in: tx)
            try await self.confirmBy(mail, account.user, work, at: now, in: tx)
            return .awaitsConfirmation(account.shown(account.user))
        }
        wakeOutbox()
        return outcome
    }

    private func isUnknown(_ work: SignUpWork, in tx: any StoreTransaction) async throws -> Bool {
        let known = try await KnownAccount.find(work.request.address, audience: work.audience, in: tx)
        if case .none = known { return true }
        return false
    }

    private func createConfirmed(_ work: SignUpWork) async throws(AuthError) -> SignUpOutcome? {
        let now = clock.now()
        var account = newAccount(work, at: now)
        account.confirm(work.request, at: now)
        let opened = try await unlessRaced { [account] tx -> OpenedSession? in
            guard try await self.isUnknown(work, in: tx) else { return nil }
            try await tx.insert(account.user)
            try await tx.insert(account.identity)
            return try await self.signInAfterSignUp(account.user, work, at: now, in: tx)
        }
        guard let opened else { return nil }
        return .signedIn(try issue(opened, for: account.shown(opened.user)))
    }

    private func signInAfterSignUp(
        _ user: UserRow, _ work: SignUpWork, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> OpenedSession {
        let actor = AuditActor(user)
        try await audit(.signedUp, by: actor, traits(work.request), at: now, in: tx)
        try await audit(.login, by: actor, [("provider", work.request.provider)], at: now, in: tx)
        return try await openSession(for: user, method: "password", work.context, in: tx)
    }

    // MARK: Accounts that are there already

    /// The obfuscated answer, or the refusal. Source: supabase-core.md 10.1, FR-09.
    private func repeated(_ user: UserRow, _ work: SignUpWork) async throws(AuthError) -> SignUpOutcome {
        let now = clock.now()
        let provider = work.request.provider
        if policy.keepsAuditLog {
            try await transaction { tx in
                try await self.audit(.repeatedSignUp, by: AuditActor(user), [("provider", provider)], at: now, in: tx)
            }
        }
        guard !policy.autoconfirmsEmail, !policy.autoconfirmsPhone else { throw AuthError(.userAlreadyExists) }
        var answer = User(
            id: UserID(newUUID()), audience: work.audience, role: "",
            appMetadata: NewAccount.appMetadata(provider), userMetadata: JSONText(work.request.metadata),
            createdAt: now, updatedAt: now)
        switch work.request.address {
        case .email(let email): answer.email = email
        case .phone(let phone): answer.phone = phone
        }
        answer.confirmationSentAt = now
        return .awaitsConfirmation(answer)
    }

    /// Auto-confirm meets an unconfirmed account: whoever knows its password is signed in. Source: deviations.md.
    private func confirmKnown(_ known: UserRow, _ work: SignUpWork) async throws(AuthError) -> SignUpOutcome? {
        let stored = known.encryptedPassword ?? ""
        let hash = stored.isEmpty ? BcryptShape.nobodys(cost: policy.bcryptCost) : stored
        guard try await passwords.matches(work.request.password, hash: hash) else {
            throw AuthError(.userAlreadyExists)
        }
        let opened = try await unlessRaced { tx -> OpenedSession? in
            try await tx.lock(user: known.id)
            guard var user = try await tx.user(known.id), user.encryptedPassword == known.encryptedPassword else {
                return nil
            }
            let now = self.clock.now()
            let columns: UserColumns
            switch work.request.address {
            case .email: columns = user.confirmEmail(at: now)
            case .phone: columns = user.confirmPhone(at: now)
            }
            user.updatedAt = now
            try await tx.update(user, columns)
            try await tx.deleteOneTimeTokens(of: user.id)
            return try await self.signInAfterSignUp(user, work, at: now, in: tx)
        }
        guard let opened else { return nil }
        return .signedIn(try await issueReloaded(opened))
    }

    /// Sends the confirmation again; password and metadata stay as they were. Source: FR-10.
    private func resend(to known: UserRow, _ work: inout SignUpWork) async throws(AuthError) -> SignUpOutcome? {
        let interval = SendInterval(interval: policy.emailSendInterval)
        try interval.check(lastSent: known.confirmationSentAt, now: clock.now(), .emailSendInterval)
        guard let address = known.email else { return try await repeated(known, work) }
        let mail = try await confirmationMail(to: address, known.userMetadata, &work)
        let outcome = try await unlessRaced { [work] tx -> SignUpOutcome? in
            try await tx.lock(user: known.id)
            guard var user = try await tx.user(known.id), user.emailConfirmedAt == nil, user.email == address else {
                return nil
            }
            let now = self.clock.now()
            try interval.check(lastSent: user.confirmationSentAt, now: now, .emailSendInterval)
            let identity = try await self.ownEmailIdentity(of: &user, work, at: now, in: tx)
            user.confirmationToken = mail.stored
            user.confirmationSentAt = now
            user.updatedAt = now
            try await tx.update(user, [.confirmation, .userMetadata, .appMetadata])
            try await self.audit(
                .confirmationRequested, by: AuditActor(user), [("provider", "email")], at: now, in: tx)
            try await self.confirmBy(mail, user, work, at: now, in: tx)
            var answer = User(row: user, identities: [identity], factors: [])
            if user.invitedAt != nil {
                answer.userMetadata = .emptyObject
                answer.identities = []
            }
            return .awaitsConfirmation(answer)
        }
        wakeOutbox()
        return outcome
    }

    /// The account's own identity; made when it has none yet, and then it is the only one.
    private func ownEmailIdentity(
        of user: inout UserRow, _ work: SignUpWork, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> IdentityRow {
        let identities = try await tx.identities(of: user.id)
        if let own = identities.first(where: { $0.provider == "email" }) { return own }
        for identity in identities { try await tx.delete(identity: identity.id) }
        let fresh = NewAccount(
            work.request, id: user.id, identityID: IdentityID(newUUID()), audience: user.audience, passwordHash: "",
            policy, at: now)
        try await tx.insert(fresh.identity)
        user.userMetadata = fresh.user.userMetadata
        user.appMetadata = Metadata.merged(user.appMetadata, with: fresh.user.appMetadata.object)
        return fresh.identity
    }

    // MARK: Mails and messages

    /// The mail with the code, admitted and delivered as the policy says; the same one after a race.
    private func confirmationMail(
        to email: String, _ metadata: JSONText, _ work: inout SignUpWork
    ) async throws(AuthError) -> PreparedMail {
        if let mail = work.mail, mail.draft.recipient == email { return mail }
        let mail = prepare(
            .confirmation, .signUp, to: email, account: email, metadata: metadata, isPKCE: work.request.flow != nil,
            work.context)
        try await send([mail])
        work.mail = mail
        return mail
    }

    private func confirmBy(
        _ mail: PreparedMail, _ user: UserRow, _ work: SignUpWork, at now: Timestamp, in tx: any StoreTransaction
    ) async throws {
        try await keep(mail.stored, .confirmation, of: user.id, relatesTo: mail.draft.recipient, at: now, in: tx)
        try await beginFlow(work.request.flow, "email", method: "email/signup", user: user.id, at: now, in: tx)
        try await enqueue([mail], at: now, in: tx)
    }

    /// Sends a code to a number, of a new account or of one that waits.
    private func text(
        _ phone: String, to known: UserRow?, _ work: SignUpWork
    ) async throws(AuthError) -> SignUpOutcome? {
        let interval = SendInterval(interval: policy.smsSendInterval)
        try interval.check(lastSent: known?.confirmationSentAt, now: clock.now(), .smsSendInterval)
        let stored = try await sendCode(.confirmation, to: phone, channel: work.request.channel).stored
        return try await unlessRaced { tx -> SignUpOutcome? in
            let now = self.clock.now()
            var account = self.newAccount(work, at: now)
            var identities = [account.identity]
            if let known {
                try await tx.lock(user: known.id)
                guard let user = try await tx.user(known.id), user.phoneConfirmedAt == nil, user.phone == phone else {
                    return nil
                }
                try interval.check(lastSent: user.confirmationSentAt, now: now, .smsSendInterval)
                account.user = user
                identities = try await tx.identities(of: user.id)
            } else {
                guard try await self.isUnknown(work, in: tx) else { return nil }
                try await tx.insert(account.user)
                try await tx.insert(account.identity)
            }
            account.user.confirmationToken = stored
            account.user.confirmationSentAt = now
            account.user.updatedAt = now
            try await tx.update(account.user, .confirmation)
            try await self.keep(stored, .confirmation, of: account.user.id, relatesTo: phone, at: now, in: tx)
            try await self.audit(
                .confirmationRequested, by: AuditActor(account.user), [("provider", "phone")], at: now, in: tx)
            if known == nil { return .awaitsConfirmation(account.shown(account.user)) }
            return .awaitsConfirmation(User(row: account.user, identities: identities, factors: []))
        }
    }
}
