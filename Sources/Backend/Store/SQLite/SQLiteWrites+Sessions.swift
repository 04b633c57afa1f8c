internal import Backend
internal import Bytes

/// Sessions, their refresh tokens and methods, one-time tokens, and the clean-up of all of them.
extension SQLiteWrites {
    func insert(_ row: SessionRow) throws(StoreError) {
        let statement = try connection.prepared(.insertSession)
        defer { statement.reset() }
        try statement.bind(1, row.id)
        try statement.bind(2, row.userID)
        try statement.bind(3, row.createdAt)
        try bindRest(of: row, to: statement, from: 4)
        try statement.run()
        touch(row.userID)
    }

    /// Owner and time of creation never change.
    func update(_ row: SessionRow) throws(StoreError) {
        let statement = try connection.prepared(.updateSession)
        defer { statement.reset() }
        try statement.bind(1, row.id)
        try bindRest(of: row, to: statement, from: 2)
        try statement.run()
        touch(row.userID)
    }

    func refresh(_ row: SessionRow) throws(StoreError) {
        let entry = accounts.entry(row.userID)
        let known = entry?.session?.id == row.id ? entry : nil
        let statement = try connection.prepared(known == nil ? .refreshSession : .refreshNumberedSession)
        defer { statement.reset() }
        if let known { try statement.bind(1, known.sessionNumber) } else { try statement.bind(1, row.id) }
        try bindRefresh(of: row, to: statement)
        try statement.run()
        note(row.userID)
        known?.noteRefresh(row)
    }

    func refresh(_ row: SessionRow, ifCounterIs counter: Int64) throws(StoreError) -> Bool {
        let statement = try connection.prepared(.advanceSession)
        defer { statement.reset() }
        try statement.bind(1, row.id)
        try bindRefresh(of: row, to: statement)
        try statement.bind(6, row.refreshTokenCounter)
        try statement.bind(7, counter)
        try statement.run()
        guard connection.changes == 1 else { return false }
        touch(row.userID) { entry in
            guard entry.session?.id == row.id else { return }
            entry.noteRefresh(row)
            entry.session?.refreshTokenCounter = row.refreshTokenCounter
        }
        return true
    }

    private func bindRefresh(of row: SessionRow, to statement: SQLiteStatement) throws(StoreError) {
        try statement.bind(2, row.updatedAt)
        try statement.bind(3, row.refreshedAt)
        try statement.bind(4, row.userAgent)
        try statement.bind(5, row.ip)
    }

    private func bindRest(of row: SessionRow, to statement: SQLiteStatement, from first: Int32) throws(StoreError) {
        try statement.bind(first, row.updatedAt)
        try statement.bind(first + 1, row.factorID)
        try statement.bind(first + 2, row.aal)
        try statement.bind(first + 3, row.notAfter)
        try statement.bind(first + 4, row.refreshedAt)
        try statement.bind(first + 5, row.userAgent)
        try statement.bind(first + 6, row.ip)
        try statement.bind(first + 7, row.tag)
        try statement.bind(first + 8, row.oauthClientID)
        try statement.bind(first + 9, row.refreshTokenHMACKey)
        try statement.bind(first + 10, row.refreshTokenCounter)
        try statement.bind(first + 11, row.scopes)
    }

    func delete(session: SessionID) throws(StoreError) {
        try touching(.deleteSession) { statement throws(StoreError) in try statement.bind(1, session) }
    }

    func deleteSessions(of user: UserID, except kept: SessionID?) throws(StoreError) -> Int {
        let statement = try connection.prepared(kept == nil ? .deleteSessionsOfUser : .deleteOtherSessionsOfUser)
        defer { statement.reset() }
        try statement.bind(1, user)
        if let kept { try statement.bind(2, kept) }
        try statement.run()
        touch(user)
        return connection.changes
    }

    func insert(_ row: RefreshTokenRow) throws(StoreError) -> Int64 {
        let statement = try connection.prepared(.insertRefreshToken)
        defer { statement.reset() }
        try statement.bind(1, row.token)
        try statement.bind(2, row.userID)
        try statement.bind(3, row.isRevoked)
        try statement.bind(4, row.parent)
        try statement.bind(5, row.sessionID)
        try statement.bind(6, row.createdAt)
        try statement.bind(7, row.updatedAt)
        let id = try nextRefreshTokenID()
        try statement.bind(8, id)
        try statement.run()
        note(row.userID)
        ticket.tokenOwner = (id, row.userID)
        return id
    }

    /// True when the token was there and not revoked.
    func revoke(refreshToken id: Int64, at time: StoreTime) throws(StoreError) -> Bool {
        try changeToken(.revokeRefreshToken, id, time) == 1
    }

    func touch(refreshToken id: Int64, at time: StoreTime) throws(StoreError) {
        _ = try changeToken(.touchRefreshToken, id, time)
    }

    /// Ids only grow, as those of the reference's sequence: one that was deleted does not come back while this runs.
    private func nextRefreshTokenID() throws(StoreError) -> Int64 {
        if connection.newestRefreshToken == nil {
            connection.newestRefreshToken = try connection.integer(.newestRefreshToken) ?? 0
        }
        let id = (connection.newestRefreshToken ?? 0) &+ 1
        connection.newestRefreshToken = id
        return id
    }

