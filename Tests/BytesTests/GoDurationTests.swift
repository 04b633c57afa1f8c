import Bytes
import Testing

@Suite("Go durations")
struct GoDurationTests {
    @Test(
        "are read",
        arguments: [
            ("0", .zero), ("0s", .zero), ("+0", .zero), ("5s", .seconds(5)), ("1h30m", .seconds(5400)),
            ("24h", .seconds(86_400)), ("300ms", .milliseconds(300)), ("1.5h", .seconds(5400)),
            ("-1.5s", .milliseconds(-1500)),
            ("1us", .microseconds(1)), ("1µs", .microseconds(1)), ("1μs", .microseconds(1)), ("7ns", .nanoseconds(7)),
            (".5s", .milliseconds(500)), ("1.s", .seconds(1)), ("1m1m", .seconds(120)), ("0.0000000005s", .zero),
            ("2562047h47m16.854775807s", .nanoseconds(Int64.max)),
            ("-2562047h47m16.854775808s", .nanoseconds(Int64.min)),
            ("0.3333333333333333333h", .seconds(1200) - .nanoseconds(1)),
        ] as [(String, Duration)])
    func read(text: String, duration: Duration) {
        #expect(GoDuration.parse(text) == duration)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "-", "+", "5", "s", ".s", "5 s", " 5s", "5s ", "5x", "1h30", "--1s", "1e3s", "1,5s", "none", "5S",
            "2562047h47m16.854775808s", "9223372036854775808ns", "99999999999999999999h", "1d", "1h-1m", "1..5s",
        ])
    func refused(_ text: String) {
        #expect(GoDuration.parse(text) == nil)
    }

    @Test("a bare number counts as nanoseconds only where that is allowed")
    func nanoseconds() {
        #expect(GoDuration.parse("5000000000", allowsNanoseconds: true) == .seconds(5))
        #expect(GoDuration.parse("-1", allowsNanoseconds: true) == .nanoseconds(-1))
        #expect(GoDuration.parse("9223372036854775808", allowsNanoseconds: true) == nil)
        #expect(GoDuration.parse("5s", allowsNanoseconds: true) == .seconds(5))
    }

    @Test(
        "are written",
        arguments: [
            (.zero, "0s"), (.nanoseconds(1), "1ns"), (.nanoseconds(1100), "1.1µs"), (.microseconds(2200), "2.2ms"),
            (.milliseconds(3300), "3.3s"), (.seconds(245), "4m5s"), (.seconds(5400), "1h30m0s"),
            (.seconds(86_400), "24h0m0s"),
            (.milliseconds(-1500), "-1.5s"), (.nanoseconds(Int64.max), "2562047h47m16.854775807s"),
            (.nanoseconds(Int64.min), "-2562047h47m16.854775808s"), (.seconds(60), "1m0s"), (.milliseconds(-2), "-2ms"),
        ] as [(Duration, String)])
    func written(duration: Duration, text: String) {
        #expect(GoDuration.format(duration) == text)
        #expect(GoDuration.parse(text) == duration)
    }

    @Test("the longest durations are written without a trap")
    func extremes() {
        #expect(GoDuration.format(.seconds(Int64.max)).hasSuffix("s"))
        #expect(GoDuration.format(.seconds(Int64.min)).hasPrefix("-"))
    }
}
