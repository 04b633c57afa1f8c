import Backend
import Bytes
import JSON
import Store

/// A mail with a one-time code, made before the transaction that makes the code good.
struct PreparedMail: Sendable {
    /// What is stored of the code: the hash, marked in a PKCE flow.
    let stored: String
    let draft: MailDraft
}

extension InProcessBackend {
    /// Makes a code for an address, and the mail that brings it.
    ///
    /// - Parameters:
    ///   - account: the account's address, as templates show it.
    ///   - extras: variables beyond those of every mail with a link.
    func prepare(
        _ kind: MailKind, _ link: LinkKind, to recipient: String, account: String, metadata: JSONText, isPKCE: Bool,
        extras: JSONObject = [:], _ context: RequestContext
    ) -> PreparedMail {
        let code = OneTimeCode.random(length: policy.emailCodeLength, random)
        let hash = code.hash(for: recipient)
        let stored = isPKCE ? OneTimeCode.pkcePrefix + hash : hash
        let target = redirects.target(of: context.redirect)
        var values: JSONObject = [
            "SiteURL": .string(policy.siteURL),
            "ConfirmationURL": .string(links.link(link, token: stored, redirectTo: target, context)),
            "Email": .string(account), "Token": .string(code.exposed), "TokenHash": .string(stored),
            "Data": Self.shown(metadata), "RedirectTo": .string(target),
        ]
        values.merge(extras)
        return PreparedMail(stored: stored, draft: MailDraft(kind, to: recipient, values))
    }

    /// The mail with the code of `GET /reauthenticate`, which has no link. Source: supabase-admin.md 13.1.
    func prepareReauthentication(to recipient: String, metadata: JSONText) -> PreparedMail {
        let code = OneTimeCode.random(length: policy.emailCodeLength, random)
        let values: JSONObject = [
            "SiteURL": .string(policy.siteURL), "Email": .string(recipient), "Token": .string(code.exposed),
            "Data": Self.shown(metadata),
        ]
        return PreparedMail(
            stored: code.hash(for: recipient), draft: MailDraft(.reauthentication, to: recipient, values))
    }

    /// Metadata as templates see it.
    private static func shown(_ metadata: JSONText) -> JSONValue {
        metadata.isObject ? metadata.value : .object([:])
    }

    /// A mail that only tells what has happened. Source: supabase-admin.md 13.1.
    func notice(_ kind: MailKind, to recipient: String, _ user: UserRow, extras: JSONObject = [:]) -> MailDraft {
        var values: JSONObject = [
            "SiteURL": .string(policy.siteURL), "Email": .string(user.email ?? ""), "Data": user.userMetadata.value,
        ]
        values.merge(extras)
        return MailDraft(kind, to: recipient, values)
    }

    /// Judges the mails and, where the policy delivers first, delivers them; no transaction is open.
    /// - Throws: `emailNotAuthorized`, `emailSendLimit`, `mailNotDelivered`.
    func send(_ mails: [PreparedMail]) async throws(AuthError) {
        for mail in mails { try self.mail?.admit(mail.draft) }
        guard policy.deliversBeforeCommit else { return }
        for mail in mails {
            guard let desk = self.mail else { throw AuthError(.mailNotDelivered, mail.draft.kind.errorName) }
            try await desk.deliver(mail.draft)
        }
    }

    /// Puts mails that were not delivered before into the outbox of the transaction.
    func enqueue(_ mails: [PreparedMail], at now: Timestamp, in tx: any StoreTransaction) async throws {
        guard !policy.deliversBeforeCommit else { return }
        for mail in mails { try await tx.insert(mail.draft.outboxRow(at: now)) }
    }

    /// Tells the outbox's worker that a transaction put something in.
    func wakeOutbox() { mail?.outboxSignal.wake() }

    /// Begins the flow that the link of a mail leads into.
    /// - Parameter provider: its `provider_type`, which the audit entry of the exchange tells.
    func beginFlow(
        _ flow: PKCERules.Flow?, _ provider: String, method: String, user: UserID, at now: Timestamp,
        in tx: any StoreTransaction
    ) async throws {
        guard let flow else { return }
        var row = FlowStateRow(
            id: FlowStateID(newUUID()), providerType: provider, authenticationMethod: method, createdAt: now)
        row.userID = user
        row.authCode = newUUID().description
        row.codeChallenge = flow.challenge
        row.codeChallengeMethod = flow.method.rawValue
        try await tx.insert(row)
    }

    /// Remembers the hash of a code for look-ups by link.
    func keep(
        _ stored: String, _ type: OneTimeTokenType, of user: UserID, relatesTo address: String, at now: Timestamp,
        in tx: any StoreTransaction
    ) async throws {
        try await tx.replace(
            OneTimeTokenRow(
                id: newUUID(), userID: user, type: type, hash: stored, relatesTo: address, createdAt: now))
    }
}
