internal import Backend
internal import Bytes

/// The typed reads on one connection; used by whoever may use the connection now.
struct SQLiteReads {
    let connection: SQLiteConnection

    /// Rows a list takes at most, so that no caller can ask for the whole database at once.
    static let rowsMax = 1_000_000

    func user(_ sql: SQL, _ bind: (SQLiteStatement) throws(StoreError) -> Void) throws(StoreError) -> UserRow? {
        let statement = try connection.prepared(sql)
        defer { statement.reset() }
        try bind(statement)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return try UserRow(&row)
    }

    func user(_ id: UserID) throws(StoreError) -> UserRow? {
        try user(.userByID) { statement throws(StoreError) in try statement.bind(1, id) }
    }

    /// The row with SQLite's number of it.
    func numberedUser(_ id: UserID) throws(StoreError) -> (row: UserRow, number: Int64)? {
        let statement = try connection.prepared(.userByID)
        defer { statement.reset() }
        try statement.bind(1, id)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return (try UserRow(&row), row.integer())
    }

    func user(_ sql: SQL, _ text: String) throws(StoreError) -> UserRow? {
        try user(sql) { statement throws(StoreError) in try statement.bind(1, text) }
    }

    func user(_ sql: SQL, _ text: String, audience: String) throws(StoreError) -> UserRow? {
        try user(sql) { statement throws(StoreError) in
            try statement.bind(1, text)
            try statement.bind(2, audience)
        }
    }

    func users(_ query: UserQuery) throws(StoreError) -> (rows: [UserRow], total: Int) {
        let filter = query.filter.map { UserFilter($0) }
        if let place = query.after { return (try users(after: place, query, filter), 0) }
        let page: SQL
        let count: SQL
        if filter == nil {
            page = query.isAscending ? .usersAscending : .usersDescending
            count = .countUsers
        } else {
            page = query.isAscending ? .filteredUsersAscending : .filteredUsersDescending
            count = .countFilteredUsers
        }
        // One moment for both: the second runs while the first still holds its read transaction.
        let counting = try connection.prepared(count)
        defer { counting.reset() }
        try counting.bind(1, query.audience)
        if let filter { try filter.bind(to: counting) }
        guard try counting.step() else { return ([], 0) }
        var counted = RowReader(counting)
        let total = Int(counted.integer())
        let paging = try connection.prepared(page)
        defer { paging.reset() }
        try paging.bind(1, query.audience)
        if let filter { try filter.bind(to: paging) }
        let first: Int32 = filter == nil ? 2 : 4
        try paging.bind(first, Int64(min(max(query.limit, 0), Self.rowsMax)))
        try paging.bind(first + 1, Int64(max(query.offset, 0)))
        var rows: [UserRow] = []
        while try paging.step() {
            var row = RowReader(paging)
            rows.append(try UserRow(&row))
        }
        return (rows, total)
    }

    private func users(
        after place: UserQuery.Place, _ query: UserQuery, _ filter: UserFilter?
    ) throws(StoreError) -> [UserRow] {
        let statement = try connection.prepared(query.isAscending ? .usersAfterAscending : .usersAfterDescending)
        defer { statement.reset() }
        try statement.bind(1, query.audience)
        if let filter {
            try filter.bind(to: statement)
        } else {
            try statement.bindNull(2)
            try statement.bindNull(3)
        }
        switch place {
        case .start:
            try statement.bind(4, query.isAscending ? Int64.min : Int64.max)
            // No id is as small as the empty text or as great as this one.
            try statement.bind(5, query.isAscending ? "" : "~")
        case .user(let createdAt, let id):
            try statement.bind(4, createdAt)
            try statement.bind(5, id)
        }
        try statement.bind(6, Int64(min(max(query.limit, 0), Self.rowsMax)))
        var rows: [UserRow] = []
        while try statement.step() {
            var row = RowReader(statement)
            rows.append(try UserRow(&row))
        }
        return rows
    }

    func identities(of user: UserID) throws(StoreError) -> [IdentityRow] {
        let statement = try connection.prepared(.identitiesOfUser)
        defer { statement.reset() }
        try statement.bind(1, user)
        var rows: [IdentityRow] = []
        while try statement.step() {
            var row = RowReader(statement)
            rows.append(try IdentityRow(&row))
        }
        return rows
    }

    func identity(provider: String, providerID: String) throws(StoreError) -> IdentityRow? {
        let statement = try connection.prepared(.identityByProvider)
        defer { statement.reset() }
        try statement.bind(1, providerID)
        try statement.bind(2, provider)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return try IdentityRow(&row)
    }

    func identities(email: String) throws(StoreError) -> [IdentityRow] {
        let statement = try connection.prepared(.identitiesByEmail)
        defer { statement.reset() }
        try statement.bind(1, email)
        var rows: [IdentityRow] = []
        while try statement.step() {
            var row = RowReader(statement)
            rows.append(try IdentityRow(&row))
        }
        return rows
    }

    func factors(of user: UserID) throws(StoreError) -> [FactorRow] {
        let statement = try connection.prepared(.factorsOfUser)
        defer { statement.reset() }
        try statement.bind(1, user)
        var rows: [FactorRow] = []
        while try statement.step() {
            var row = RowReader(statement)
            rows.append(try FactorRow(&row))
        }
        return rows
    }

    func session(_ id: SessionID) throws(StoreError) -> SessionRow? {
        try numberedSession(id)?.row
    }

    /// The row with SQLite's number of it.
    func numberedSession(_ id: SessionID) throws(StoreError) -> (row: SessionRow, number: Int64)? {
        let statement = try connection.prepared(.sessionByID)
        defer { statement.reset() }
        try statement.bind(1, id)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return (try SessionRow(&row), row.integer())
    }

