internal import Bytes

/// The `Date` line of one second (RFC 9110 section 5.6.7), rendered once for all answers of that second.
struct DateField {
    let seconds: Int
    /// `Date: …` with its line end.
    let line: [UInt8]
    /// The status line of 200 and the `Date` line.
    let okHead: [UInt8]

    init(seconds: Int = 0) {
        self.seconds = seconds
        var buffer = ByteBuffer()
        buffer.append("HTTP/1.1 200 OK\r\n")
        let statusCount = buffer.count
        Self.append(seconds, to: &buffer)
        okHead = buffer.array()
        buffer.consume(statusCount)
        line = buffer.array()
    }

    private static let days: [StaticString] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func append(_ seconds: Int, to buffer: inout ByteBuffer) {
        let seconds = max(0, seconds)
        let day = seconds / 86400
        let second = seconds % 86400
        let (year, month, dayOfMonth) = civil(day)
        buffer.append("Date: ")
        buffer.append(days[day % 7])
        buffer.append(", ")
        appendTwo(dayOfMonth, to: &buffer)
        buffer.append(" ")
        buffer.append(months[month - 1])
        buffer.append(" ")
        buffer.append(decimal: year)
        buffer.append(" ")
        appendTwo(second / 3600, to: &buffer)
        buffer.append(":")
        appendTwo(second / 60 % 60, to: &buffer)
        buffer.append(":")
        appendTwo(second % 60, to: &buffer)
        buffer.append(" GMT\r\n")
    }

    private static func appendTwo(_ value: Int, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(truncatingIfNeeded: 48 + value / 10 % 10))
        buffer.append(UInt8(truncatingIfNeeded: 48 + value % 10))
    }

    /// The Gregorian date of a day number counted from 1970-01-01: years are counted from March in eras of 400 years.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}
