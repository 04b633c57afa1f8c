import Backend
import Bytes
import Testing

@testable import Settings

struct ValueCase: CustomTestStringConvertible, Sendable {
    let kind: SettingKind
    let text: String
    let value: SettingValue?
    var testDescription: String { "\(kind) of \"\(text)\"" }

    static let all: [ValueCase] = [
        .init(kind: .flag, text: "T", value: .flag(true)), .init(kind: .flag, text: "0", value: .flag(false)),
        .init(kind: .flag, text: "yes", value: nil), .init(kind: .flag, text: "on", value: nil),
        .init(kind: .whole(0...100), text: "0x10", value: .whole(16)),
        .init(kind: .whole(0...100), text: "0o17", value: .whole(15)),
        .init(kind: .whole(0...100), text: "017", value: .whole(15)),
        .init(kind: .whole(0...10_000), text: "1_000", value: .whole(1000)),
        .init(kind: .whole(0...10), text: "11", value: nil), .init(kind: .whole(0...10), text: "-1", value: nil),
        .init(kind: .whole(0...10), text: "1_", value: nil), .init(kind: .whole(0...10), text: "two", value: nil),
        .init(kind: .whole(0...10), text: "99999999999999999999", value: nil),
        .init(kind: .decimal, text: "1.5e1", value: .decimal(15)), .init(kind: .decimal, text: "-1", value: nil),
        .init(kind: .decimal, text: "nan", value: nil), .init(kind: .decimal, text: "inf", value: nil),
        .init(kind: .duration, text: "1m30s", value: .duration(.seconds(90))),
        .init(kind: .duration, text: "0", value: .duration(.zero)), .init(kind: .duration, text: "10", value: nil),
        .init(kind: .positiveDuration, text: "0s", value: nil), .init(kind: .duration, text: "-1s", value: nil),
        .init(kind: .list, text: "a, b ,c", value: .list(["a", "b", "c"])),
        .init(kind: .list, text: " ", value: .list([])),
        .init(
            kind: .map, text: "1555:123, 2:3",
            value: .map([.init(key: "1555", value: "123"), .init(key: "2", value: "3")])),
        .init(kind: .map, text: "a", value: nil), .init(kind: .map, text: "a:b:c", value: nil),
        .init(kind: .rate, text: "30", value: .rate(.perHour(30))),
        .init(kind: .rate, text: "10/20s", value: .rate(.bucket(10, gainsOneEvery: .seconds(20)))),
        .init(kind: .rate, text: "10/0s", value: nil), .init(kind: .rate, text: "a/1h", value: nil),
        .init(kind: .size, text: "16KiB", value: .bytes(16_384)), .init(kind: .size, text: "16 KiB", value: nil),
        .init(kind: .size, text: "99999999999GiB", value: nil),
        .init(kind: .address, text: "8000", value: .address(.init(host: "127.0.0.1", port: 8000))),
        .init(kind: .address, text: "[::1]:80", value: .address(.init(host: "::1", port: 80))),
        .init(kind: .address, text: ":80", value: .address(.init(host: "", port: 80))),
        .init(kind: .address, text: "a b:80", value: nil), .init(kind: .address, text: "host:70000", value: nil),
        .init(kind: .url, text: "https://a.example", value: .text("https://a.example")),
        .init(kind: .url, text: "a.example", value: nil), .init(kind: .url, text: "https://", value: nil),
        .init(kind: .url, text: "http://a:0x", value: nil), .init(kind: .url, text: "http://a b", value: nil),
        .init(kind: .json(.array), text: "[]", value: .text("[]")), .init(kind: .json(.array), text: "{}", value: nil),
        .init(kind: .headerName, text: "X-Real-Ip", value: .text("X-Real-Ip")),
        .init(kind: .headerName, text: "X Real", value: nil),
        .init(kind: .callingCodes, text: "+91,+882", value: .list(["+91", "+882"])),
        .init(kind: .callingCodes, text: "+0", value: nil),
        .init(kind: .hookURI, text: "http://localhost:1/x", value: .text("http://localhost:1/x")),
        .init(kind: .hookURI, text: "http://example.com/x", value: nil),
        .init(
            kind: .hookURI, text: "pg-functions://postgres/public/hook",
            value: .text("pg-functions://postgres/public/hook")),
        .init(kind: .hookURI, text: "pg-functions://postgres/public/ho-ok", value: nil),
        .init(kind: .choice(["a", "b"]), text: "c", value: nil),
    ]
}

@Suite("The syntax of values")
struct ValueTests {
    @Test("a value is read or refused", arguments: ValueCase.all)
    func value(_ testCase: ValueCase) {
        #expect(testCase.kind.value(of: testCase.text) == testCase.value)
    }

    @Test("networks hold their addresses and no others")
    func networks() throws {
        let ten = try #require(IPNetwork("10.0.0.0/8"))
        #expect(ten.contains("10.255.0.1") && !ten.contains("11.0.0.1") && !ten.contains("::1") && !ten.contains("x"))
        let odd = try #require(IPNetwork("192.168.4.0/22"))
        #expect(odd.contains("192.168.7.255") && !odd.contains("192.168.8.0"))
        let six = try #require(IPNetwork("2001:db8::/33"))
        #expect(six.contains("2001:db8:7fff::1") && !six.contains("2001:db8:8000::1"))
        #expect(try #require(IPNetwork("127.0.0.1")).contains("::ffff:127.0.0.1"))
        for bad in [
            "10.0.0.0/33", "10.0.0", "1.2.3.4.5", "::1::", ":::", "::/129", "01.2.3.4", "g::", "", "1:2:3:4:5:6:7:8:9",
        ] {
            #expect(IPNetwork(bad) == nil, "\(bad)")
        }
    }
}
