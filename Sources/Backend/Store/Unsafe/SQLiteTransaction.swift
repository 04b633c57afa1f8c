internal import Backend
internal import Bytes

/// The transaction that a body sees. Every call completes at once.
///
/// `@unchecked Sendable`: the ticket is only touched after `SQLiteWriter.perform` made sure of the writer's thread.
struct SQLiteTransaction: StoreTransaction, @unchecked Sendable {
    let writer: SQLiteWriter
    let ticket: WriteTicket

    private func read<Value>(_ body: (SQLiteReads) throws(StoreError) -> Value) throws(StoreError) -> Value {
        try writer.perform(ticket) { writes throws(StoreError) in
            try body(SQLiteReads(connection: writes.connection))
        }
    }

    private func write<Value>(_ body: (SQLiteWrites) throws(StoreError) -> Value) throws(StoreError) -> Value {
        try writer.perform(ticket) { writes throws(StoreError) in
            ticket.hasWritten = true
            return try body(writes)
        }
    }

    /// Reads what the writer may know already.
    private func look<Value>(_ body: (SQLiteWrites) throws(StoreError) -> Value) throws(StoreError) -> Value {
        try writer.perform(ticket, body)
    }

    // MARK: Reads

    func user(_ id: UserID) throws -> UserRow? {
        try look { rows throws(StoreError) in try rows.user(id) }
    }

    func user(email: String, audience: String) throws -> UserRow? {
        try read { reads throws(StoreError) in try reads.user(.userByEmailInAudience, email, audience: audience) }
    }

    func user(phone: String, audience: String) throws -> UserRow? {
        try read { reads throws(StoreError) in try reads.user(.userByPhoneInAudience, phone, audience: audience) }
    }

    func user(email: String) throws -> UserRow? {
        try read { reads throws(StoreError) in try reads.user(.userByEmail, email) }
    }

    func user(phone: String) throws -> UserRow? {
        try read { reads throws(StoreError) in try reads.user(.userByPhone, phone) }
    }

    func user(phoneChange: String, audience: String) throws -> UserRow? {
        try read { reads throws(StoreError) in
            try reads.user(.userByPhoneChange, phoneChange, audience: audience)
        }
    }

    func users(_ query: UserQuery) throws -> (rows: [UserRow], total: Int) {
        try read { reads throws(StoreError) in try reads.users(query) }
    }

    func identities(of user: UserID) throws -> [IdentityRow] {
        try look { rows throws(StoreError) in try rows.identities(of: user) }
    }

    func identity(provider: String, providerID: String) throws -> IdentityRow? {
        try read { reads throws(StoreError) in try reads.identity(provider: provider, providerID: providerID) }
    }

    func identities(email: String) throws -> [IdentityRow] {
        try read { reads throws(StoreError) in try reads.identities(email: email) }
    }

    func factors(of user: UserID) throws -> [FactorRow] {
        try look { rows throws(StoreError) in try rows.factors(of: user) }
    }

    func session(_ id: SessionID) throws -> SessionRow? {
        try read { reads throws(StoreError) in try reads.session(id) }
    }

    func sessions(of user: UserID) throws -> [SessionRow] {
        try read { reads throws(StoreError) in try reads.sessions(of: user) }
    }

    func refreshToken(_ token: String) throws -> RefreshTokenRow? {
        let row = try read { reads throws(StoreError) in try reads.refreshToken(token) }
        if let row { ticket.tokenOwner = (row.id, row.userID) }
        return row
    }

    func activeRefreshToken(of session: SessionID) throws -> RefreshTokenRow? {
        try read { reads throws(StoreError) in try reads.activeRefreshToken(of: session) }
    }

    func newestRefreshToken(of session: SessionID) throws -> RefreshTokenRow? {
        try read { reads throws(StoreError) in try reads.newestRefreshToken(of: session) }
    }

    func amrClaims(of session: SessionID) throws -> [AMRClaimRow] {
        try read { reads throws(StoreError) in try reads.amrClaims(of: session) }
    }

    func oneTimeToken(hash: String, types: [OneTimeTokenType]) throws -> OneTimeTokenRow? {
        try read { reads throws(StoreError) in try reads.oneTimeToken(hash: hash, types: types) }
    }

    func oneTimeToken(relatesTo address: String, type: OneTimeTokenType) throws -> OneTimeTokenRow? {
        try read { reads throws(StoreError) in try reads.oneTimeToken(relatesTo: address, type: type) }
    }

    func flowState(authCode: String) throws -> FlowStateRow? {
        try read { reads throws(StoreError) in try reads.flowState(authCode: authCode) }
    }

    func flowState(of user: UserID, method: String) throws -> FlowStateRow? {
        try read { reads throws(StoreError) in try reads.flowState(of: user, method: method) }
    }

    func account(_ user: UserID, session: SessionID?) throws -> AccountRows? {
        try look { rows throws(StoreError) in try rows.account(user, session: session) }
    }

    func refreshTarget(_ token: String) throws -> RefreshTarget? {
        try look { rows throws(StoreError) in try rows.refreshTarget(token) }
    }

    func auditEntries(_ search: AuditSearch) throws -> (rows: [AuditRow], total: Int) {
        try read { reads throws(StoreError) in try reads.auditEntries(search) }
    }

    func inbox(to recipient: String?, limit: Int) throws -> [InboxRow] {
        try read { reads throws(StoreError) in try reads.inbox(to: recipient, limit: limit) }
    }
    // MARK: Writes

    /// Writes one row of our own, to see whether it can be done.
    func probe() throws {
        try write { writes throws(StoreError) in try writes.connection.run(.probe) }
    }

    /// Bodies run one by one: there is nothing to lock.
    func lock(user: UserID) {}

