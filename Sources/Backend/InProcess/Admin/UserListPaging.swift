import Backend

/// The page of a user list that was asked for, judged. Source: supabase-admin.md 4.1, deviations.md.
struct UserListPaging: Equatable {
    static let perPageDefault = 50
    /// Users that one answer holds at most; the reference has no bound.
    static let perPageMax = 10_000

    /// As asked: 0 shows the first page too, but is told as 0 (the links of the reference count from it).
    let page: Int
    let perPage: Int
    let isAscending: Bool

    /// - Throws: `sortMalformed`, `paginationMalformed`.
    init(_ query: UserListQuery) throws(AuthError) {
        isAscending = try Self.isAscending(query.sort)
        page = try Self.number(query.page, default: 1)
        let asked = try Self.number(query.perPage, default: Self.perPageDefault)
        guard asked > 0 else { throw AuthError(.paginationMalformed, "per_page must be greater than 0") }
        perPage = min(asked, Self.perPageMax)
    }

    /// Rows before the page; saturates.
    var offset: Int {
        let product = (max(page, 1) - 1).multipliedReportingOverflow(by: perPage)
        return product.overflow ? .max : product.partialValue
    }

    /// Each field is judged; the first one counts. A field without a direction sorts newest first.
    private static func isAscending(_ sort: [String]) throws(AuthError) -> Bool {
        var result = false
        for (index, field) in sort.enumerated() {
            let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.first == "created_at" else {
                throw AuthError(.sortMalformed, "bad field for sort '\(parts.first ?? "")'")
            }
            var isAscending = false
            if parts.count == 2 {
                switch parts[1].lowercased() {
                case "asc": isAscending = true
                case "desc": isAscending = false
                default:
                    throw AuthError(
                        .sortMalformed,
                        "bad direction for sort '\(parts[1])', only 'asc' and 'desc' allowed")
                }
            }
            if index == 0 { result = isAscending }
        }
        return result
    }

    /// An unsigned decimal number; what does not fit is told as Go tells it.
    private static func number(_ text: String?, default fallback: Int) throws(AuthError) -> Int {
        guard let text, !text.isEmpty else { return fallback }
        let shown = String(text.prefix(64))
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw AuthError(.paginationMalformed, "strconv.ParseUint: parsing \"\(shown)\": invalid syntax")
        }
        guard let value = UInt64(text) else {
            throw AuthError(.paginationMalformed, "strconv.ParseUint: parsing \"\(shown)\": value out of range")
        }
        return Int(clamping: value)
    }
}
