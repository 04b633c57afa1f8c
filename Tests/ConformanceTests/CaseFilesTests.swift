import JSON
import Testing

@testable import Conformance

@Suite("Case files are checked before they are run")
struct CaseFilesTests {
    private static func parse(_ text: String) throws(CaseProblem) -> ConformanceCase? {
        try CaseFiles.parse(Array(text.utf8), file: "x.json", isNamed: true)
    }

    private static func step(_ step: String) -> String { #"{"id":"x-1","steps":["# + step + "]}" }

    struct Broken: Sendable, CustomTestStringConvertible {
        let text: String
        /// What the error says.
        let says: String
        var testDescription: String { "\(says): \(text.prefix(60))" }
    }

    static let broken: [Broken] = [
        .init(text: "", says: "not JSON"), .init(text: "{\n\"id\": }", says: "line 2: not JSON"),
        .init(text: "[]", says: "a case is a JSON object"), .init(text: #"{"id":"x"}"#, says: "steps: must be a list"),
        .init(text: #"{"id":"x","steps":[]}"#, says: "steps: must be a list"),
        .init(text: #"{"id":"x","steps":{}}"#, says: "steps: must be a list"),
        .init(text: #"{"id":"","steps":[{"path":"/"}]}"#, says: "id: must be"),
        .init(text: #"{"id":"a\u001b[2Jb","steps":[{"path":"/"}]}"#, says: "id: must be"),
        .init(text: #"{"id":7,"steps":[{"path":"/"}]}"#, says: "id: must be"),
        .init(text: #"{"id":"x","steps":[{"path":"/"}],"colour":"red"}"#, says: "\"colour\" is no field of a case"),
        .init(text: #"{"id":"x","env":{"LD_PRELOAD":"/x.so"},"steps":[{"path":"/"}]}"#, says: "no setting"),
        .init(text: #"{"id":"x","env":{"GOTRUE_X":1},"steps":[{"path":"/"}]}"#, says: "must be a string"),
        .init(text: #"{"id":"x","fresh":"yes","steps":[{"path":"/"}]}"#, says: "fresh: must be true or false"),
        .init(text: step("1"), says: "step 1: must be an object"),
        .init(text: step("{}"), says: "step 1: request needs path or url"),
        .init(text: step(#"{"path":"/","colour":1}"#), says: "step 1: \"colour\" is no field of request"),
        .init(text: step(#"{"path":7}"#), says: "step 1: path: must be a string"),
        .init(text: step(#"{"path":"/","headers":[]}"#), says: "step 1: headers: must be an object"),
        .init(text: step(#"{"path":"/","ignore":[1]}"#), says: "step 1: ignore: must be a list of strings"),
        .init(text: step(#"{"path":"/","repeat":1e9}"#), says: "step 1: repeat: must be"),
        .init(text: step(#"{"do":"race","path":"/","times":-1}"#), says: "step 1: times: must be"),
        .init(text: step(#"{"do":"sleep","seconds":1e300}"#), says: "step 1: seconds: must be"),
        .init(text: step(#"{"do":"sleep","seconds":-1}"#), says: "step 1: seconds: must be"),
        .init(text: step(#"{"do":"race","path":"/","each":[]}"#), says: "step 1: each: must be a list of 1"),
        .init(text: step(#"{"do":"race","path":"/","each":[1]}"#), says: "step 1: each: must be a list of objects"),
        .init(text: step(#"{"do":"race","each":[{"path":5}]}"#), says: "step 1: each: path: must be a string"),
        .init(text: step(#"{"do":"race","each":[{"times":5}]}"#), says: "step 1: each: \"times\" is no field"),
        .init(text: step(#"{"path":"/","method":"A B"}"#), says: "step 1: method: \"A B\" is no method"),
        .init(text: step(#"{"path":"/a b"}"#), says: "step 1: path: \"/a b\" has characters"),
        .init(text: step(#"{"url":"file:///etc/passwd"}"#), says: "step 1: url: \"file:///etc/passwd\" is no http"),
        .init(text: step(#"{"do":"mail"}"#), says: "step 1: mail needs to"),
        .init(text: step(#"{"do":"script_mail","how":"explode"}"#), says: "step 1: how: must be"),
        .init(text: step(#"{"do":"make","text":"x"}"#), says: "step 1: make needs var"),
        .init(text: String(repeating: "[", count: 100_000), says: "not JSON"),
        .init(text: step(String(repeating: #"{"json":"#, count: 300)), says: "not JSON"),
    ]

    @Test("a broken file gives a sentence", arguments: broken)
    func brokenFile(_ example: Broken) {
        do {
            _ = try Self.parse(example.text)
            Issue.record("was taken")
        } catch {
            #expect(error.text.contains(example.says), "\(error.text)")
        }
    }

    @Test("a kind that is not known makes a case that is not run, with the reason")
    func unknownKinds() throws {
        let examples = [
            (#"{"do":"dance","tempo":3}"#, "dance"), (#"{"do":7}"#, "request"),
            (#"{"do":"make","var":"x","passkey":{}}"#, "passkey"), (#"{"do":"make","var":"x"}"#, "not known"),
        ]
        for (step, word) in examples {
            let why = try #require(try Self.parse(Self.step(step))).unknownKind
            #expect(why?.hasPrefix("step 1: ") ?? false)
            if word != "request" { #expect(why?.contains(word) ?? false, "\(why ?? "")") }
        }
    }

    @Test("JSON below a folder that is no case is passed over; named it is refused")
    func otherJSON() throws {
        #expect(try CaseFiles.parse(Array("{}".utf8), file: "x", isNamed: false) == nil)
        #expect(throws: CaseProblem.self) { try CaseFiles.parse(Array("{}".utf8), file: "x", isNamed: true) }
    }

    @Test("a case with one byte changed is taken or refused, never worse")
    func mutations() {
        let text = """
            {"id":"x-1","title":"t","env":{"GOTRUE_A":"{url}"},"fresh":true,"steps":[{"do":"request","method":"POST",\
            "path":"/signup","json":{"email":"{{email:a}}","n":[1,2.5e3,null]},"save":{"t":"json:a[b=c].d"},"repeat":2,\
            "expect":{"status":200,"json":"<any>"}},{"do":"make","var":"v","jwt":{"exp":"now+60"}}]}
            """
        var state: UInt64 = 7
        for _ in 0..<4000 {
            var bytes = Array(text.utf8)
            for _ in 0..<2 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
            }
            do {
                _ = try CaseFiles.parse(bytes, file: "x", isNamed: true)
            } catch {
                #expect(!error.text.isEmpty)
            }
        }
    }

    @Test("cases of a running server: what it cannot be given is left out, with the reason")
    func selection() throws {
        var selection = CaseSelection(launches: false)
        func reason(_ text: String) throws -> String? {
            selection.reasonToLeaveOut(try #require(try Self.parse(text)))
        }
        let plain = Self.step(#"{"path":"/"}"#)
        #expect(try reason(plain) == nil)
        let env = #"{"id":"x","env":{"GOTRUE_A":"1"},"steps":[{"path":"/"}]}"#
        #expect(try reason(env)?.contains("--launch") ?? false)
        #expect(try reason(Self.step(#"{"do":"sql","sql":"x"}"#))?.contains("--sql") ?? false)
        #expect(try reason(Self.step(#"{"do":"clock","advance":5}"#))?.contains("--faketime") ?? false)
        selection.only = "other"
        #expect(try reason(plain) == "")
        selection = CaseSelection(ids: ["x-1"], launches: true)
        #expect(try reason(plain) == nil)
        #expect(try reason(env) == "")
    }
}
