internal import Backend

/// Reads of accounts inside a transaction: from what the writer knows, else from the tables.
extension SQLiteWrites {
    private var reads: SQLiteReads { SQLiteReads(connection: connection) }

    func user(_ id: UserID) throws(StoreError) -> UserRow? {
        if let entry = accounts.entry(id) { return entry.user }
        guard let (row, number) = try reads.numberedUser(id) else { return nil }
        accounts.keep(WriterCache.Entry(user: row, number: number))
        return row
    }

    func identities(of user: UserID) throws(StoreError) -> [IdentityRow] {
        if let known = accounts.entry(user)?.identities { return known }
        let rows = try reads.identities(of: user)
        accounts.change(user) { $0.identities = rows }
        return rows
    }

    func factors(of user: UserID) throws(StoreError) -> [FactorRow] {
        if let known = accounts.entry(user)?.factors { return known }
        let rows = try reads.factors(of: user)
        accounts.change(user) { $0.factors = rows }
        return rows
    }

    func account(_ user: UserID, session: SessionID?) throws(StoreError) -> AccountRows? {
        guard let row = try self.user(user) else { return nil }
        var found: SessionRow?
        if let session { found = try self.session(session, of: user)?.row }
        return AccountRows(
            user: row, identities: try identities(of: user), factors: try factors(of: user), session: found)
    }

    /// The token's session may be gone, and even its user.
    func refreshTarget(_ token: String) throws(StoreError) -> RefreshTarget? {
        guard let row = try reads.refreshToken(token) else { return nil }
        ticket.tokenOwner = (row.id, row.userID)
        guard let user = try self.user(row.userID) else { return RefreshTarget(token: row, account: nil) }
        let session = row.sessionID
        let found = try session.flatMap { id throws(StoreError) in try self.session(id, of: row.userID) }
        let account = AccountRows(
            user: user, identities: try identities(of: user.id), factors: try factors(of: user.id),
            session: found?.row)
        return RefreshTarget(token: row, account: account, amr: found?.amr ?? [])
    }

    /// A session with its methods; remembered if it is the user's.
    private func session(
        _ id: SessionID, of user: UserID
    ) throws(StoreError) -> (row: SessionRow, amr: [AMRClaimRow])? {
        if let entry = accounts.entry(user), let row = entry.session, row.id == id { return (row, entry.amr) }
        guard let (row, number) = try reads.numberedSession(id) else { return nil }
        let amr = try reads.amrClaims(of: id)
        if row.userID == user {
            accounts.change(user) { entry in
                entry.session = row
                entry.sessionNumber = number
                entry.amr = amr
            }
        }
        return (row, amr)
    }
}