    private func changeToken(_ sql: SQL, _ id: Int64, _ time: StoreTime) throws(StoreError) -> Int {
        let statement = try connection.prepared(sql)
        defer { statement.reset() }
        try statement.bind(1, id)
        try statement.bind(2, time)
        try statement.run()
        let count = connection.changes
        if count > 0, let owner = try owner(ofRefreshToken: id) { note(owner) }
        return count
    }

    /// A body has nearly always just read the token that it changes.
    private func owner(ofRefreshToken id: Int64) throws(StoreError) -> UserID? {
        if let known = ticket.tokenOwner, known.id == id { return known.user }
        let statement = try connection.prepared(.refreshTokenOwner)
        defer { statement.reset() }
        try statement.bind(1, id)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return row.optionalUUID().map { UserID($0) }
    }

    func revokeRefreshTokens(of session: SessionID, at time: StoreTime) throws(StoreError) {
        try touching(.revokeRefreshTokensOfSession) { statement throws(StoreError) in
            try statement.bind(1, session)
            try statement.bind(2, time)
        }
    }

    func delete(refreshToken id: Int64) throws(StoreError) {
        try touching(.deleteRefreshToken) { statement throws(StoreError) in try statement.bind(1, id) }
    }

    func upsertAMRClaim(session: SessionID, method: String, at time: StoreTime) throws(StoreError) {
        let statement = try connection.prepared(.upsertAMRClaim)
        defer { statement.reset() }
        try statement.bind(1, session)
        try statement.bind(2, method)
        try statement.bind(3, time)
        try statement.run()
        if let owner = try SQLiteReads(connection: connection).owner(of: session) { touch(owner) }
    }

    func deleteAMRClaim(session: SessionID, method: String) throws(StoreError) {
        let statement = try connection.prepared(.deleteAMRClaim)
        defer { statement.reset() }
        try statement.bind(1, session)
        try statement.bind(2, method)
        try statement.run()
        if let owner = try SQLiteReads(connection: connection).owner(of: session) { touch(owner) }
    }

    // MARK: One-time tokens

    func replace(_ row: OneTimeTokenRow) throws(StoreError) {
        let statement = try connection.prepared(.replaceOneTimeToken)
        defer { statement.reset() }
        try statement.bind(1, row.id)
        try statement.bind(2, row.userID)
        try statement.bind(3, row.type.rawValue)
        try statement.bind(4, row.hash)
        try statement.bind(5, row.relatesTo)
        try statement.bind(6, row.createdAt)
        try statement.run()
        try run(.resetTries, row.type, of: row.userID)
        touch(row.userID)
    }

    func delete(oneTimeToken type: OneTimeTokenType, of user: UserID) throws(StoreError) {
        try run(.deleteOneTimeToken, type, of: user)
        try run(.resetTries, type, of: user)
        touch(user)
    }

    func deleteOneTimeTokens(of user: UserID) throws(StoreError) {
        try run(.deleteOneTimeTokens, user)
        try run(.resetAllTries, user)
        touch(user)
    }

    func countWrongTry(of user: UserID, type: OneTimeTokenType) throws(StoreError) -> Int {
        let statement = try connection.prepared(.countTry)
        defer { statement.reset() }
        try statement.bind(1, user)
        try statement.bind(2, type.rawValue)
        guard try statement.step() else { return 0 }
        var row = RowReader(statement)
        touch(user)
        return Int(row.integer())
    }

    private func run(_ sql: SQL, _ type: OneTimeTokenType, of user: UserID) throws(StoreError) {
        let statement = try connection.prepared(sql)
        defer { statement.reset() }
        try statement.bind(1, user)
        try statement.bind(2, type.rawValue)
        try statement.run()
    }

    // MARK: Clean-up

    func cleanUp(_ step: CleanUpStep, before time: StoreTime, limit: Int) throws(StoreError) -> Int {
        switch step {
        case .revokedRefreshTokens: try clean(.cleanRevokedTokens, time, limit)
        case .refreshTokensOfEndedSessions: try clean(.cleanTokensOfEndedSessions, time, limit)
        case .endedSessions: try cleanNotingUsers(.cleanEndedSessions, time, limit)
        case .flowStates:
            try clean(.cleanFlowStates, time, limit) + clean(.cleanClientStates, time, limit)
                + clean(.cleanRelayStates, time, limit)
        case .challenges: try clean(.cleanChallenges, time, limit) + clean(.cleanPasskeyChallenges, time, limit)
        case .unverifiedFactors: try cleanNotingUsers(.cleanUnverifiedFactors, time, limit)
        case .anonymousUsers: try cleanNotingUsers(.cleanAnonymousUsers, time, limit)
        }
    }

    private func clean(_ sql: SQL, _ time: StoreTime, _ limit: Int) throws(StoreError) -> Int {
        let statement = try connection.prepared(sql)
        defer { statement.reset() }
        try statement.bind(1, time)
        try statement.bind(2, Int64(max(limit, 0)))
        try statement.run()
        return connection.changes
    }

    private func cleanNotingUsers(_ sql: SQL, _ time: StoreTime, _ limit: Int) throws(StoreError) -> Int {
        try touching(sql) { statement throws(StoreError) in
            try statement.bind(1, time)
            try statement.bind(2, Int64(max(limit, 0)))
        }
    }
}