    func owner(of session: SessionID) throws(StoreError) -> UserID? {
        let statement = try connection.prepared(.sessionOwner)
        defer { statement.reset() }
        try statement.bind(1, session)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return row.optionalUUID().map { UserID($0) }
    }

    func sessions(of user: UserID) throws(StoreError) -> [SessionRow] {
        let statement = try connection.prepared(.sessionsOfUser)
        defer { statement.reset() }
        try statement.bind(1, user)
        var rows: [SessionRow] = []
        while try statement.step() {
            var row = RowReader(statement)
            rows.append(try SessionRow(&row))
        }
        return rows
    }

    func refreshToken(_ token: String) throws(StoreError) -> RefreshTokenRow? {
        let statement = try connection.prepared(.refreshTokenByToken)
        defer { statement.reset() }
        try statement.bind(1, token)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return try RefreshTokenRow(&row)
    }

    func activeRefreshToken(of session: SessionID) throws(StoreError) -> RefreshTokenRow? {
        try refreshToken(.activeRefreshToken, of: session)
    }

    func newestRefreshToken(of session: SessionID) throws(StoreError) -> RefreshTokenRow? {
        try refreshToken(.newestRefreshTokenOfSession, of: session)
    }

    private func refreshToken(_ sql: SQL, of session: SessionID) throws(StoreError) -> RefreshTokenRow? {
        let statement = try connection.prepared(sql)
        defer { statement.reset() }
        try statement.bind(1, session)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return try RefreshTokenRow(&row)
    }

    func amrClaims(of session: SessionID) throws(StoreError) -> [AMRClaimRow] {
        let statement = try connection.prepared(.amrClaims)
        defer { statement.reset() }
        try statement.bind(1, session)
        var rows: [AMRClaimRow] = []
        while try statement.step() {
            var row = RowReader(statement)
            rows.append(AMRClaimRow(&row))
        }
        return rows
    }

    func oneTimeToken(hash: String, types: [OneTimeTokenType]) throws(StoreError) -> OneTimeTokenRow? {
        let statement = try connection.prepared(.oneTimeToken)
        defer { statement.reset() }
        try statement.bind(1, hash)
        while try statement.step() {
            var row = RowReader(statement)
            let token = try OneTimeTokenRow(&row)
            if types.contains(token.type) { return token }
        }
        return nil
    }

    func oneTimeToken(
        relatesTo address: String, type: OneTimeTokenType
    ) throws(StoreError) -> OneTimeTokenRow? {
        let statement = try connection.prepared(.oneTimeTokenByAddress)
        defer { statement.reset() }
        try statement.bind(1, address)
        try statement.bind(2, type.rawValue)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return try OneTimeTokenRow(&row)
    }

    func flowState(authCode: String) throws(StoreError) -> FlowStateRow? {
        let statement = try connection.prepared(.flowStateByCode)
        defer { statement.reset() }
        try statement.bind(1, authCode)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return try FlowStateRow(&row)
    }

    func flowState(of user: UserID, method: String) throws(StoreError) -> FlowStateRow? {
        let statement = try connection.prepared(.flowStateOfUser)
        defer { statement.reset() }
        try statement.bind(1, user)
        try statement.bind(2, method)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        return try FlowStateRow(&row)
    }

    /// The user's statement is kept open until the others are done: all four see one moment.
    func account(_ user: UserID, session: SessionID?) throws(StoreError) -> AccountRows? {
        let statement = try connection.prepared(.userByID)
        defer { statement.reset() }
        try statement.bind(1, user)
        guard try statement.step() else { return nil }
        var row = RowReader(statement)
        let found = try UserRow(&row)
        var sessionRow: SessionRow?
        if let session { sessionRow = try self.session(session) }
        return AccountRows(
            user: found, identities: try identities(of: user), factors: try factors(of: user), session: sessionRow)
    }

    func inbox(to recipient: String?, limit: Int) throws(StoreError) -> [InboxRow] {
        let statement = try connection.prepared(recipient == nil ? .inbox : .inboxOfRecipient)
        defer { statement.reset() }
        try statement.bind(1, Int64(min(max(limit, 0), Self.rowsMax)))
        if let recipient { try statement.bind(2, recipient) }
        var rows: [InboxRow] = []
        while try statement.step() {
            var row = RowReader(statement)
            rows.append(InboxRow(&row))
        }
        return rows
    }
}

/// The filter of a user list, in the two forms in which SQLite understands wildcards.
///
/// `LIKE` of the reference's database: `%` is any text, `_` one character, a backslash takes the next one as it is.
/// Source: supabase-admin.md 4.1.
struct UserFilter {
    /// Where letter case counts.
    private(set) var glob = "*"
    /// Where it does not.
    private(set) var like = "%"

    init(_ filter: String) {
        var isEscaped = false
        for character in filter.unicodeScalars {
            if !isEscaped, character == "\\" {
                isEscaped = true
                continue
            }
            append(character, isLiteral: isEscaped)
            isEscaped = false
        }
        if isEscaped { append("\\", isLiteral: true) }
        glob += "*"
        like += "%"
    }

    private mutating func append(_ character: Unicode.Scalar, isLiteral: Bool) {
        switch character {
        case "%" where !isLiteral:
            glob += "*"
            like += "%"
        case "_" where !isLiteral:
            glob += "?"
            like += "_"
        case "*", "?", "[":
            glob += "[\(character)]"
            like += String(character)
        case "%", "_", "\\":
            glob += String(character)
            like += "\\\(character)"
        default:
            glob += String(character)
            like += String(character)
        }
    }

    func bind(to statement: SQLiteStatement) throws(StoreError) {
        try statement.bind(2, glob)
        try statement.bind(3, like)
    }
}
