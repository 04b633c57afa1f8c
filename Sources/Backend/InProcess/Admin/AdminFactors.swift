public import Backend
import Bytes
import Store

extension InProcessBackend {
    /// The factors of an account, in order of creation. Source: supabase-admin.md 5.
    /// - Throws: `userNotFound`.
    public func adminFactors(
        _ user: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> [Factor] {
        let rows = try await read { try await $0.account(user, session: nil) }
        guard let rows else { throw AuthError(.userNotFound) }
        return rows.factors.map(Factor.init(row:))
    }

    /// Names a factor anew; of a phone factor also the number. Source: supabase-admin.md 5, deviations.md.
    /// - Throws: `userNotFound`, `factorNotFound`, `phoneMalformed`, `factorNameTaken`, `factorPhoneTaken`,
    ///   `textHasNUL`.
    public func adminUpdateFactor(
        _ factor: FactorID, of user: UserID, _ attributes: AdminFactorAttributes, _ principal: Principal,
        _ context: RequestContext
    ) async throws(AuthError) -> Factor {
        let actor = adminActor(principal)
        let name = attributes.friendlyName
        return try await transaction(conflict: { Self.factorConflict($0, name ?? "") }) { tx in
            var row = try await Self.factor(factor, of: user, in: tx)
            let now = self.clock.now()
            var isChanged = false
            if let name, !name.isEmpty {
                guard !name.utf8.contains(0) else { throw AuthError(.textHasNUL) }
                row.friendlyName = name
                isChanged = true
            }
            if row.type == "phone", let phone = attributes.phone, !phone.isEmpty {
                row.phone = try PhoneNumber(validating: phone).digits
                isChanged = true
            }
            if isChanged {
                row.updatedAt = now
                try await tx.update(row)
            }
            let traits: [(name: StaticString, value: String)] = [
                ("factor_id", row.id.description), ("factor_type", row.type), ("user_id", user.description),
            ]
            try await self.audit(.factorUpdated, by: actor, traits, at: now, in: tx)
            return Factor(row: row)
        }
    }

    /// Takes a factor away; what it raised comes down to `aal1` at once. Source: supabase-admin.md 5.
    ///
    /// The audit log names the account itself as the one who did it, as the reference does.
    /// - Throws: `userNotFound`, `factorNotFound`.
    public func adminDeleteFactor(
        _ factor: FactorID, of user: UserID, _ principal: Principal, _ context: RequestContext
    ) async throws(AuthError) -> Factor {
        try await transaction { tx in
            try await tx.lock(user: user)
            let row = try await Self.factor(factor, of: user, in: tx)
            guard let owner = try await tx.user(user) else { throw AuthError(.userNotFound) }
            let now = self.clock.now()
            try await self.audit(
                .factorDeleted, by: AuditActor(owner),
                [("factor_id", factor.description), ("user_id", user.description)], at: now,
                from: context.clientAddress, in: tx)
            for var session in try await tx.sessions(of: user) where session.factorID == factor {
                session.aal = "aal1"
                session.factorID = nil
                session.updatedAt = now
                try await tx.update(session)
                try await tx.deleteAMRClaim(session: session.id, method: row.amrMethod)
            }
            try await tx.delete(factor: factor)
            return Factor(row: row)
        }
    }

    private static func factor(
        _ factor: FactorID, of user: UserID, in reader: any StoreReader
    ) async throws -> FactorRow {
        guard let rows = try await reader.account(user, session: nil) else { throw AuthError(.userNotFound) }
        guard let row = rows.factors.first(where: { $0.id == factor }) else { throw AuthError(.factorNotFound) }
        return row
    }

    private static func factorConflict(_ index: String, _ name: String) -> AuthError? {
        if index.contains(text: "phone") { return AuthError(.factorPhoneTaken) }
        return index.contains(text: "friendly_name") ? AuthError(.factorNameTaken, name) : nil
    }
}

extension FactorRow {
    /// What a verification of it adds to a session's `amr`. Source: supabase-core.md 6.1.
    var amrMethod: String { type == "totp" ? "totp" : "mfa/" + type }
}
