public import Backend

/// Where rows are. No rule lives here. Source: architecture.md "Transactions".
public protocol AuthStore: Sendable {
    /// Runs a body that writes, whole or not at all, and returns its value once that is durable (after the fsync).
    ///
    /// The body decides from the rows it read inside, waits for nothing outside and has no effects but its rows: it may
    /// be run again. When it throws, nothing of it is kept and its error is rethrown.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) async throws -> Value
    ) async throws -> Value

    /// For what only reads. Usable on the loop it was asked on; sees everything that was answered before.
    var reader: any StoreReader { get }

    /// A stamp that grows, by one at least, with each transaction that wrote rows of this user, before its caller goes
    /// on: equal stamps mean that nothing changed between.
    /// nil where the store cannot know (another process may write); then nothing may be cached.
    func changeStamp(of user: UserID) -> UInt64?

    /// Copies the running store into a file, consistent as of one moment.
    func backUp(to path: String) async throws

    /// Answers when the store can be read and written.
    /// - Throws: why it cannot.
    func probe() async throws

    /// Finishes what is queued and closes. No call may follow.
    func close() async
}

/// Why the store refused or failed.
public enum StoreError: Error, Sendable {
    /// A unique index refused the row; the name is the index's or its columns' (`users.email`).
    case notUnique(String)
    /// A row that the new one refers to is gone.
    case missingReference
    /// More is queued than the store takes.
    case overloaded
    /// The machine refuses for now: no space is left, or a read or write of a file failed. Nothing was kept.
    case unavailable(String)
    /// Anything else, for the log.
    case failed(String)
    case closed
}

/// Typed reads. Rows are found as stored; what they mean is for the rules. Source: supabase-schema.md 8.
public protocol StoreReader: Sendable {
    func user(_ id: UserID) async throws -> UserRow?
    /// Not for SSO users. The address in lower case.
    func user(email: String, audience: String) async throws -> UserRow?
    func user(phone: String, audience: String) async throws -> UserRow?
    /// In any audience: what the unique indexes look at.
    func user(email: String) async throws -> UserRow?
    func user(phone: String) async throws -> UserRow?
    func user(phoneChange: String, audience: String) async throws -> UserRow?
    func users(_ query: UserQuery) async throws -> (rows: [UserRow], total: Int)

    /// In order of creation.
    func identities(of user: UserID) async throws -> [IdentityRow]
    func identity(provider: String, providerID: String) async throws -> IdentityRow?
    /// Identities of any provider but SSO's whose data has this address.
    func identities(email: String) async throws -> [IdentityRow]
    func factors(of user: UserID) async throws -> [FactorRow]

    func session(_ id: SessionID) async throws -> SessionRow?
    func sessions(of user: UserID) async throws -> [SessionRow]
    func refreshToken(_ token: String) async throws -> RefreshTokenRow?
    /// The unrevoked one with the highest id.
    func activeRefreshToken(of session: SessionID) async throws -> RefreshTokenRow?
    /// The one with the highest id, revoked or not.
    func newestRefreshToken(of session: SessionID) async throws -> RefreshTokenRow?
    /// Newest first by `updated_at`.
    func amrClaims(of session: SessionID) async throws -> [AMRClaimRow]
    func oneTimeToken(hash: String, types: [OneTimeTokenType]) async throws -> OneTimeTokenRow?
    /// The newest of that type that went to the address or number.
    func oneTimeToken(relatesTo address: String, type: OneTimeTokenType) async throws -> OneTimeTokenRow?
    func flowState(authCode: String) async throws -> FlowStateRow?
    /// The newest by `created_at`.
    func flowState(of user: UserID, method: String) async throws -> FlowStateRow?

    /// User, identities, factors and (when asked for) the session in one go: what a token check needs.
    func account(_ user: UserID, session: SessionID?) async throws -> AccountRows?

    /// Entries of the audit log, newest first.
    func auditEntries(_ search: AuditSearch) async throws -> (rows: [AuditRow], total: Int)

    /// Messages of the built-in inbox, newest first; all, or those to one address.
    func inbox(to recipient: String?, limit: Int) async throws -> [InboxRow]
}

