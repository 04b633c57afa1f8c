/// A day of the proleptic Gregorian calendar, and its distance from 1970-01-01.
struct CivilDate: Equatable {
    var year: Int64
    var month: Int64
    var day: Int64

    private static let daysPer400Years: Int64 = 146_097
    /// Days from 0000-03-01 to 1970-01-01: years are counted from March so that the leap day comes last.
    private static let epochOffset: Int64 = 719_468

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date so many days after 1970-01-01.
    init(daysSinceEpoch days: Int64) {
        let shifted = days + Self.epochOffset
        let era = Timestamp.floorDivide(shifted, Self.daysPer400Years)
        let dayOfEra = shifted - era * Self.daysPer400Years
        let leapless = dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096
        let yearOfEra = leapless / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// Days from 1970-01-01 to this date.
    var daysSinceEpoch: Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = Timestamp.floorDivide(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let marchMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPer400Years + dayOfEra - Self.epochOffset
    }

    /// Whether month and day exist.
    var isValid: Bool {
        (1...12).contains(month) && day >= 1 && day <= daysInMonth
    }

    private var daysInMonth: Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
