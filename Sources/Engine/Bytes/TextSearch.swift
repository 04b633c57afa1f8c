/// Searches for texts in texts, byte for byte; the standard library's own would link its regular expressions.
extension StringProtocol {
    /// Whether `part` occurs in the text; an empty one does.
    public func contains(text part: String) -> Bool {
        let wanted = part.utf8
        var rest = utf8[...]
        while rest.count >= wanted.count {
            if rest.starts(with: wanted) { return true }
            if rest.isEmpty { return false }
            rest = rest.dropFirst()
        }
        return false
    }

    /// The text with every occurrence of `part` written as `other`, from the left; unchanged if `part` is empty.
    public func replacing(text part: String, with other: String) -> String {
        let wanted = part.utf8
        guard !wanted.isEmpty else { return String(self) }
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let first = rest.first {
            if rest.starts(with: wanted) {
                bytes.append(contentsOf: other.utf8)
                rest = rest.dropFirst(wanted.count)
            } else {
                bytes.append(first)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
