/// Durations as Go writes them (`time.ParseDuration`): `300ms`, `1m30s`, `24h`.
public enum GoDuration {
    /// Reads a signed chain of numbers with units ns, us (µs), ms, s, m, h; `0` needs no unit.
    ///
    /// Nil for anything else, and for what does not fit in 64-bit nanoseconds (about 292 years).
    /// - Parameter allowsNanoseconds: whether a bare whole number counts as nanoseconds, as in JSON settings.
    public static func parse(_ text: String, allowsNanoseconds: Bool = false) -> Duration? {
        let bytes = Array(text.utf8)
        var index = 0
        var isNegative = false
        if let first = bytes.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            index = 1
        }
        guard index < bytes.count else { return nil }
        if bytes.count - index == 1, bytes[index] == UInt8(ascii: "0") { return .zero }
        if allowsNanoseconds, let whole = Int64(text) { return .nanoseconds(whole) }
        // 2^63 is one more than the positive range: it is what Int64.min needs.
        let limit: UInt64 = isNegative ? 1 << 63 : (1 << 63) - 1
        var total: UInt64 = 0
        while index < bytes.count {
            guard let term = term(in: bytes, at: &index) else { return nil }
            let sum = total.addingReportingOverflow(term)
            guard !sum.overflow, sum.partialValue <= limit else { return nil }
            total = sum.partialValue
        }
        return .nanoseconds(isNegative ? 0 &- Int64(truncatingIfNeeded: total) : Int64(truncatingIfNeeded: total))
    }

    /// Writes a duration as Go does: `1h30m0s`, `1.5s`, `300ms`, `0s`. Finer than a nanosecond is cut off.
    public static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let nanosecondPart = (attoseconds / 1_000_000_000).magnitude
        let isNegative = seconds < 0 || attoseconds < 0
        let sign = isNegative && (seconds != 0 || nanosecondPart != 0) ? "-" : ""
        let whole = seconds.magnitude
        if whole == 0 {
            if nanosecondPart == 0 { return "0s" }
            if nanosecondPart < 1000 { return "\(sign)\(nanosecondPart)ns" }
            if nanosecondPart < 1_000_000 { return sign + decimal(nanosecondPart, scale: 1000) + "µs" }
            return sign + decimal(nanosecondPart, scale: 1_000_000) + "ms"
        }
        var text = sign
        if whole >= 3600 { text += "\(whole / 3600)h" }
        if whole >= 60 { text += "\(whole / 60 % 60)m" }
        text += "\(whole % 60)" + fraction(nanosecondPart, scale: 1_000_000_000) + "s"
        return text
    }

    /// One number with its unit, in nanoseconds.
    private static func term(in bytes: [UInt8], at index: inout Int) -> UInt64? {
        let start = index
        var whole: UInt64 = 0
        while index < bytes.count, let digit = decimalDigit(bytes[index]) {
            let product = whole.multipliedReportingOverflow(by: 10)
            let sum = product.partialValue.addingReportingOverflow(digit)
            guard !product.overflow, !sum.overflow else { return nil }
            whole = sum.partialValue
            index += 1
        }
        var hasDigits = index > start
        var fraction: [UInt64] = []
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            while index < bytes.count, let digit = decimalDigit(bytes[index]) {
                hasDigits = true
                fraction.append(digit)
                index += 1
            }
        }
        guard hasDigits, let unit = unit(in: bytes, at: &index) else { return nil }
        let scaled = whole.multipliedReportingOverflow(by: unit)
        guard !scaled.overflow else { return nil }
        // Digits are worth less and less: fifteen are below a nanosecond even of an hour.
        var part: UInt64 = 0
        var divisor: UInt64 = 1
        for digit in fraction.prefix(14) {
            part = part * 10 + digit
            divisor *= 10
        }
        let (high, low) = part.multipliedFullWidth(by: unit)
        let addition = high < divisor ? divisor.dividingFullWidth((high, low)).quotient : 0
        let sum = scaled.partialValue.addingReportingOverflow(addition)
        return sum.overflow ? nil : sum.partialValue
    }

    private static func decimalDigit(_ byte: UInt8) -> UInt64? {
        let digit = byte &- UInt8(ascii: "0")
        return digit <= 9 ? UInt64(digit) : nil
    }

    /// The unit's nanoseconds.
    private static func unit(in bytes: [UInt8], at index: inout Int) -> UInt64? {
        let start = index
        while index < bytes.count, decimalDigit(bytes[index]) == nil, bytes[index] != UInt8(ascii: ".") { index += 1 }
        switch String(decoding: bytes[start..<index], as: UTF8.self) {
        case "ns": return 1
        case "us", "\u{B5}s", "\u{3BC}s": return 1000
        case "ms": return 1_000_000
        case "s": return 1_000_000_000
        case "m": return 60_000_000_000
        case "h": return 3_600_000_000_000
        default: return nil
        }
    }

    private static func decimal(_ value: UInt64, scale: UInt64) -> String {
        "\(value / scale)" + fraction(value % scale, scale: scale)
    }

    /// `.5` for half of the scale; empty for nothing.
    private static func fraction(_ part: UInt64, scale: UInt64) -> String {
        guard part > 0 else { return "" }
        var digits = String(String(scale + part).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "." + digits
    }
}
