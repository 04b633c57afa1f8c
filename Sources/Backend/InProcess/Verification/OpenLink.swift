public import Backend
import Bytes
import Store

/// What a good link led to, inside the transaction.
private enum OpenedLink: Sendable {
    case session(OpenedSession, type: String)
    case code(String)
    case otherHalfAwaited
}

extension InProcessBackend {
    /// Opens a mail's link: uses it up and says where the browser goes. Source: supabase-core.md 10.7.
    ///
    /// - Throws: `verifyTypeMissing`, `verifyTokenMissing`; every other failure is in the outcome.
    public func openLink(_ link: LinkVerification, _ context: RequestContext) async throws(AuthError) -> LinkOutcome {
        guard !link.type.isEmpty else { throw AuthError(.verifyTypeMissing) }
        guard !link.token.isEmpty else { throw AuthError(.verifyTokenMissing) }
        let target = redirects.target(of: context.redirect)
        let isPKCE = link.token.exposed.hasPrefix(OneTimeCode.pkcePrefix)
        do throws(AuthError) {
            switch try await use(link, isPKCE: isPKCE, context) {
            case .session(let opened, let type):
                return LinkOutcome(target: target, result: .signedIn(try await issueReloaded(opened), type: type))
            case .code(let code): return LinkOutcome(target: target, result: .code(RawToken(code)))
            case .otherHalfAwaited: return LinkOutcome(target: target, result: .otherHalfAwaited(isPKCE: isPKCE))
            }
        } catch {
            return LinkOutcome(target: target, result: .failed(error, isPKCE: isPKCE))
        }
    }

    private func use(
        _ link: LinkVerification, isPKCE: Bool, _ context: RequestContext
    ) async throws(AuthError) -> OpenedLink {
        let opened = try await transaction(conflict: Self.takenMeanwhile) { tx -> OpenedLink in
            let (user, purpose) = try await self.findLink(link.token.exposed, type: link.type, in: tx)
            let now = self.clock.now()
            guard case .confirmed(let granted) = try await self.grant(purpose, to: user, at: now, in: tx) else {
                return .otherHalfAwaited
            }
            if isPKCE {
                let methods = purpose.flowMethods(link.type)
                return .code(try await self.issueCode(methods, granted.id, at: now, in: tx))
            }
            let session = try await self.openSession(for: granted, method: "otp", context, in: tx)
            return .session(session, type: purpose.typeName)
        }
        if policy.notifiesEmailChanged { wakeOutbox() }
        return opened
    }

    /// The code that the client exchanges; its flow begins to count now.
    /// - Throws: `linkFlowStateMissing`.
    private func issueCode(
        _ methods: [String], _ user: UserID, at now: Timestamp, in tx: any StoreTransaction
    ) async throws -> String {
        for method in methods {
            guard var flow = try await tx.flowState(of: user, method: method), let code = flow.authCode else {
                continue
            }
            flow.authCodeIssuedAt = now
            flow.updatedAt = now
            try await tx.update(flow)
            return code
        }
        throw AuthError(.linkFlowStateMissing)
    }
}
