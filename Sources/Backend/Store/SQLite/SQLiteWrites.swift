internal import Backend
internal import Bytes
internal import JSON

/// The typed writes on the writer's connection. Each notes the users whose rows it touched.
struct SQLiteWrites {
    let connection: SQLiteConnection
    let ticket: WriteTicket
    let accounts: WriterCache

    /// Notes that rows of the user changed, in a way that nobody here describes.
    func touch(_ user: UserID) {
        accounts.remove(user)
        note(user)
    }

    /// Notes that rows of the user changed in the way that `change` describes.
    func touch(_ user: UserID, _ change: (WriterCache.Entry) -> Void) {
        accounts.change(user, change)
        note(user)
    }

    /// Notes that rows of the user changed which are not remembered.
    func note(_ user: UserID) {
        if ticket.touched.last != user { ticket.touched.append(user) }
    }

    // MARK: Users

    func insert(_ row: UserRow) throws(StoreError) {
        let statement = try connection.prepared(.insertUser)
        defer { statement.reset() }
        try statement.bind(1, row.id)
        try statement.bind(2, row.audience)
        try statement.bind(3, row.role)
        try statement.bind(4, row.email.nilIfEmpty)
        try statement.bind(5, row.encryptedPassword)
        try statement.bind(6, row.emailConfirmedAt)
        try statement.bind(7, row.invitedAt)
        try statement.bind(8, row.confirmationToken)
        try statement.bind(9, row.confirmationSentAt)
        try statement.bind(10, row.recoveryToken)
        try statement.bind(11, row.recoverySentAt)
        try statement.bind(12, row.emailChangeTokenNew)
        try statement.bind(13, row.emailChange)
        try statement.bind(14, row.emailChangeSentAt)
        try statement.bind(15, row.emailChangeTokenCurrent)
        try statement.bind(16, Int64(row.emailChangeConfirmStatus))
        try statement.bind(17, row.lastSignInAt)
        try statement.bind(18, row.appMetadata)
        try statement.bind(19, row.userMetadata)
        try statement.bind(20, row.phone.nilIfEmpty)
        try statement.bind(21, row.phoneConfirmedAt)
        try statement.bind(22, row.phoneChange)
        try statement.bind(23, row.phoneChangeToken)
        try statement.bind(24, row.phoneChangeSentAt)
        try statement.bind(25, row.reauthenticationToken)
        try statement.bind(26, row.reauthenticationSentAt)
        try statement.bind(27, row.bannedUntil)
        try statement.bind(28, row.deletedAt)
        try statement.bind(29, row.isSSOUser)
        try statement.bind(30, row.isAnonymous)
        try statement.bind(31, row.createdAt)
        try statement.bind(32, row.updatedAt)
        try statement.run()
        touch(row.id)
    }

    func update(_ row: UserRow, _ columns: UserColumns) throws(StoreError) {
        let entry = accounts.entry(row.id)
        let number = entry?.number
        let statement = try connection.preparedUpdate(columns, isByNumber: number != nil) {
            UserColumn.update(columns, isByNumber: number != nil)
        }
        defer { statement.reset() }
        if let number { try statement.bind(1, number) } else { try statement.bind(1, row.id) }
        try statement.bind(2, row.updatedAt)
        var index: Int32 = 3
        for column in UserColumn.allCases where columns.contains(column.group) {
            try column.bind(row, to: statement, at: index)
            index += 1
        }
        try statement.run()
        note(row.id)
        guard let entry else { return }
        entry.user.updatedAt = row.updatedAt
        for column in UserColumn.allCases where columns.contains(column.group) {
            column.copy(from: row, to: &entry.user)
        }
        if entry.isBig { accounts.remove(row.id) }
    }

    /// Refresh tokens hang on the sessions and go with them.
    func delete(user: UserID) throws(StoreError) {
        try run(.deleteUser, user)
        touch(user)
    }

    // MARK: Identities and factors

    func insert(_ row: IdentityRow) throws(StoreError) {
        try write(row, with: .insertIdentity)
    }

    /// The owner of an identity never changes.
    func update(_ row: IdentityRow) throws(StoreError) {
        try write(row, with: .updateIdentity)
    }

    private func write(_ row: IdentityRow, with sql: SQL) throws(StoreError) {
        let statement = try connection.prepared(sql)
        defer { statement.reset() }
        try statement.bind(1, row.id)
        try statement.bind(2, row.providerID)
        try statement.bind(3, row.userID)
        try statement.bind(4, row.provider)
        try statement.bind(5, row.data)
        try statement.bind(6, row.lastSignInAt)
        try statement.bind(7, row.createdAt)
        try statement.bind(8, row.updatedAt)
        try statement.run()
        touch(row.userID)
    }

    func delete(identity: IdentityID) throws(StoreError) {
        try touching(.deleteIdentity) { statement throws(StoreError) in try statement.bind(1, identity) }
    }

    func deleteFactors(of user: UserID) throws(StoreError) {
        try run(.deleteFactors, user)
        touch(user)
    }

    func insert(_ row: FactorRow) throws(StoreError) {
        let statement = try connection.prepared(.insertFactor)
        defer { statement.reset() }
        try statement.bind(1, row.id)
        try statement.bind(2, row.userID)
        try statement.bind(3, row.friendlyName)
        try statement.bind(4, row.type)
        try statement.bind(5, row.status)
        try statement.bind(6, row.phone)
        try statement.bind(7, row.createdAt)
        try statement.bind(8, row.updatedAt)
        try statement.bind(9, row.lastChallengedAt)
        try statement.bind(10, row.webAuthnAAGUID)
        try statement.bind(11, row.lastWebAuthnChallengeData)
        try statement.run()
        touch(row.userID)
    }

