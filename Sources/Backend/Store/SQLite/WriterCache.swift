internal import Backend
internal import JSON

/// What the writer knows of the accounts it saw last, as of its last statement: bodies that change one account again
/// and again (refreshes, metadata) read no row twice.
///
/// It is exact because all writes go through the writer: those that say what they leave behind keep an entry in step,
/// every other write of a user's rows removes it, and a rollback empties the cache. Used on the writer's thread only.
final class WriterCache {
    /// Entries of each of the two generations.
    private static let generationMax = 2_048
    /// Bytes of JSON in an entry; accounts with more are read from their rows.
    private static let entryBytesMax = 16 * 1024

    final class Entry {
        var user: UserRow
        /// SQLite's number of the user's row, by which it is found without a look at the index of ids. Another process
        /// may give rows new numbers (VACUUM); then `PRAGMA data_version` empties the cache.
        let number: Int64
        /// nil as long as nobody asked for them; so are the factors.
        var identities: [IdentityRow]?
        var factors: [FactorRow]?
        /// The session that was asked for last, with its methods.
        var session: SessionRow?
        /// The number of that session's row.
        var sessionNumber: Int64 = 0
        var amr: [AMRClaimRow] = []

        init(user: UserRow, number: Int64) {
            self.user = user
            self.number = number
        }

        /// The columns that a refresh writes.
        func noteRefresh(_ row: SessionRow) {
            session?.updatedAt = row.updatedAt
            session?.refreshedAt = row.refreshedAt
            session?.userAgent = row.userAgent
            session?.ip = row.ip
        }

        var isBig: Bool {
            var count = user.appMetadata.bytes.count + user.userMetadata.bytes.count
            for identity in identities ?? [] { count += identity.data.bytes.count }
            return count > entryBytesMax
        }
    }

    private var young: [UserID: Entry] = [:]
    private var old: [UserID: Entry] = [:]

    func entry(_ user: UserID) -> Entry? {
        if let entry = young[user] { return entry }
        guard let entry = old.removeValue(forKey: user) else { return nil }
        keep(entry)
        return entry
    }

    func keep(_ entry: Entry) {
        guard !entry.isBig else { return }
        if young.count >= Self.generationMax, young[entry.user.id] == nil {
            old = young
            young.removeAll()
        }
        young[entry.user.id] = entry
    }

    /// Changes what is known, if anything is.
    func change(_ user: UserID, _ body: (Entry) -> Void) {
        guard let entry = entry(user) else { return }
        body(entry)
        if entry.isBig { remove(user) }
    }

    func remove(_ user: UserID) {
        young[user] = nil
        if !old.isEmpty { old[user] = nil }
    }

    func removeAll() {
        young.removeAll(keepingCapacity: true)
        old.removeAll()
    }
}
