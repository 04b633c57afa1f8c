import JSON

/// A file that should have held a case and does not.
struct BrokenCase: Sendable {
    let file: String
    let reason: String
}

/// Finds case files and reads them.
enum CaseFiles {
    static let fileBytesMax = 8 << 20
    static let filesMax = 20_000
    private static let limits = JSONLimits(depth: 200, bytes: fileBytesMax)

    struct Found {
        var cases: [ConformanceCase] = []
        var broken: [BrokenCase] = []
    }

    /// Reads files, and every `.json` file below folders; JSON below a folder that has no `steps` is something else.
    static func read(_ paths: [String]) throws(CaseProblem) -> Found {
        var found = Found()
        var seen: Set<String> = []
        for path in paths {
            if Files.isFolder(path) {
                let files = Files.all(below: path, ending: ".json")
                guard files.count <= filesMax else { throw CaseProblem(text: "\(path): over \(filesMax) files") }
                for file in files where seen.insert(Files.plain(file)).inserted { read(file, isNamed: false, &found) }
            } else if Files.exists(path) {
                if seen.insert(Files.plain(path)).inserted { read(path, isNamed: true, &found) }
            } else {
                throw CaseProblem(text: "\(path): no such file or folder")
            }
        }
        refuseRepeated(&found)
        return found
    }

    /// Of two files with one id only the first is run: results are told by ids.
    private static func refuseRepeated(_ found: inout Found) {
        var files: [String: String] = [:]
        var cases: [ConformanceCase] = []
        for one in found.cases {
            if let first = files[one.id] {
                found.broken.append(
                    BrokenCase(file: one.file, reason: "the id \(CaseStep.short(one.id)) is taken by \(first)"))
            } else {
                files[one.id] = one.file
                cases.append(one)
            }
        }
        found.cases = cases
    }

    private static func read(_ file: String, isNamed: Bool, _ found: inout Found) {
        do {
            if let one = try parse(try bytes(file), file: file, isNamed: isNamed) { found.cases.append(one) }
        } catch {
            found.broken.append(BrokenCase(file: file, reason: error.text))
        }
    }

    private static func bytes(_ file: String) throws(CaseProblem) -> [UInt8] {
        guard let size = Files.size(file) else { throw CaseProblem(text: "cannot be read") }
        guard size <= fileBytesMax else { throw CaseProblem(text: "\(size) bytes, at most \(fileBytesMax)") }
        do {
            return try Files.read(file, bytesMax: fileBytesMax)
        } catch {
            throw CaseProblem(text: "cannot be read")
        }
    }

    /// The case in a file's bytes; nil if it is JSON without `steps` in a file that nobody named.
    static func parse(_ bytes: [UInt8], file: String, isNamed: Bool) throws(CaseProblem) -> ConformanceCase? {
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes, limits: limits)
        } catch {
            let before = bytes.prefix(max(0, error.offset))
            let line = before.count { $0 == 10 } + 1
            throw CaseProblem(text: "line \(line): not JSON: \(error)")
        }
        if !isNamed, value["steps"] == nil { return nil }
        return try ConformanceCase(value, file: file)
    }
}

/// Which cases are run, and in which order. Source: replay.py's options of the same names.
struct CaseSelection {
    var only: String?
    var skip: String?
    var ids: Set<String>?
    var store: String?
    var movesClock = false
    var runsSQL = false
    /// Whether cases that need other settings, or an empty server, can have them.
    var launches = true

    /// Why a case is left out; nil if it is run. An empty reason: nobody asked for it.
    func reasonToLeaveOut(_ one: ConformanceCase) -> String? {
        if let only, !ExactText.contains(one.id, only) { return "" }
        if let skip, ExactText.contains(one.id, skip) { return "" }
        if let ids, !ids.contains(one.id) { return "" }
        if let needed = one.store, needed != store { return "needs the store \(needed) (--store)" }
        if !movesClock, one.has(.clock) { return "moves the server's clock (--launch with --faketime)" }
        if !runsSQL, one.has(.sql) { return "changes rows in the store (--launch with --sql)" }
        if !launches {
            if !one.env.isEmpty { return "needs other settings than the base configuration (--launch or --all)" }
            if one.isFresh { return "needs a server without data (--launch or --all)" }
            if one.has(.restart) { return "restarts the server (--launch)" }
        }
        return nil
    }

    /// Cases of the same settings one after the other, so that the server is started seldom.
    static func ordered(_ cases: [ConformanceCase]) -> [ConformanceCase] {
        func key(_ one: ConformanceCase) -> (String, Int, String) { (configuration(one), one.isFresh ? 1 : 0, one.id) }
        return cases.map { (key($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// The case's settings as one text.
    static func configuration(_ one: ConformanceCase) -> String {
        one.env.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
    }
}
