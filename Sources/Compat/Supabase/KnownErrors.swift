public import Backend

/// The error table read backwards: which reason a Supabase Auth server's error answer stands for.
public enum KnownErrors {
    private static let byCode: [String: [ErrorTable.Row]] = {
        var found: [String: [ErrorTable.Row]] = [:]
        for reason in AuthError.Reason.allCases {
            guard let row = ErrorTable.rows[reason], let code = row.code, reason != .remote else { continue }
            found[code, default: []].append(row)
        }
        return found
    }()

    /// The reason of which this is the answer; nil when there is none or it cannot be told from another.
    ///
    /// The sentence decides between reasons of one code, the status between reasons of one sentence. A code that has
    /// one reason alone stands for it whatever the sentence is.
    public static func reason(status: Int, code: String?, message: String) -> AuthError.Reason? {
        guard let code else { return nil }
        guard let rows = byCode[code] else { return nil }
        let same = rows.filter { isSentence(message, of: $0.message) }
        if let exact = same.first(where: { $0.status == status }) { return exact.reason }
        if same.count == 1 { return same[0].reason }
        return rows.count == 1 ? rows[0].reason : nil
    }

    /// Whether a text is the template with its blanks filled.
    private static func isSentence(_ text: String, of template: String) -> Bool {
        guard let open = template.firstIndex(of: "{"), let close = template.lastIndex(of: "}") else {
            return text == template
        }
        let head = template[..<open]
        let tail = template[template.index(after: close)...]
        return text.utf8.count >= head.utf8.count + tail.utf8.count && text.hasPrefix(head) && text.hasSuffix(tail)
    }
}
