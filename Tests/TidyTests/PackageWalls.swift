import Foundation

/// What Package.swift says about targets, and what the architecture allows it to say.
struct PackageWalls {
    struct Target {
        let name: String
        let path: String
        let dependencies: Set<String>
    }

    let targets: [Target]
    let cModules: Set<String>

    /// Reads the manifest's own helper calls: `module(…)`, `tests(…)`, `library(…)` and the executable.
    init(manifest: String) {
        let text = manifest.replacing(#/\s+/#, with: " ")
        let engine = text.firstMatch(of: #/let engine: \[Target\.Dependency\] = \[(?<list>[^\]]*)\]/#)
        let engineNames = Self.names(engine.map { String($0.output.list) } ?? "")
        func dependencies(_ list: Substring, _ more: Substring?) -> Set<String> {
            Self.names(String(list)).union(more?.contains("engine") == true ? engineNames : [])
        }
        var targets: [Target] = []
        let module = #/module\( ?"(?<name>\w+)", at: "(?<path>[\w/]+)", \[(?<list>[^\]]*)\](?<more> \+ engine)?/#
        for match in text.matches(of: module) {
            let deps = dependencies(match.output.list, match.output.more)
            targets.append(
                Target(name: String(match.output.name), path: "Sources/\(match.output.path)", dependencies: deps))
        }
        for match in text.matches(of: #/tests\( ?"(?<name>\w+)", \[(?<list>[^\]]*)\](?<more> \+ engine)?/#) {
            let deps = dependencies(match.output.list, match.output.more)
            targets.append(
                Target(name: String(match.output.name), path: "Tests/\(match.output.name)", dependencies: deps))
        }
        let main = #/name: "drawbridge", dependencies: \[(?<list>[^\]]*)\](?<more> \+ engine)?/#
        if let match = text.firstMatch(of: main) {
            let deps = dependencies(match.output.list, match.output.more)
            targets.append(Target(name: "drawbridge", path: "Sources/Drawbridge", dependencies: deps))
        }
        self.targets = targets
        cModules = Set(text.matches(of: #/library\("(?<name>\w+)"/#).map { String($0.output.name) })
    }

    private static func names(_ list: String) -> Set<String> {
        Set(list.matches(of: #/"(?<name>\w+)"/#).map { String($0.output.name) })
    }

    /// What every target may import besides its dependencies.
    static let system: Set<String> = ["Glibc", "Synchronization"]
    /// What tests may import as well.
    static let testing: Set<String> = ["Testing", "Foundation"]

    /// The import table of docs/internals/architecture.md, C modules left out.
    static let engineModules: Set<String> = [
        "Bytes", "JSON", "EventLoop", "HTTP1", "HTTP2", "TLS", "HTTPClient", "Crypto", "Outgoing",
    ]
    static let table: [String: Set<String>] = {
        let engine = engineModules
        return [
            "Bytes": [], "JSON": ["Bytes"], "EventLoop": ["Bytes", "JSON"], "HTTP1": ["Bytes", "JSON", "EventLoop"],
            "TLS": ["Bytes", "JSON", "EventLoop", "HTTP1", "HTTP2"],
            "HTTPClient": ["Bytes", "JSON", "EventLoop", "HTTP1", "HTTP2", "TLS"],
            "Crypto": engine.subtracting(["Crypto", "Outgoing"]), "Outgoing": engine.subtracting(["Outgoing"]),
            "Backend": ["Bytes", "JSON"], "Settings": ["Backend", "Bytes", "JSON"],
            "Store": engine.union(["Backend"]), "InProcessBackend": engine.union(["Backend", "Store"]),
            "RemoteBackend": engine.union(["Backend"]), "Compat": ["Backend", "Bytes", "JSON"],
            "Gateway": engine.union(["Compat", "Backend"]), "TestKit": engine.union(["Backend", "Store"]),
            "Conformance": engine,
        ]
    }()

    /// Edges of the manifest that the table does not have.
    var forbiddenEdges: [String] {
        targets.flatMap { target -> [String] in
            guard target.path.hasPrefix("Sources/"), target.name != "drawbridge" else { return [] }
            guard let allowed = Self.table[target.name] else { return ["\(target.name) is not in the import table"] }
            return target.dependencies.subtracting(cModules).subtracting(allowed).sorted()
                .map { "\(target.name) → \($0)" }
        }
    }

    /// C libraries that more than one module depends on; `CSys` is the system's own and open to all, and OpenSSL is two
    /// libraries in one, for TLS and for signatures.
    var sharedLibraries: [String] {
        cModules.subtracting(["CSys", "COpenSSL"]).sorted().filter { library in
            targets.filter { $0.path.hasPrefix("Sources/") && $0.dependencies.contains(library) }.count > 1
        }
    }

    /// The target a file belongs to: the one with the longest path that contains it.
    func target(of path: String) -> Target? {
        targets.filter { path.hasPrefix($0.path + "/") }.max { $0.path.count < $1.path.count }
    }
}
