/// Why a store could not be opened. Its text is for the operator.
public enum StoreOpeningError: Error, Sendable, CustomStringConvertible {
    /// Another process has this folder.
    case inUse(String)
    /// The folder or its files cannot be used.
    case unusable(String, reason: String)
    /// The database was written by a newer version of the program.
    case newerVersion(found: Int, known: Int)

    public var description: String {
        switch self {
        case .inUse(let folder): "the data folder \(folder) is in use by another process"
        case .unusable(let folder, let reason): "the data folder \(folder) cannot be used: \(reason)"
        case .newerVersion(let found, let known):
            "the database has version \(found), this program knows versions up to \(known): use a newer drawbridge"
        }
    }
}