    func insert(_ row: UserRow) throws {
        try write { writes throws(StoreError) in try writes.insert(row) }
    }

    func update(_ row: UserRow, _ columns: UserColumns) throws {
        try write { writes throws(StoreError) in try writes.update(row, columns) }
    }

    func delete(user: UserID) throws {
        try write { writes throws(StoreError) in try writes.delete(user: user) }
    }

    func insert(_ row: IdentityRow) throws {
        try write { writes throws(StoreError) in try writes.insert(row) }
    }

    func update(_ row: IdentityRow) throws {
        try write { writes throws(StoreError) in try writes.update(row) }
    }

    func delete(identity: IdentityID) throws {
        try write { writes throws(StoreError) in try writes.delete(identity: identity) }
    }

    func deleteFactors(of user: UserID) throws {
        try write { writes throws(StoreError) in try writes.deleteFactors(of: user) }
    }

    func insert(_ row: FactorRow) throws {
        try write { writes throws(StoreError) in try writes.insert(row) }
    }

    func update(_ row: FactorRow) throws {
        try write { writes throws(StoreError) in try writes.update(row) }
    }

    func delete(factor: FactorID) throws {
        try write { writes throws(StoreError) in try writes.delete(factor: factor) }
    }

    func deleteAMRClaim(session: SessionID, method: String) throws {
        try write { writes throws(StoreError) in try writes.deleteAMRClaim(session: session, method: method) }
    }

    func insert(_ row: SessionRow) throws {
        try write { writes throws(StoreError) in try writes.insert(row) }
    }

    func update(_ row: SessionRow) throws {
        try write { writes throws(StoreError) in try writes.update(row) }
    }

    func refresh(_ row: SessionRow) throws {
        try write { writes throws(StoreError) in try writes.refresh(row) }
    }

    func refresh(_ row: SessionRow, ifCounterIs counter: Int64) throws -> Bool {
        try write { writes throws(StoreError) in try writes.refresh(row, ifCounterIs: counter) }
    }

    func delete(session: SessionID) throws {
        try write { writes throws(StoreError) in try writes.delete(session: session) }
    }

    @discardableResult
    func deleteSessions(of user: UserID, except: SessionID?) throws -> Int {
        try write { writes throws(StoreError) in try writes.deleteSessions(of: user, except: except) }
    }

    @discardableResult
    func insert(_ row: RefreshTokenRow) throws -> Int64 {
        try write { writes throws(StoreError) in try writes.insert(row) }
    }

    func revoke(refreshToken id: Int64, at time: StoreTime) throws -> Bool {
        try write { writes throws(StoreError) in try writes.revoke(refreshToken: id, at: time) }
    }

    func touch(refreshToken id: Int64, at time: StoreTime) throws {
        try write { writes throws(StoreError) in try writes.touch(refreshToken: id, at: time) }
    }

    func revokeRefreshTokens(of session: SessionID, at time: StoreTime) throws {
        try write { writes throws(StoreError) in try writes.revokeRefreshTokens(of: session, at: time) }
    }

    func delete(refreshToken id: Int64) throws {
        try write { writes throws(StoreError) in try writes.delete(refreshToken: id) }
    }

    func upsertAMRClaim(session: SessionID, method: String, at time: StoreTime) throws {
        try write { writes throws(StoreError) in try writes.upsertAMRClaim(session: session, method: method, at: time) }
    }

    func replace(_ row: OneTimeTokenRow) throws {
        try write { writes throws(StoreError) in try writes.replace(row) }
    }

    func delete(oneTimeToken type: OneTimeTokenType, of user: UserID) throws {
        try write { writes throws(StoreError) in try writes.delete(oneTimeToken: type, of: user) }
    }

    func deleteOneTimeTokens(of user: UserID) throws {
        try write { writes throws(StoreError) in try writes.deleteOneTimeTokens(of: user) }
    }

    func insert(_ row: FlowStateRow) throws {
        try write { writes throws(StoreError) in try writes.write(row, with: .insertFlowState) }
    }

    func update(_ row: FlowStateRow) throws {
        try write { writes throws(StoreError) in try writes.write(row, with: .updateFlowState) }
    }

    func delete(flowState id: FlowStateID) throws -> Bool {
        try write { writes throws(StoreError) in try writes.delete(flowState: id) }
    }

    func insert(_ row: AuditRow) throws {
        try write { writes throws(StoreError) in try writes.insert(row) }
    }

    @discardableResult
    func insert(_ row: OutboxRow) throws -> Int64 {
        try write { writes throws(StoreError) in try writes.insert(row) }
    }

    func takeDueOutbox(at time: StoreTime, until: StoreTime, limit: Int) throws -> [OutboxRow] {
        try write { writes throws(StoreError) in try writes.takeDueOutbox(at: time, until: until, limit: limit) }
    }

    func delete(outbox id: Int64) throws {
        try write { writes throws(StoreError) in try writes.delete(outbox: id) }
    }

    func postpone(outbox id: Int64, to time: StoreTime, tries: Int) throws {
        try write { writes throws(StoreError) in try writes.postpone(outbox: id, to: time, tries: tries) }
    }

    func insert(_ row: InboxRow, keeping: Int) throws {
        try write { writes throws(StoreError) in try writes.insert(row, keeping: keeping) }
    }

    func countWrongTry(of user: UserID, type: OneTimeTokenType) throws -> Int {
        try write { writes throws(StoreError) in try writes.countWrongTry(of: user, type: type) }
    }

    func cleanUp(_ step: CleanUpStep, before time: StoreTime, limit: Int) throws -> Int {
        try write { writes throws(StoreError) in try writes.cleanUp(step, before: time, limit: limit) }
    }
}
