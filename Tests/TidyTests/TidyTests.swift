import Foundation
import Testing

@Suite("The tree keeps the rules of the house")
struct TidyTests {
    /// The tree, read once for all tests.
    private static let tree = Result {
        (
            walls: PackageWalls(manifest: try Repository.text("Package.swift")),
            sources: try Repository.swift(under: "Sources"), tests: try Repository.swift(under: "Tests")
        )
    }

    let walls: PackageWalls
    let sources: [SourceText]
    let tests: [SourceText]

    init() throws {
        (walls, sources, tests) = try Self.tree.get()
    }

    private func expectNone(_ findings: [Finding], _ location: SourceLocation = #_sourceLocation) {
        let text = findings.map(\.description).joined(separator: "\n")
        #expect(findings.isEmpty, "\(text)", sourceLocation: location)
    }

    @Test("there is something to look at")
    func somethingToLookAt() {
        #expect(sources.count > 20 && tests.count > 10 && walls.targets.count > 20 && walls.cModules.count > 4)
    }

    @Test("files, functions and lines are of readable size")
    func sizes() {
        expectNone((sources + tests).flatMap(TidyRules.sizes))
    }

    @Test("nothing in Sources can trap on purpose")
    func traps() {
        expectNone(sources.flatMap(TidyRules.traps))
    }

    @Test("no catch is empty")
    func emptyCatches() {
        expectNone((sources + tests).flatMap(TidyRules.emptyCatches))
    }

    @Test("unstructured tasks start in the executable and the loop only")
    func looseTasks() {
        expectNone(sources.flatMap(TidyRules.looseTasks))
    }

    @Test("tests do not sleep")
    func sleeps() {
        expectNone(tests.filter { !$0.path.hasPrefix("Tests/TidyTests/") }.flatMap(TidyRules.sleeps))
    }

    @Test("no reminders and no dead code are left behind")
    func reminders() {
        expectNone((sources + tests).flatMap { TidyRules.reminders($0) + TidyRules.deadCode($0) })
    }

    @Test("unsafe code stays under Unsafe/ and in C wrappers, and unchecked promises are explained")
    func unsafety() {
        expectNone(sources.flatMap { TidyRules.unsafety($0, cModules: walls.cModules) })
    }

    @Test("every file imports only what its target's row of the import table gives")
    func imports() {
        expectNone(
            (sources + tests).flatMap { file -> [Finding] in
                guard let target = walls.target(of: file.path) else {
                    return [Finding(path: file.path, line: 1, what: "belongs to no target")]
                }
                let isTest = file.path.hasPrefix("Tests/") || target.name == "TestKit"
                let more = isTest ? PackageWalls.system.union(PackageWalls.testing) : PackageWalls.system
                return TidyRules.walls(file, allowed: target.dependencies.union(more))
            })
    }

    @Test("Package.swift has no edge that the import table forbids")
    func edges() {
        #expect(walls.forbiddenEdges.isEmpty, "\(walls.forbiddenEdges.joined(separator: ", "))")
    }

    @Test("each C library is wrapped by one module")
    func libraries() {
        #expect(walls.sharedLibraries.isEmpty, "\(walls.sharedLibraries.joined(separator: ", "))")
    }

    @Test("SQL is written in the store only")
    func sql() {
        expectNone(sources.flatMap(TidyRules.sql))
    }

    @Test("rules do not know the words of the wire")
    func wire() {
        expectNone(sources.flatMap(TidyRules.wire))
    }

    @Test("public symbols are documented")
    func documentation() {
        let requirements = Set(sources.flatMap(TidyRules.requirements))
        expectNone(sources.flatMap { TidyRules.undocumented($0, requirements: requirements) })
    }

    @Test("the repository names no machine and no private place")
    func machinePaths() throws {
        let forbidden = ["/wo" + "rk/", "hub" + ".git"]
        let folders = ["Sources", "Tests", "scripts", "bench", "docs", "conformance/tools"]
        var paths = ["Package.swift", "Makefile", "README.md", "CHANGELOG.md"]
        for folder in folders {
            for suffix in [".swift", ".h", ".sh", ".py", ".md", ".conf", ".cfg", ".lua", ".txt"] {
                paths += Repository.files(under: folder, suffix: suffix)
            }
        }
        for path in paths where !path.hasSuffix(".build") {
            guard let text = try? Repository.text(path) else { continue }
            for word in forbidden where text.contains(word) {
                let isOwnFolder = path == "bench/run.py" || text.contains("bench/wo" + "rk/")
                #expect(isOwnFolder, "\(path) speaks of \(word)")
            }
        }
    }
}
