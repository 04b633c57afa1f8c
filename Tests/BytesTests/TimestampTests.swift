import Bytes
import Testing

/// A point in time and how it is written.
struct TimeCase: Sendable, CustomTestStringConvertible {
    let microseconds: Int64
    let rfc3339: String

    var testDescription: String { rfc3339 }

    static let all: [TimeCase] = [
        TimeCase(microseconds: 0, rfc3339: "1970-01-01T00:00:00Z"),
        TimeCase(microseconds: 1, rfc3339: "1970-01-01T00:00:00.000001Z"),
        TimeCase(microseconds: -1, rfc3339: "1969-12-31T23:59:59.999999Z"),
        TimeCase(microseconds: 100_000, rfc3339: "1970-01-01T00:00:00.1Z"),
        TimeCase(microseconds: 123_450, rfc3339: "1970-01-01T00:00:00.12345Z"),
        TimeCase(microseconds: 1_000_000, rfc3339: "1970-01-01T00:00:01Z"),
        TimeCase(microseconds: 1_704_067_199_999_999, rfc3339: "2023-12-31T23:59:59.999999Z"),
        TimeCase(microseconds: 1_709_164_800_000_000, rfc3339: "2024-02-29T00:00:00Z"),
        TimeCase(microseconds: 951_782_400_000_000, rfc3339: "2000-02-29T00:00:00Z"),
        TimeCase(microseconds: 4_107_542_400_000_000, rfc3339: "2100-03-01T00:00:00Z"),
        TimeCase(microseconds: -2_203_891_200_000_000, rfc3339: "1900-03-01T00:00:00Z"),
        TimeCase(microseconds: -62_167_219_200_000_000, rfc3339: "0000-01-01T00:00:00Z"),
        TimeCase(microseconds: 253_402_300_799_999_999, rfc3339: "9999-12-31T23:59:59.999999Z"),
    ]
}

@Suite("Points in time")
struct TimestampTests {
    @Test("are written and read as RFC 3339", arguments: TimeCase.all)
    func rfc3339(_ time: TimeCase) {
        #expect(Timestamp(microseconds: time.microseconds).description == time.rfc3339)
        #expect(Timestamp(rfc3339: time.rfc3339)?.microseconds == time.microseconds)
        #expect(Timestamp(sql: time.rfc3339)?.microseconds == time.microseconds)
        let sql = Timestamp(microseconds: time.microseconds).sqlText
        #expect(sql == time.rfc3339.replacing("T", with: " ").replacing("Z", with: "+00"))
        #expect(Timestamp(sql: sql)?.microseconds == time.microseconds)
    }

    @Test(
        "offsets and databases' forms are understood",
        arguments: [
            ("2024-01-01T02:00:00+02:00", 1_704_067_200_000_000),
            ("2023-12-31T18:30:00.5-05:30", 1_704_067_200_500_000),
            ("2024-01-01 00:00:00.123+00", 1_704_067_200_123_000), ("2024-01-01 00:00:00", 1_704_067_200_000_000),
            ("2024-01-01 05:30:00+0530", 1_704_067_200_000_000),
            ("2024-01-01 05:30:15+05:30:15", 1_704_067_200_000_000),
            ("2024-01-01", 1_704_067_200_000_000), ("2024-01-01t00:00:00z", 1_704_067_200_000_000),
            ("2024-01-01T00:00:00.123456789Z", 1_704_067_200_123_456),
            ("2024-01-01 00:00:00.9999999", 1_704_067_200_999_999),
        ] as [(String, Int64)])
    func databases(text: String, microseconds: Int64) {
        #expect(Timestamp(sql: text)?.microseconds == microseconds)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "2024", "2024-01", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2023-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z", "2024-01-32T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z",
            "2024-01-01T00:00:60Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:00+00:60",
            "2024-01-01T00:00Z", "2024-01-01T00:00:00Zx", "2024-01-01T00:00:00 Z", "+024-01-01T00:00:00Z",
            "infinity", "2024-1-1T00:00:00Z", "2024-01-01T00:00:00+", "2024-01-01T00:00:00+0", "2024-01-01T0:00:00Z",
            "2024-01-01x00:00:00Z", "٢٠٢٤-01-01T00:00:00Z",
        ])
    func refused(_ text: String) {
        #expect(Timestamp(sql: text) == nil)
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(
        "RFC 3339 needs a T and a zone with minutes",
        arguments: [
            "2024-01-01", "2024-01-01T00:00:00", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00+00",
            "2024-01-01T00:00:00+0000",
        ])
    func strict(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
        #expect(Timestamp(sql: text) != nil)
    }

    @Test("every microsecond of the range can be written without a trap")
    func extremes() {
        #expect(Timestamp(microseconds: .max).description == "294247-01-10T04:00:54.775807Z")
        #expect(Timestamp(microseconds: .min).description == "-290308-12-21T19:59:05.224192Z")
        let random = SeededRandom(3)
        for _ in 0..<2000 {
            let time = Timestamp(microseconds: Int64(bitPattern: random.next()) >> Int64(random.next() % 40))
            let text = time.description
            #expect(text.hasSuffix("Z"))
            if (0...253_402_300_799_999_999).contains(time.microseconds) {
                #expect(Timestamp(rfc3339: text) == time)
            }
        }
    }

    @Test("arithmetic is exact and stops at the ends")
    func arithmetic() {
        let time = Timestamp(unixSeconds: 1000, microseconds: 5)
        #expect((time + .seconds(2)).microseconds == 1_002_000_005)
        #expect((time - .milliseconds(1)).microseconds == 999_999_005)
        #expect((time + .nanoseconds(1)) == time)
        #expect((time + .nanoseconds(-1)).microseconds == time.microseconds - 1)
        #expect(time.since(.epoch) == .seconds(1000) + .microseconds(5))
        #expect(Timestamp.epoch - time == .seconds(-1000) - .microseconds(5))
        #expect(time.unixSeconds == 1000)
        #expect(Timestamp(microseconds: -1).unixSeconds == -1)
        #expect(Timestamp(microseconds: -1).wholeSeconds.microseconds == -1_000_000)
        #expect(time.wholeSeconds.microseconds == 1_000_000_000)
        let last = Timestamp(microseconds: .max)
        let first = Timestamp(microseconds: .min)
        #expect(last + .seconds(1) == last)
        #expect(first - .seconds(1) == first)
        #expect(first + .seconds(-1) == first)
        #expect(last - .seconds(-1) == last)
        #expect(.epoch + .seconds(Int64.max) == last)
        #expect(.epoch + .seconds(Int64.min) == first)
        #expect(first.since(last) == .microseconds(Int64.min))
        #expect(last.since(first) == .microseconds(Int64.max))
        #expect(Timestamp(unixSeconds: .max) == last)
        #expect(Timestamp(unixSeconds: .min) == first)
        #expect(first < last)
        #expect(Timestamp(unixSeconds: .min).wholeSeconds.microseconds == .min)
    }

    @Test("the system's clock is past 2024 and moves on")
    func system() {
        let clock = SystemClock()
        let first = clock.now()
        #expect(first > Timestamp(unixSeconds: 1_704_067_200))
        #expect(clock.now() >= first)
    }
}
