import Foundation
import Testing

/// The rules must be able to fail: each is shown a file that breaks it and one that only looks like it.
@Suite("The scanner finds what it is for")
struct ScannerTests {
    private func file(_ text: String, at path: String = "Sources/Compat/Sample.swift") -> SourceText {
        SourceText(path: path, text)
    }

    @Test("code, comments and strings are told apart")
    func lexing() {
        let sample = file(
            #"""
            let a = "try! \(f("x" + y!)) // no"  // real comment
            let b = #"raw "quoted" \(not)"#
            /* block
            try! */ let c = 1
            """#)
        #expect(sample.code.count == sample.lines.count)
        #expect(!sample.code.joined().contains("try!") && sample.code[0].contains("y!"))
        #expect(sample.comments.map(\.text).contains("// real comment"))
        #expect(sample.strings.contains { $0.text == #"raw "quoted" \(not)"# })
        #expect(sample.code[3].contains("let c = 1"))
    }

    @Test(
        "traps are found in code and not in comments, strings or conditions",
        arguments: [
            ("let a = try! f()", true), ("let a = b as! C", true), ("fatalError()", true), ("let a = b!", true),
            ("f(a!, b)", true), ("x[0]!.y()", true), ("preconditionFailure(\"\")", true),
            ("// try! this", false), ("let a = \"b!\"", false), ("if a != b {}", false), ("if !a { }", false),
            ("f(!a)", false), ("let a = try? f()", false),
        ])
    func traps(text: String, isFound: Bool) {
        #expect(!TidyRules.traps(file(text)).isEmpty == isFound)
    }

    @Test("an empty catch is found, one with a statement is not")
    func catches() {
        #expect(TidyRules.emptyCatches(file("do { try f() } catch {}")).count == 1)
        #expect(TidyRules.emptyCatches(file("do { try f() }\ncatch let e {\n  // quiet\n}")).count == 1)
        #expect(TidyRules.emptyCatches(file("do { try f() } catch { log(error) }")).isEmpty)
    }

    @Test("long files, lines and functions are found")
    func sizes() {
        #expect(TidyRules.sizes(file(String(repeating: "a\n", count: 601))).count == 1)
        #expect(TidyRules.sizes(file(String(repeating: "a\n", count: 600))).isEmpty)
        #expect(TidyRules.sizes(file(String(repeating: "a", count: 121))).count == 1)
        let body = String(repeating: "    x()\n", count: 69)
        #expect(TidyRules.sizes(file("func f() {\n\(body)}\n")).count == 1)
        #expect(TidyRules.sizes(file("func f() {\n\(body.dropFirst(8))}\n")).isEmpty)
        #expect(TidyRules.sizes(file("protocol P {\n func f()\n}\n\(body)")).isEmpty)
    }

    @Test("unstructured tasks are found outside the loop")
    func tasks() {
        for text in ["Task { }", "Task.detached { }", "Task(priority: .low) { }", "Task.immediate { }"] {
            #expect(TidyRules.looseTasks(file(text)).count == 1)
            #expect(TidyRules.looseTasks(file(text, at: TidyRules.handlerStart)).isEmpty)
        }
        #expect(TidyRules.looseTasks(file("try await withTaskGroup(of: Int.self) { }; Task.isCancelled")).isEmpty)
    }

    @Test("sleeping is found")
    func sleeps() {
        #expect(TidyRules.sleeps(file("try await Task.sleep(for: .seconds(1))")).count == 1)
        #expect(TidyRules.sleeps(file("usleep(10)")).count == 1)
        #expect(TidyRules.sleeps(file("clock.asleep(1)")).isEmpty)
    }

    @Test("reminders and dead code are found in comments only")
    func reminders() {
        #expect(TidyRules.reminders(file("// TO" + "DO: later")).count == 1)
        #expect(TidyRules.reminders(file("let FIX" + "ME = 1")).isEmpty)
        #expect(TidyRules.deadCode(file("// let a = b {")).count == 1)
        #expect(TidyRules.deadCode(file("// Returns what the caller asked for.")).isEmpty)
    }

    @Test("unsafe code and unexplained promises are found")
    func unsafety() {
        let libraries: Set<String> = ["CCurl"]
        func count(_ text: String, _ path: String = "Sources/Compat/A.swift") -> Int {
            TidyRules.unsafety(file(text, at: path), cModules: libraries).count
        }
        #expect(count("let a = unsafe p[0]") == 1)
        #expect(count("let a = unsafe p[0]", "Sources/Engine/Bytes/Unsafe/A.swift") == 0)
        #expect(count("internal import CCurl\nlet a = unsafe p[0]") == 0)
        #expect(count("let a = \"unsafe\" // unsafe") == 0)
        let promise = "final class A: @unchecked Sendable {}"
        #expect(count(promise) == 1)
        #expect(count(promise, "Sources/Engine/Bytes/Unsafe/A.swift") == 1)
        #expect(count("/// The loop's thread alone touches it.\n" + promise, "Sources/Engine/JSON/Unsafe/A.swift") == 0)
    }

    @Test("imports outside the table are found")
    func imports() {
        let text = "public import Bytes\nimport struct Store.Row\n@testable import Gateway\nimport Foundation"
        #expect(TidyRules.imports(file(text)).map(\.name) == ["Bytes", "Store", "Gateway", "Foundation"])
        #expect(TidyRules.walls(file(text), allowed: ["Bytes"]).count == 3)
    }

    @Test("edges that the table forbids and libraries with two owners are found")
    func edges() {
        let walls = PackageWalls(
            manifest: """
                let engine: [Target.Dependency] = ["Bytes", "JSON"]
                library("CCurl", pkgConfig: nil, apt: "x"),
                module("Compat", at: "Compat", ["Backend", "Store"]),
                module("Gateway", at: "Gateway", ["Compat", "CCurl"] + engine),
                module("Outgoing", at: "Engine/Outgoing", ["CCurl"]),
                module("Mystery", at: "Mystery", []),
                tests("CompatTests", ["Compat"]),
                """)
        #expect(walls.forbiddenEdges == ["Compat → Store", "Mystery is not in the import table"])
        #expect(walls.sharedLibraries == ["CCurl"])
        #expect(walls.target(of: "Sources/Engine/Outgoing/Unsafe/A.swift")?.name == "Outgoing")
        #expect(walls.targets.first { $0.name == "Gateway" }?.dependencies == ["Compat", "CCurl", "Bytes", "JSON"])
    }

    @Test("SQL and wire names are found where they do not belong")
    func words() {
        let sql = #"let q = "SELECT id FROM users WHERE x""#
        #expect(TidyRules.sql(file(sql)).count == 1)
        #expect(TidyRules.sql(file(sql, at: "Sources/Backend/Store/A.swift")).isEmpty)
        #expect(TidyRules.sql(file(#"let q = "select from the list""#)).isEmpty)
        let wire = #"let key = "refresh_token""#
        #expect(TidyRules.wire(file(wire, at: "Sources/Backend/InProcess/A.swift")).count == 1)
        #expect(TidyRules.wire(file(wire)).isEmpty)
    }

    @Test("public symbols without a doc comment are found")
    func documentation() {
        #expect(TidyRules.undocumented(file("public struct A {}")).count == 1)
        #expect(TidyRules.undocumented(file("/// It is.\npublic struct A {}")).isEmpty)
        #expect(TidyRules.undocumented(file("/// It is.\n@frozen\npublic struct A {}")).isEmpty)
        #expect(TidyRules.undocumented(file("// It is.\n    @inlinable public func a() {}")).count == 1)
        #expect(TidyRules.undocumented(file("public import Bytes\npublic extension A {\n}")).isEmpty)
        #expect(TidyRules.undocumented(file("public static func == (a: A, b: A) -> Bool { true }")).isEmpty)
        let requirement = TidyRules.requirements(
            file("protocol P {\n    /// Sends.\n    func send()\n    func take()\n}"))
        #expect(requirement == ["send"])
        #expect(TidyRules.undocumented(file("public func send() {}"), requirements: requirement).isEmpty)
        #expect(TidyRules.undocumented(file("public let a = 1\npublic init() {}")).isEmpty)
    }
}
