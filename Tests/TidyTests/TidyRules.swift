import Foundation

/// One thing that a rule objects to.
struct Finding: CustomStringConvertible, Equatable {
    let path: String
    let line: Int
    let what: String
    var description: String { "\(path):\(line): \(what)" }
}

/// The rules of the house as functions from a file to what is wrong in it.
enum TidyRules {
    static let fileLinesMax = 600
    static let functionLinesMax = 70
    static let lineLengthMax = 120

    // MARK: Size

    static func sizes(_ file: SourceText) -> [Finding] {
        var out: [Finding] = []
        if file.lines.count > fileLinesMax + 1 {
            out.append(Finding(path: file.path, line: 1, what: "\(file.lines.count) lines, at most \(fileLinesMax)"))
        }
        for (index, line) in file.lines.enumerated() where line.count > lineLengthMax {
            let what = "\(line.count) characters, at most \(lineLengthMax)"
            out.append(Finding(path: file.path, line: index + 1, what: what))
        }
        return out + longFunctions(file)
    }

    /// Functions longer than allowed, from their `func` or `init` to the closing brace.
    static func longFunctions(_ file: SourceText) -> [Finding] {
        var out: [Finding] = []
        for (start, line) in file.code.enumerated() where line.contains(#/(^|\s)(func\s|init[?(<]|deinit\b)/#) {
            guard !line.contains(#/(\.|\?)init[?(<]/#) else { continue }
            var depth = 0
            var hasBegun = false
            body: for index in start..<file.code.count {
                for character in file.code[index] {
                    if character == "{" {
                        depth += 1
                        hasBegun = true
                    } else if character == "}" {
                        depth -= 1
                        if depth < 0 { break body }
                        if depth == 0, hasBegun {
                            let count = index - start + 1
                            if count > functionLinesMax {
                                let what = "a function of \(count) lines, at most \(functionLinesMax)"
                                out.append(Finding(path: file.path, line: start + 1, what: what))
                            }
                            break body
                        }
                    }
                }
            }
        }
        return out
    }

    // MARK: Words and calls

    private static func matches(_ file: SourceText, _ pattern: Regex<Substring>, _ what: String) -> [Finding] {
        file.code.enumerated().compactMap { index, line in
            line.contains(pattern) ? Finding(path: file.path, line: index + 1, what: what) : nil
        }
    }

    /// What may bring the process down: forced tries, casts and unwraps, traps.
    static func traps(_ file: SourceText) -> [Finding] {
        let words: [(Regex<Substring>, String)] = [
            (#/\btry!/#, "try! may trap"), (#/\bas!/#, "as! may trap"),
            (#/\bfatalError\b/#, "fatalError ends the process"),
            (#/\bpreconditionFailure\b/#, "preconditionFailure ends the process"),
            (#/\bassertionFailure\b/#, "assertionFailure ends the process"),
        ]
        var out = words.flatMap { matches(file, $0.0, $0.1) }
        let unwrap = #/[A-Za-z0-9_\)\]"]!(?![=A-Za-z0-9_(])/#
        for (index, line) in file.code.enumerated() where line.contains(unwrap) && !line.contains(#/\b(try|as)!/#) {
            if line.contains("static let"), index > 0, file.lines[index - 1].contains("//") { continue }
            out.append(Finding(path: file.path, line: index + 1, what: "a forced unwrap may trap"))
        }
        return out
    }

    static func emptyCatches(_ file: SourceText) -> [Finding] {
        let text = file.code.joined(separator: "\n")
        return text.matches(of: #/\bcatch\b[^{}\n]*\{\s*\}/#).map { match in
            let line = text[..<match.range.lowerBound].count { $0 == "\n" } + 1
            return Finding(path: file.path, line: line, what: "an empty catch hides a failure")
        }
    }

    /// The one file of the engine that starts a request's handler on its loop.
    static let handlerStart = "Sources/Engine/HTTP1/Unsafe/Connection.swift"

    /// Tasks that nobody waits for, outside the executable and the loop that starts handlers.
    static func looseTasks(_ file: SourceText) -> [Finding] {
        guard !file.path.hasPrefix("Sources/Drawbridge/"), file.path != handlerStart else { return [] }
        let start = #/\bTask\s*(?:\{|\(|\.detached|\.immediate)/#
        return matches(file, start, "an unstructured task belongs to the loop or main")
    }

    static func sleeps(_ file: SourceText) -> [Finding] {
        matches(file, #/\b(?:Task\.sleep|usleep|nanosleep|sleep)\s*\(/#, "tests do not sleep")
    }

    static func reminders(_ file: SourceText) -> [Finding] {
        let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
        return file.comments.compactMap { comment in
            let found = words.first { word in
                comment.text.split { !$0.isLetter }.contains { $0 == word }
            }
            return found.map { Finding(path: file.path, line: comment.line, what: "\($0) mark") }
        }
    }

    /// Commented-out code: comment lines that end like statements do.
    static func deadCode(_ file: SourceText) -> [Finding] {
        file.comments.compactMap { comment in
            guard !comment.text.hasPrefix("///"),
                comment.text.contains(#/^//\s*(let|var|func|if|guard|return|for|try)\s.*[{}=;]\s*$/#)
            else { return nil }
            return Finding(path: file.path, line: comment.line, what: "commented-out code")
        }
    }

    // MARK: Memory safety

    /// The names of the C modules that a file imports.
    static func cImports(_ file: SourceText, cModules: Set<String>) -> Set<String> {
        Set(imports(file).map(\.name)).intersection(cModules)
    }

    /// `unsafe` code and unchecked promises, which may stand under `Unsafe/` or where a C library is wrapped.
    static func unsafety(_ file: SourceText, cModules: Set<String>) -> [Finding] {
        let isWrapper = file.path.contains("/Unsafe/") || !cImports(file, cModules: cModules).isEmpty
        let promise = #/@unchecked\s+Sendable|nonisolated\(unsafe\)|@preconcurrency/#
        var out: [Finding] = []
        for (index, line) in file.code.enumerated() {
            if !isWrapper, line.contains(#/\bunsafe\b/#) || line.contains(promise) {
                out.append(
                    Finding(path: file.path, line: index + 1, what: "unsafe code outside Unsafe/ and C wrappers"))
            } else if line.contains(promise) {
                let near = (index - 14)...index
                if !file.comments.contains(where: { near.contains($0.line - 1) && $0.text.count > 20 }) {
                    let what = "no sentence here says who serialises access"
                    out.append(Finding(path: file.path, line: index + 1, what: what))
                }
            }
        }
        return out
    }

    // MARK: Walls

    static func imports(_ file: SourceText) -> [(line: Int, name: String)] {
        file.code.enumerated().compactMap { index, line in
            let pattern =
                #/^\s*(?:@\w+\s+)*(?:public |internal |private |package |fileprivate )?import (?:\w+ )?(?<name>\w+)/#
            return line.firstMatch(of: pattern).map { (index + 1, String($0.output.name)) }
        }
    }

    static func walls(_ file: SourceText, allowed: Set<String>) -> [Finding] {
        imports(file).filter { !allowed.contains($0.name) }.map {
            Finding(path: file.path, line: $0.line, what: "import of \($0.name), which the import table does not give")
        }
    }

    /// SQL in a string outside the store.
    static func sql(_ file: SourceText) -> [Finding] {
        guard !file.path.hasPrefix("Sources/Backend/Store/") else { return [] }
        let pattern =
            #/\b(SELECT\s.+\sFROM\s|INSERT\s+INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|CREATE\s+TABLE\s|PRAGMA\s)/#
        return file.strings.filter { $0.text.contains(pattern) }.map {
            Finding(path: file.path, line: $0.line, what: "SQL outside the store")
        }
    }

    /// Words of the wire that rules have no business with.
    static let wireNames: Set<String> = [
        "access_token", "refresh_token", "expires_in", "expires_at", "token_type", "error_code", "error_description",
        "grant_type", "code_challenge", "code_challenge_method", "redirect_to", "weak_password",
        "x-sb-error-code", "x-supabase-api-version",
    ]

    static func wire(_ file: SourceText) -> [Finding] {
        guard file.path.hasPrefix("Sources/Backend/Core/") || file.path.hasPrefix("Sources/Backend/InProcess/") else {
            return []
        }
        return file.strings.filter { wireNames.contains($0.text.lowercased()) }.map {
            Finding(path: file.path, line: $0.line, what: "the wire name \($0.text) in a rule")
        }
    }

    // MARK: Documentation

    /// Public types and functions without a doc comment right before them (attributes may stand between).
    ///
    /// Properties and initialisers are spoken for by their type, witnesses by the protocol (`requirements`: the names
    /// that documented requirements have), and overloads by the first of their name.
    static func undocumented(_ file: SourceText, requirements: Set<String> = []) -> [Finding] {
        let kind = #/\b(?:struct|class|enum|actor|protocol|func|macro)\s+(?<name>\S+)/#
        let witnesses = ["==", "<", "hash", "encode", "next", "makeIterator", "asUnownedSerialExecutor"]
        var out: [Finding] = []
        var documented = requirements
        for (index, line) in file.code.enumerated() where line.contains("public") || line.contains("package") {
            let code = line.drop { $0 == " " }
            guard code.contains(#/^(?:@\w+(?:\([^)]*\))?\s+)*(?:public|package)\s/#),
                let match = code.firstMatch(of: kind),
                !code.contains(#/\b(?:import|extension|let|var|init)\b/#) || code.contains(#/\bfunc\b/#)
            else { continue }
            let name = match.output.name.prefix { $0 != "(" && $0 != "<" || $0 == match.output.name.first }
            if witnesses.contains(String(name)) { continue }
            var before = index - 1
            while before >= 0, file.code[before].drop(while: { $0 == " " }).hasPrefix("@") { before -= 1 }
            let comment = before >= 0 ? file.lines[before].drop { $0 == " " } : ""
            if comment.hasPrefix("///") {
                documented.insert(String(name))
            } else if !documented.contains(String(name)) {
                out.append(Finding(path: file.path, line: index + 1, what: "public \(name) has no doc comment"))
            }
        }
        return out
    }

    /// The names of functions that are documented where they are not declared public: requirements of protocols.
    static func requirements(_ file: SourceText) -> Set<String> {
        let pattern = #/^\s*(?:mutating |static )*func (?<name>\w+)/#
        return Set(
            file.code.enumerated().compactMap { index, line in
                guard let match = line.firstMatch(of: pattern), index > 0,
                    file.lines[index - 1].drop(while: { $0 == " " }).hasPrefix("///")
                else { return nil }
                return String(match.output.name)
            })
    }
}
