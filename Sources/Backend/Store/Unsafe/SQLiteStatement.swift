internal import Backend
internal import Bytes
internal import CSQLite
internal import JSON

/// A prepared statement. Used where its connection is used, and by nobody after `finalize`.
@safe struct SQLiteStatement {
    fileprivate let raw: OpaquePointer
    private let database: OpaquePointer

    init(_ raw: OpaquePointer, of database: OpaquePointer) {
        unsafe self.raw = raw
        unsafe self.database = database
    }

    /// Goes to the next row: true when there is one, false at the end.
    func step() throws(StoreError) -> Bool {
        switch unsafe sqlite3_step(raw) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure()
        }
    }

    /// Runs the statement to its end, whatever rows come.
    func run() throws(StoreError) {
        while try step() {}
    }

    /// Makes the statement ready for the next use; only then it no longer holds its read transaction.
    func reset() {
        unsafe _ = sqlite3_reset(raw)
    }

    func finalize() {
        unsafe _ = sqlite3_finalize(raw)
    }

    // MARK: Parameters, counted from 1

    func bind(_ index: Int32, _ value: Int64?) throws(StoreError) {
        guard let value else { return try bindNull(index) }
        try check(unsafe sqlite3_bind_int64(raw, index, value))
    }

    func bind(_ index: Int32, _ value: Bool) throws(StoreError) {
        try check(unsafe sqlite3_bind_int64(raw, index, value ? 1 : 0))
    }

    func bind(_ index: Int32, _ time: Timestamp?) throws(StoreError) {
        guard let time else { return try bindNull(index) }
        try check(unsafe sqlite3_bind_int64(raw, index, time.microseconds))
    }

    func bind(_ index: Int32, _ text: String?) throws(StoreError) {
        guard var text else { return try bindNull(index) }
        let code = text.withUTF8 { bytes in
            unsafe bindText(index, UnsafeRawBufferPointer(bytes))
        }
        try check(code)
    }

    func bind(_ index: Int32, _ json: JSONText?) throws(StoreError) {
        guard let json else { return try bindNull(index) }
        let code = unsafe json.bytes.withUnsafeBytes { bytes in unsafe bindText(index, bytes) }
        try check(code)
    }

    func bind(_ index: Int32, _ id: UUID?) throws(StoreError) {
        guard let id else { return try bindNull(index) }
        let text = id.text
        let code = unsafe text.span.withUnsafeBytes { unsafe bindText(index, $0) }
        try check(code)
    }

    func bind(_ index: Int32, _ id: (some UUIDIdentifier)?) throws(StoreError) {
        try bind(index, id?.uuid)
    }

    func bindNull(_ index: Int32) throws(StoreError) {
        try check(unsafe sqlite3_bind_null(raw, index))
    }

    /// SQLite copies the bytes. An empty text has no address of its own: it gets one, for nil would mean NULL.
    private func bindText(_ index: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        let copies = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        guard bytes.count > 0, let start = bytes.baseAddress else {
            return unsafe sqlite3_bind_text(raw, index, "", 0, copies)
        }
        let count = UInt64(bytes.count)
        let chars = unsafe start.assumingMemoryBound(to: CChar.self)
        return unsafe sqlite3_bind_text64(
            raw, index, chars, count, copies, UInt8(SQLITE_UTF8))
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else { throw failure() }
    }

    private func failure() -> StoreError {
        StoreError(
            code: unsafe sqlite3_extended_errcode(database), message: unsafe String(cString: sqlite3_errmsg(database)))
    }
}

/// Reads the columns of the statement's row from left to right. NULL is read as supabase-schema.md 6 says.
struct RowReader {
    private let statement: SQLiteStatement
    private var index: Int32 = 0

    init(_ statement: SQLiteStatement) {
        self.statement = statement
    }

    /// NULL is the empty text.
    mutating func text() -> String {
        optionalText() ?? ""
    }

    mutating func optionalText() -> String? {
        let column = next()
        guard let start = unsafe sqlite3_column_text(statement.raw, column) else { return nil }
        let count = Int(unsafe sqlite3_column_bytes(statement.raw, column))
        guard count > 0 else { return "" }
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// NULL, JSON's null and what is no object are the empty object.
    mutating func object() -> JSONText {
        guard let json = json(), let first = json.bytes.first else { return .emptyObject }
        if first == UInt8(ascii: "{") { return json }
        // Written by hand, perhaps with blanks before it.
        guard let parsed = try? JSONText(json.bytes), parsed.isObject else { return .emptyObject }
        return parsed
    }

    mutating func json() -> JSONText? {
        let column = next()
        guard let start = unsafe sqlite3_column_text(statement.raw, column) else { return nil }
        let count = Int(unsafe sqlite3_column_bytes(statement.raw, column))
        if count == 2, unsafe start[0] == UInt8(ascii: "{") { return .emptyObject }
        return JSONText(trusted: unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    }

    /// Microseconds, or a time that someone wrote as text.
    mutating func time() -> Timestamp? {
        let column = next()
        switch unsafe sqlite3_column_type(statement.raw, column) {
        case SQLITE_NULL: return nil
        case SQLITE_TEXT:
            index = column
            return optionalText().flatMap { Timestamp(sql: $0) ?? Timestamp(rfc3339: $0) }
        default: return Timestamp(microseconds: unsafe sqlite3_column_int64(statement.raw, column))
        }
    }

    /// NULL is the epoch.
    mutating func requiredTime() -> Timestamp {
        time() ?? .epoch
    }

    /// NULL is 0.
    mutating func integer() -> Int64 {
        unsafe sqlite3_column_int64(statement.raw, next())
    }

    mutating func optionalInteger() -> Int64? {
        let column = next()
        guard unsafe sqlite3_column_type(statement.raw, column) != SQLITE_NULL else { return nil }
        return unsafe sqlite3_column_int64(statement.raw, column)
    }

    /// NULL is false.
    mutating func bool() -> Bool {
        unsafe sqlite3_column_int(statement.raw, next()) != 0
    }

    /// - Throws: `StoreError.failed` when the column holds no UUID.
    mutating func uuid() throws(StoreError) -> UUID {
        guard let id = optionalUUID() else {
            throw StoreError.failed("column \(index - 1) of a row holds no UUID")
        }
        return id
    }

    /// nil for NULL and for what is no UUID.
    mutating func optionalUUID() -> UUID? {
        let column = next()
        guard let start = unsafe sqlite3_column_text(statement.raw, column) else { return nil }
        let count = Int(unsafe sqlite3_column_bytes(statement.raw, column))
        return unsafe UUID(text: Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count)))
    }

    private mutating func next() -> Int32 {
        defer { index += 1 }
        return index
    }
}
