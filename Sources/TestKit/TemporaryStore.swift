public import Store

/// An embedded store in a folder of its own.
public struct TemporaryStore: Sendable {
    public let store: SQLiteStore
    public let folder: TemporaryFolder

    public init(options: SQLiteOptions = SQLiteOptions()) throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(folder: folder.path, options: options)
    }

    /// Closes the store and deletes its files.
    public func remove() async {
        await store.close()
        folder.remove()
    }

    /// Gives a store to the body and deletes it afterwards, also when the body throws.
    public static func use<Value>(
        options: SQLiteOptions = SQLiteOptions(), _ body: (SQLiteStore) async throws -> Value
    ) async throws -> Value {
        let temporary = try TemporaryStore(options: options)
        do {
            let value = try await body(temporary.store)
            await temporary.remove()
            return value
        } catch {
            await temporary.remove()
            throw error
        }
    }
}
