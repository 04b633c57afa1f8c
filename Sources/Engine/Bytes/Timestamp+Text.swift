extension Timestamp {
    /// Reads RFC 3339 (`2024-01-01T00:00:00.123+02:00`); the zone is required. Nil for anything else.
    ///
    /// Digits finer than a microsecond are cut off; a leap second (`:60`) is refused, as Go refuses it.
    public init?(rfc3339 text: String) {
        var reader = TimeReader(bytes: Array(text.utf8))
        guard let time = reader.read(separators: [UInt8(ascii: "T"), UInt8(ascii: "t")], zoneIsRequired: true) else {
            return nil
        }
        self = time
    }

    /// Reads what PostgreSQL and SQLite print (`2024-01-01 00:00:00.123+00`, also with `T`, `Z`, `+02:00`, `-0330`).
    ///
    /// Without a zone the time is UTC; a date alone is its midnight. Nil for anything else.
    public init?(sql text: String) {
        var reader = TimeReader(bytes: Array(text.utf8))
        let separators = [UInt8(ascii: " "), UInt8(ascii: "T"), UInt8(ascii: "t")]
        guard let time = reader.read(separators: separators, zoneIsRequired: false) else { return nil }
        self = time
    }

    /// The form PostgreSQL prints: `2024-01-01 00:00:00.12+00`.
    public var sqlText: String {
        var out: [UInt8] = []
        appendDateTime(separator: UInt8(ascii: " "), to: &out)
        out.append(contentsOf: "+00".utf8)
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends RFC 3339 in UTC, as Go's `time.RFC3339Nano` prints it: no trailing zeros in the fraction, `Z`.
    public func append(to out: inout [UInt8]) {
        appendDateTime(separator: UInt8(ascii: "T"), to: &out)
        out.append(UInt8(ascii: "Z"))
    }

    private func appendDateTime(separator: UInt8, to out: inout [UInt8]) {
        out.append(addingCapacity: 40) { (span: inout OutputSpan<UInt8>) in
            writeDateTime(separator: separator, to: &span)
        }
    }

    private func writeDateTime(separator: UInt8, to out: inout OutputSpan<UInt8>) {
        let seconds = unixSeconds
        let days = Self.floorDivide(seconds, 86_400)
        let secondOfDay = seconds - days * 86_400
        let date = CivilDate(daysSinceEpoch: days)
        let fraction = (microseconds &- seconds &* 1_000_000).magnitude
        if date.year < 0 { out.append(UInt8(ascii: "-")) }
        let year = date.year.magnitude
        if year < 10_000 {
            Self.appendPair(year / 100, to: &out)
            Self.appendPair(year % 100, to: &out)
        } else {
            Self.appendLong(year, to: &out)
        }
        DigitPairs.append(date, secondOfDay, microseconds: fraction, separator: separator, to: &out)
    }

    /// Appends the two digits of a number below 100.
    @inline(__always)
    private static func appendPair(_ number: UInt64, to out: inout OutputSpan<UInt8>) {
        let small = UInt32(truncatingIfNeeded: number)
        let tens = small / 10
        out.append(UInt8(truncatingIfNeeded: 48 &+ tens))
        out.append(UInt8(truncatingIfNeeded: 48 &+ small &- tens &* 10))
    }

    /// Appends a year of more than four digits (at most 294247).
    private static func appendLong(_ number: UInt64, to out: inout OutputSpan<UInt8>) {
        var divisor: UInt64 = 10_000
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            out.append(UInt8(truncatingIfNeeded: 48 &+ number / divisor % 10))
            divisor /= 10
        }
    }
}

/// Reads one date and time of the ISO 8601 family from bytes.
private struct TimeReader {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func read(separators: [UInt8], zoneIsRequired: Bool) -> Timestamp? {
        guard let year = number(4), take(UInt8(ascii: "-")), let month = number(2), take(UInt8(ascii: "-")),
            let day = number(2)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isValid else { return nil }
        let midnight = date.daysSinceEpoch * 86_400
        if index == bytes.count { return zoneIsRequired ? nil : Timestamp(unixSeconds: midnight) }
        guard separators.contains(bytes[index]) else { return nil }
        index += 1
        guard let hour = number(2), hour < 24, take(UInt8(ascii: ":")), let minute = number(2), minute < 60,
            take(UInt8(ascii: ":")), let second = number(2), second < 60, let micros = fraction()
        else { return nil }
        guard let offset = zone(isRequired: zoneIsRequired), index == bytes.count else { return nil }
        let seconds = midnight + hour * 3600 + minute * 60 + second - offset
        return Timestamp(unixSeconds: seconds, microseconds: micros)
    }

    /// Exactly so many digits (at most 9).
    private mutating func number(_ count: Int) -> Int64? {
        guard index + count <= bytes.count else { return nil }
        var value: Int64 = 0
        for offset in 0..<count {
            let digit = bytes[index + offset] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value * 10 + Int64(digit)
        }
        index += count
        return value
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    /// The fraction in microseconds; 0 if there is none, nil if a point has no digit after it.
    private mutating func fraction() -> Int64? {
        guard take(UInt8(ascii: ".")) else { return 0 }
        var value: Int64 = 0
        var digits = 0
        while let digit = number(1) {
            if digits < 6 { value = value * 10 + digit }
            digits += 1
        }
        guard digits > 0 else { return nil }
        while digits < 6 {
            value *= 10
            digits += 1
        }
        return value
    }

    /// The zone's offset from UTC in seconds.
    private mutating func zone(isRequired: Bool) -> Int64? {
        if index == bytes.count { return isRequired ? nil : 0 }
        if take(UInt8(ascii: "Z")) || take(UInt8(ascii: "z")) { return 0 }
        let isNegative = bytes[index] == UInt8(ascii: "-")
        guard isNegative || bytes[index] == UInt8(ascii: "+") else { return nil }
        index += 1
        guard let hours = number(2), hours < 24 else { return nil }
        var parts: [Int64] = []
        if isRequired {
            guard take(UInt8(ascii: ":")), let minutes = number(2) else { return nil }
            parts.append(minutes)
        } else {
            while index < bytes.count, parts.count < 2 {
                _ = take(UInt8(ascii: ":"))
                guard let part = number(2) else { return nil }
                parts.append(part)
            }
        }
        guard parts.allSatisfy({ $0 < 60 }) else { return nil }
        let offset = hours * 3600 + (parts.first ?? 0) * 60 + (parts.count > 1 ? parts[1] : 0)
        return isNegative ? -offset : offset
    }
}