/// Typed writes, inside ``AuthStore/transaction(_:)``. Reads see the transaction's own writes.
public protocol StoreTransaction: StoreReader {
    /// Takes the lock that orders all changes of this user (nothing to do where transactions run one by one).
    func lock(user: UserID) async throws

    /// The token with its session, user and methods in one go: what a refresh decides from and answers with.
    func refreshTarget(_ token: String) async throws -> RefreshTarget?

    func insert(_ row: UserRow) async throws
    /// Writes the named columns of the row and nothing else.
    func update(_ row: UserRow, _ columns: UserColumns) async throws
    /// And all that hangs on it (identities, sessions, tokens, factors).
    func delete(user: UserID) async throws

    func insert(_ row: IdentityRow) async throws
    func update(_ row: IdentityRow) async throws
    func delete(identity: IdentityID) async throws
    func deleteFactors(of user: UserID) async throws
    func insert(_ row: FactorRow) async throws
    /// Writes name and number of a factor, which stays its owner's.
    func update(_ row: FactorRow) async throws
    /// And its challenges; sessions that were raised with it stay as they are.
    func delete(factor: FactorID) async throws

    func insert(_ row: SessionRow) async throws
    func update(_ row: SessionRow) async throws
    /// Writes only what a refresh changes of a session: its times and where the client was.
    func refresh(_ row: SessionRow) async throws
    /// The same and the counter of its refresh tokens, if that still stands at `counter`: true for exactly one of any
    /// number of callers.
    func refresh(_ row: SessionRow, ifCounterIs counter: Int64) async throws -> Bool
    func delete(session: SessionID) async throws
    /// All sessions of the user, but for one. Returns how many went.
    @discardableResult
    func deleteSessions(of user: UserID, except: SessionID?) async throws -> Int

    /// Fills in the row's id and returns it.
    @discardableResult
    func insert(_ row: RefreshTokenRow) async throws -> Int64
    /// Revokes a token that is not revoked yet: true for exactly one of any number of callers.
    func revoke(refreshToken id: Int64, at time: StoreTime) async throws -> Bool
    /// Sets `updated_at` of a revoked token.
    func touch(refreshToken id: Int64, at time: StoreTime) async throws
    func revokeRefreshTokens(of session: SessionID, at time: StoreTime) async throws
    func delete(refreshToken id: Int64) async throws
    /// Adds the method to the session, or renews its time.
    func upsertAMRClaim(session: SessionID, method: String, at time: StoreTime) async throws
    /// Takes the method from the session.
    func deleteAMRClaim(session: SessionID, method: String) async throws

    /// Replaces the user's token of that type.
    func replace(_ row: OneTimeTokenRow) async throws
    func delete(oneTimeToken type: OneTimeTokenType, of user: UserID) async throws
    func deleteOneTimeTokens(of user: UserID) async throws

    func insert(_ row: FlowStateRow) async throws
    func update(_ row: FlowStateRow) async throws
    /// True when this call deleted it: exactly one caller gets true.
    func delete(flowState id: FlowStateID) async throws -> Bool

    func insert(_ row: AuditRow) async throws

    /// Puts a message into the outbox. Returns its id.
    @discardableResult
    func insert(_ row: OutboxRow) async throws -> Int64
    /// Messages whose time has come, oldest first; they are marked as taken until `until`.
    func takeDueOutbox(at time: StoreTime, until: StoreTime, limit: Int) async throws -> [OutboxRow]
    func delete(outbox id: Int64) async throws
    /// After a failed delivery.
    func postpone(outbox id: Int64, to time: StoreTime, tries: Int) async throws

    /// Keeps a message in the built-in inbox and drops what is older than the newest `keeping`.
    func insert(_ row: InboxRow, keeping: Int) async throws

    /// Counts a wrong try at the user's code of that type and returns the count so far.
    func countWrongTry(of user: UserID, type: OneTimeTokenType) async throws -> Int

    /// Runs one step of the clean-up (supabase-schema.md 10) and returns how many rows went.
    func cleanUp(_ step: CleanUpStep, before time: StoreTime, limit: Int) async throws -> Int
}
