internal import Backend
internal import Bytes
internal import Synchronization

/// Reads on the caller's own thread, each thread with a connection of its own.
///
/// A connection is opened when its thread first asks. The lock around it is uncontended as long as no more threads read
/// than there are connections; it makes a late read after ``SQLiteStore/close()`` an error instead of a crash.
final class SQLiteReader: StoreReader {
    /// More than loops ever are; threads beyond it share.
    private static let connectionsMax = 16

    private let path: String
    private let options: SQLiteOptions
    private let stamps: ChangeStamps
    private let slots: [Slot]

    private final class Slot: Sendable {
        let state = Mutex(State.unopened)
    }

    private enum State {
        case unopened
        case open(SQLiteConnection)
        case closed
    }

    init(path: String, stamps: ChangeStamps, options: SQLiteOptions) {
        self.stamps = stamps
        self.path = path
        self.options = options
        slots = (0..<Self.connectionsMax).map { _ in Slot() }
    }

    /// So that the write-ahead log can be moved on. From any thread.
    func releaseSnapshots() {
        for slot in slots {
            slot.state.withLock { state in
                if case .open(let connection) = state { connection.releaseSnapshot() }
            }
        }
    }

    func close() {
        for slot in slots { slot.state.withLock { $0 = .closed } }
    }

    private func read<Value: Sendable>(
        _ body: (SQLiteReads) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let slot = slots[ThreadNumber.current(below: Self.connectionsMax)]
        // Loaded before the snapshot is taken: what was answered before this call is in it.
        let moment = SQLiteConnection.Moment(commits: stamps.commits, tick: ChangeStamps.tick())
        return try slot.state.withLock { state throws(StoreError) -> Value in
            switch state {
            case .open(let connection):
                try connection.hold(moment)
                return try body(SQLiteReads(connection: connection))
            case .closed: throw StoreError.closed
            case .unopened:
                let connection = try SQLiteConnection(path: path, mode: .readOnly, options: options)
                state = .open(connection)
                try connection.hold(moment)
                return try body(SQLiteReads(connection: connection))
            }
        }
    }

    func user(_ id: UserID) throws -> UserRow? {
        try read { reads throws(StoreError) in try reads.user(id) }
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
        try read { reads throws(StoreError) in try reads.identities(of: user) }
    }

    func identity(provider: String, providerID: String) throws -> IdentityRow? {
        try read { reads throws(StoreError) in try reads.identity(provider: provider, providerID: providerID) }
    }

    func identities(email: String) throws -> [IdentityRow] {
        try read { reads throws(StoreError) in try reads.identities(email: email) }
    }

    func factors(of user: UserID) throws -> [FactorRow] {
        try read { reads throws(StoreError) in try reads.factors(of: user) }
    }

    func session(_ id: SessionID) throws -> SessionRow? {
        try read { reads throws(StoreError) in try reads.session(id) }
    }

    func sessions(of user: UserID) throws -> [SessionRow] {
        try read { reads throws(StoreError) in try reads.sessions(of: user) }
    }

    func refreshToken(_ token: String) throws -> RefreshTokenRow? {
        try read { reads throws(StoreError) in try reads.refreshToken(token) }
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
        try read { reads throws(StoreError) in try reads.account(user, session: session) }
    }

    func auditEntries(_ search: AuditSearch) throws -> (rows: [AuditRow], total: Int) {
        try read { reads throws(StoreError) in try reads.auditEntries(search) }
    }

    func inbox(to recipient: String?, limit: Int) throws -> [InboxRow] {
        try read { reads throws(StoreError) in try reads.inbox(to: recipient, limit: limit) }
    }
}