    func update(_ row: FactorRow) throws(StoreError) {
        try touching(.updateFactor) { statement throws(StoreError) in
            try statement.bind(1, row.id)
            try statement.bind(2, row.friendlyName)
            try statement.bind(3, row.phone)
            try statement.bind(4, row.updatedAt)
        }
    }

    func delete(factor: FactorID) throws(StoreError) {
        try touching(.deleteFactor) { statement throws(StoreError) in try statement.bind(1, factor) }
    }

    // MARK: Flow states, audit, outbox, inbox

    func write(_ row: FlowStateRow, with sql: SQL) throws(StoreError) {
        let statement = try connection.prepared(sql)
        defer { statement.reset() }
        try statement.bind(1, row.id)
        try statement.bind(2, row.userID)
        try statement.bind(3, row.authCode)
        try statement.bind(4, row.codeChallengeMethod)
        try statement.bind(5, row.codeChallenge)
        try statement.bind(6, row.providerType)
        try statement.bind(7, row.providerAccessToken)
        try statement.bind(8, row.providerRefreshToken)
        try statement.bind(9, row.authenticationMethod)
        try statement.bind(10, row.authCodeIssuedAt)
        try statement.bind(11, row.createdAt)
        try statement.bind(12, row.updatedAt)
        try statement.run()
    }

    func delete(flowState id: FlowStateID) throws(StoreError) -> Bool {
        try run(.deleteFlowState, id)
        return connection.changes == 1
    }

    func insert(_ row: AuditRow) throws(StoreError) {
        let statement = try connection.prepared(.insertAudit)
        defer { statement.reset() }
        try statement.bind(1, row.id)
        try statement.bind(2, row.payload)
        try statement.bind(3, row.createdAt)
        try statement.bind(4, row.ipAddress)
        try statement.run()
    }

    func insert(_ row: OutboxRow) throws(StoreError) -> Int64 {
        let statement = try connection.prepared(.insertOutbox)
        defer { statement.reset() }
        try statement.bind(1, row.channel)
        try statement.bind(2, row.recipient)
        try statement.bind(3, row.payload)
        try statement.bind(4, row.createdAt)
        try statement.bind(5, row.nextTryAt)
        try statement.bind(6, Int64(row.tries))
        try statement.run()
        return connection.lastInsertID
    }

    func takeDueOutbox(at time: StoreTime, until: StoreTime, limit: Int) throws(StoreError) -> [OutboxRow] {
        var rows: [OutboxRow] = []
        let statement = try connection.prepared(.takeDueOutbox)
        defer { statement.reset() }
        try statement.bind(1, time)
        try statement.bind(2, Int64(max(limit, 0)))
        while try statement.step() {
            var row = RowReader(statement)
            rows.append(OutboxRow(&row))
        }
        statement.reset()
        for row in rows { try postpone(outbox: row.id, to: until, tries: row.tries) }
        return rows
    }

    func delete(outbox id: Int64) throws(StoreError) {
        let statement = try connection.prepared(.deleteOutbox)
        defer { statement.reset() }
        try statement.bind(1, id)
        try statement.run()
    }

    func postpone(outbox id: Int64, to time: StoreTime, tries: Int) throws(StoreError) {
        let statement = try connection.prepared(.postponeOutbox)
        defer { statement.reset() }
        try statement.bind(1, id)
        try statement.bind(2, time)
        try statement.bind(3, Int64(tries))
        try statement.run()
    }

    func insert(_ row: InboxRow, keeping: Int) throws(StoreError) {
        let statement = try connection.prepared(.insertInbox)
        defer { statement.reset() }
        try statement.bind(1, row.channel)
        try statement.bind(2, row.recipient)
        try statement.bind(3, row.sender)
        try statement.bind(4, row.subject)
        try statement.bind(5, row.html)
        try statement.bind(6, row.text)
        try statement.bind(7, row.code)
        try statement.bind(8, row.link)
        try statement.bind(9, row.createdAt)
        try statement.run()
        let trimming = try connection.prepared(.trimInbox)
        defer { trimming.reset() }
        try trimming.bind(1, Int64(max(keeping, 0)))
        try trimming.run()
    }

    // MARK: Shared

    func run(_ sql: SQL, _ id: some UUIDIdentifier) throws(StoreError) {
        let statement = try connection.prepared(sql)
        defer { statement.reset() }
        try statement.bind(1, id)
        try statement.run()
    }

    /// Runs a statement that returns the id of the user of each row it changed; returns how many rows there were.
    @discardableResult
    func touching(_ sql: SQL, _ bind: (SQLiteStatement) throws(StoreError) -> Void) throws(StoreError) -> Int {
        let statement = try connection.prepared(sql)
        defer { statement.reset() }
        try bind(statement)
        var count = 0
        while try statement.step() {
            var row = RowReader(statement)
            if let user = row.optionalUUID() { touch(UserID(user)) }
            count += 1
        }
        return count
    }
}

extension Optional where Wrapped == String {
    /// `users.email` and `users.phone` are NULL when there is none: two empty ones would collide.
    var nilIfEmpty: String? { self == "" ? nil : self }
}
