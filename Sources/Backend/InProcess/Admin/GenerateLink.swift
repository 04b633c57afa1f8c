public import Backend
import Bytes
import JSON
import Store

/// The kinds of link that an administrator may ask for. Source: supabase-admin.md 7.
private enum LinkType: String, Sendable {
    case signUp = "signup"
    case invite
    case magicLink = "magiclink"
    case recovery
    case emailChangeCurrent = "email_change_current"
    case emailChangeNew = "email_change_new"

    var kind: LinkKind {
        switch self {
        case .signUp: .signUp
        case .invite: .invite
        case .magicLink: .magicLink
        case .recovery: .recovery
        case .emailChangeCurrent, .emailChangeNew: .emailChange
        }
    }

    var keptType: OneTimeTokenType {
        switch self {
        case .signUp, .invite: .confirmation
        case .magicLink, .recovery: .recovery
        case .emailChangeCurrent: .emailChangeCurrent
        case .emailChangeNew: .emailChangeNew
        }
    }
}

/// A request for a link, judged, with the code that it brings.
private struct PreparedLink: Sendable {
    var type: LinkType
    let email: String
    let audience: String
    /// The address that waits, of a change.
    var newEmail: String?
    let data: JSONObject?
    let code: OneTimeCode
    /// Of an account that is to be made.
    var passwordHash = ""

    /// Where the code proves to be.
    var address: String { type == .emailChangeNew ? newEmail ?? email : email }
    /// Without the mark of a PKCE flow: nobody has begun one. Source: FR-45.
    var stored: String { code.hash(for: address) }
}

extension InProcessBackend {
    /// Makes a link and its code as a mail would carry them; nothing is sent.
    /// Source: supabase-admin.md 7, FR-44, FR-45.
    ///
    /// - Throws: `emailMissing`, `emailTooLong`, `emailMalformed`, `linkTypeInvalid`, `linkUserNotFound`,
    ///   `emailExists`, `signUpPasswordMissing`, `passwordTooLong`, `passwordWeak`, `passwordQueueFull`, `textHasNUL`,
    ///   `userMetadataTooLarge`, `linkNeedsSecureEmailChange`.
    public func generateLink(
        _ request: LinkRequest, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> GeneratedLink {
        let email = try EmailAddress(validating: request.email ?? "").text
        let audience = try audience(context, principal)
        let known = try await read { try await $0.user(email: email, audience: audience) }
        let prepared = try await prepare(request, email, audience, known)
        let actor = adminActor(principal)
        let user = try await transaction(conflict: Self.conflict) { tx in
            let now = self.clock.now()
            var user = try await self.account(of: prepared, by: actor, at: now, in: tx)
            user.updatedAt = now
            var columns = user.keep(prepared.stored, prepared.type.keptType, at: now)
            if let newEmail = prepared.newEmail {
                user.emailChange = newEmail
                user.emailChangeConfirmStatus = 0
            }
            if prepared.type == .signUp, let data = prepared.data, !data.isEmpty {
                user.userMetadata = Metadata.merged(user.userMetadata, with: data)
                try Metadata.checkSize(user.userMetadata, self.policy)
                columns.insert(.userMetadata)
            }
            try await tx.update(user, columns)
            try await self.keep(
                prepared.stored, prepared.type.keptType, of: user.id, relatesTo: prepared.address, at: now, in: tx)
            return User(
                row: user, identities: try await tx.identities(of: user.id), factors: try await tx.factors(of: user.id))
        }
        return answer(prepared, user, request, context)
    }

    /// Judged in the reference's order; a magic link for nobody becomes a sign-up.
    private func prepare(
        _ request: LinkRequest, _ email: String, _ audience: String, _ known: UserRow?
    ) async throws(AuthError) -> PreparedLink {
        guard var type = LinkType(rawValue: request.type) else { throw AuthError(.linkTypeInvalid, request.type) }
        var password: Password?
        if known == nil {
            switch type {
            case .signUp: password = request.password ?? Password("")
            case .magicLink: type = .signUp
            case .invite: break
            case .recovery, .emailChangeCurrent, .emailChangeNew: throw AuthError(.linkUserNotFound)
            }
        }
        var link = PreparedLink(
            type: type, email: email, audience: audience, data: request.userMetadata,
            code: OneTimeCode.random(length: policy.emailCodeLength, random))
        if let password {
            guard !password.isEmpty else { throw AuthError(.signUpPasswordMissing) }
            try PasswordRules(policy, isLeaked: try await isLeaked(password)).check(password)
        }
        switch type {
        case .signUp, .invite:
            if known?.emailConfirmedAt != nil { throw AuthError(.emailExists) }
            _ = try judged(request.userMetadata)
        case .magicLink, .recovery: break
        case .emailChangeCurrent, .emailChangeNew:
            if type == .emailChangeCurrent, !policy.emailChangeNeedsBoth {
                throw AuthError(.linkNeedsSecureEmailChange)
            }
            let newEmail = try EmailAddress(validating: request.newEmail ?? "").text
            try await read { try await Self.checkFree(email: newEmail, audience, except: known?.id, in: $0) }
            link.newEmail = newEmail
        }
        if let password {
            link.passwordHash = try await passwords.hash(password)
        } else if type == .signUp {
            link.passwordHash = BcryptShape.unknowable(cost: policy.bcryptCost, random)
        }
        return link
    }

    /// The account that the link is for, as it is inside the transaction; made where there is none and there may be.
    private func account(
        of link: PreparedLink, by actor: AuditActor, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> UserRow {
        switch link.type {
        case .invite:
            let metadata = JSONText(link.data ?? [:])
            let user = try await invitee(link.email, link.audience, metadata, at: now, in: tx)
            try await audit(.invited, by: actor, Self.inviteTraits(user), at: now, in: tx)
            return user
        case .signUp:
            if let user = try await lockedUser(link, in: tx) {
                guard user.emailConfirmedAt == nil else { throw AuthError(.emailExists) }
                return user
            }
            let user = newUser(link.email, link.audience, .emptyObject, passwordHash: link.passwordHash, at: now)
            let data = AdminRules.identityData(of: user.id, email: link.email)
            try await tx.insert(user)
            try await tx.insert(ownIdentity(of: user.id, "email", data, email: link.email, at: now))
            return user
        case .magicLink, .recovery:
            guard let user = try await lockedUser(link, in: tx) else { throw AuthError(.linkUserNotFound) }
            try await audit(.recoveryRequested, by: AuditActor(user), at: now, in: tx)
            return user
        case .emailChangeCurrent, .emailChangeNew:
            guard let user = try await lockedUser(link, in: tx) else { throw AuthError(.linkUserNotFound) }
            if let newEmail = link.newEmail {
                try await Self.checkFree(email: newEmail, link.audience, except: user.id, in: tx)
            }
            return user
        }
    }

    private func lockedUser(_ link: PreparedLink, in tx: any StoreTransaction) async throws -> UserRow? {
        guard let found = try await tx.user(email: link.email, audience: link.audience) else { return nil }
        try await tx.lock(user: found.id)
        return try await tx.user(found.id)
    }

    private func answer(
        _ link: PreparedLink, _ user: User, _ request: LinkRequest, _ context: RequestContext
    ) -> GeneratedLink {
        var target = redirects.target(of: context.redirect)
        if let wanted = request.redirectTo, redirects.allows(wanted) { target = wanted }
        let address = links.link(link.type.kind, token: link.stored, redirectTo: target, context)
        return GeneratedLink(
            user: user, actionLink: RawToken(address), code: link.code, tokenHash: RawToken(link.stored),
            verificationType: link.type.rawValue, redirectTo: target)
    }
}
