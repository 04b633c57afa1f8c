import Testing

@testable import Settings

@Suite("Env files")
struct EnvFileTests {
    @Test(
        "lines are read as the reference reads them",
        arguments: [
            ("A=b", ["A": "b"]), ("export A=b\r\nC: d", ["A": "b", "C": "d"]), ("# x\n\n A = b ", ["A": "b"]),
            ("A=b # c # d", ["A": "b # c"]), ("A=b#c", ["A": "b#c"]), ("A='x $Y\nz'", ["A": "x $Y\nz"]),
            (#"A="a\nb\"c" # note"#, ["A": "a\nb\"c"]), (#"A=\$x$y"#, ["A": "$x$y"]), ("A=", ["A": ""]),
            ("A=1\nA=2", ["A": "2"]), ("\u{FEFF}A=1", ["A": "1"]), ("A=#x", ["A": ""]),
            ("exported=1", ["exported": "1"]),
        ])
    func reads(_ text: String, _ wanted: [String: String]) throws {
        var found: [String: String] = [:]
        for entry in try EnvFile.parse(text) { found[entry.name] = entry.value }
        #expect(found == wanted)
    }

    @Test("a fault names its line", arguments: [("A=1\nB", 2), ("\n\n=x", 3), ("A='x\ny", 1), ("A=1\n\u{1}=2", 2)])
    func faults(_ text: String, _ line: Int) {
        #expect { try EnvFile.parse(text) } throws: { ($0 as? EnvFile.Fault)?.line == line }
    }
}
