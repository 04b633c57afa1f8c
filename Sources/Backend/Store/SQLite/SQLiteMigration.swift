import Bytes

/// A step that brings the tables from one version of ours to the next.
struct SQLiteMigration: Sendable {
    /// Counts from 1, one higher than the one before.
    let version: Int
    let name: String
    let statements: [String]

    /// All steps, in order. A step that was released is never changed.
    static let all = [
        SQLiteMigration(
            version: 1, name: "the reference's tables and our own",
            statements: [
                SQLiteSchema.accounts, SQLiteSchema.sessions, SQLiteSchema.factors, SQLiteSchema.singleSignOn,
                SQLiteSchema.authorizationServer, SQLiteSchema.own, insertReferenceVersions,
            ])
    ]

    /// The newest version that this program knows.
    static let newest = all.last?.version ?? 0

    /// What the reference would have written into its own book-keeping. Source: supabase-schema.md 7.
    static let referenceVersions = [
        "00", "20210710035447", "20210722035447", "20210730183235", "20210909172000", "20210927181326",
        "20211122151130", "20211124214934", "20211202183645", "20220114185221", "20220114185340", "20220224000811",
        "20220323170000", "20220429102000", "20220531120530", "20220614074223", "20220811173540", "20221003041349",
        "20221003041400", "20221011041400", "20221020193600", "20221021073300", "20221021082433", "20221027105023",
        "20221114143122", "20221114143410", "20221125140132", "20221208132122", "20221215195500", "20221215195800",
        "20221215195900", "20230116124310", "20230116124412", "20230131181311", "20230322519590", "20230402418590",
        "20230411005111", "20230508135423", "20230523124323", "20230818113222", "20230914180801", "20231027141322",
        "20231114161723", "20231117164230", "20240115144230", "20240214120130", "20240306115329", "20240314092811",
        "20240427152123", "20240612123726", "20240729123726", "20240802193726", "20240806073726", "20241009103726",
        "20250717082212", "20250731150234", "20250804100000", "20250901200500", "20250903112500", "20250904133000",
        "20250925093508", "20251007112900", "20251104100000", "20251111201300", "20251201000000", "20260115000000",
        "20260121000000", "20260219120000", "20260302000000", "20260625000000",
    ]

    private static let insertReferenceVersions =
        "INSERT INTO schema_migrations (version) VALUES "
        + referenceVersions.map { "('\($0)')" }.joined(separator: ", ")

    /// Brings a database to the newest version: safe to call on every start, and by two processes at once.
    /// - Throws: ``StoreOpeningError/newerVersion(found:known:)`` when a newer program wrote the database.
    static func run(on connection: SQLiteConnection) throws {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            try connection.execute(
                "CREATE TABLE IF NOT EXISTS drawbridge_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            let text = try connection.value("SELECT max(version) FROM drawbridge_migrations")
            let found = text.flatMap { Int($0) } ?? 0
            guard found <= newest else { throw StoreOpeningError.newerVersion(found: found, known: newest) }
            for migration in all where migration.version > found {
                for statement in migration.statements { try connection.execute(statement) }
                let name = migration.name.replacing(text: "'", with: "''")
                try connection.execute(
                    "INSERT INTO drawbridge_migrations (version, name) VALUES (\(migration.version), '\(name)')")
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
            throw error
        }
    }
}
