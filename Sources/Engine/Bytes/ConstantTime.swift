/// Comparisons whose duration depends on lengths alone, for secrets.
public enum ConstantTime {
    /// Whether both are the same bytes. Unequal lengths answer at once: a length is not a secret here.
    @inline(never)
    public static func equals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        equals(left.span, right.span)
    }

    /// Whether both are the same bytes.
    @inline(never)
    public static func equals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return Scan.difference(left, right) == 0
    }

    /// Whether both are the same UTF-8 bytes (not merely canonically equivalent text).
    public static func equals(_ left: String, _ right: String) -> Bool {
        equals(left.utf8.span, right.utf8.span)
    }
}
