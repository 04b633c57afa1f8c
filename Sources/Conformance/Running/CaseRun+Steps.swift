import JSON

extension CaseRun {
    /// Does one step; what it saw, or nil where there is nothing to compare.
    func step(_ step: CaseStep) throws(StepStop) -> JSONValue? {
        guard let kind = step.kind else { throw .notRun("the kind \(step.kindName) is not known here") }
        switch kind {
        case .request: return try request(step)
        case .race: return try race(step)
        case .mail: return try mail(step)
        case .noMail: return try noMail(step)
        case .hook: return try hook(step)
        case .scriptHook: try scriptHook(step)
        case .scriptMail: world.mail.behave(MailPeer.Mode(rawValue: step.text("how") ?? "") ?? .keep)
        case .compare: return try compare(step)
        case .checkJWT: return try checkToken(step)
        case .restart: try restart()
        case .sql: try runSQL(step)
        case .clock: try moveClock(step)
        case .idp: try signIn(step)
        case .visit: try visit(step)
        case .make: try make(step)
        case .sleep: Threads.rest(seconds: step.seconds("seconds") ?? 0)
        }
        return nil
    }

    // MARK: Requests

    /// The call that a step's fields describe.
    func call(_ fields: JSONObject) throws(StepStop) -> HTTPCall {
        var url = try filledText(fields["url"])
        if fields["url"] == nil { url = server.base + prefix + (try filledText(fields["path"])) }
        if let query = fields["query"], query.object?.isEmpty == false {
            url += (ExactText.contains(url, "?") ? "&" : "?") + Self.form(try fill(query))
        }
        var headers: [(name: String, value: JSONValue)] = [("apikey", try value("anon_key"))]
        switch fields["as"]?.string ?? "anon" {
        case "anon": break
        case "service":
            let key = try value("service_key")
            headers = [("apikey", key), ("Authorization", .string("Bearer " + ValueText.plain(key)))]
        case "none":
            // Behind a prefix stands a gateway, which wants its key.
            if prefix.isEmpty || fields["path"] == nil { headers = [] }
        case let who: headers.append(("Authorization", .string("Bearer " + ValueText.plain(try value(who)))))
        }
        var body: [UInt8]?
        if let json = fields["json"] {
            body = Array(ValueText.spacedJSON(try fill(json)).utf8)
            headers.append(("Content-Type", "application/json"))
        } else if let form = fields["form"] {
            body = Array(Self.form(try fill(form)).utf8)
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
        } else if let raw = fields["raw"] {
            body = Array(try filledText(raw).utf8)
            headers.append(("Content-Type", "application/json"))
        }
        for member in try fill(fields["headers"] ?? [:]).object?.members ?? [] {
            if let index = headers.firstIndex(where: { ExactText.isEqual($0.name, member.key) }) {
                headers[index].value = member.value
            } else {
                headers.append((member.key, member.value))
            }
        }
        var lines: [(name: String, value: String)] = []
        for (name, value) in headers {
            guard !name.utf8.isEmpty, !name.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: ":") }) else {
                throw .notRun("\"\(CaseStep.short(name))\" is no header")
            }
            if value == "" { continue }
            for one in value.array ?? [value] { lines.append((name, ValueText.plain(one))) }
        }
        return HTTPCall(method: fields["method"]?.string ?? "GET", url: url, headers: lines, body: body)
    }

    private static func form(_ value: JSONValue) -> String {
        let fields = value.object?.members ?? []
        return fields.map { URLText.quoted($0.key) + "=" + URLText.quoted(ValueText.plain($0.value)) }
            .joined(separator: "&")
    }

    func send(_ call: HTTPCall) throws(StepStop) -> HTTPAnswer {
        try paced { () throws(StepStop) in
            do {
                return try world.caller.send(call)
            } catch {
                throw .silence("no answer: \(error)")
            }
        }
    }

    private func request(_ step: CaseStep) throws(StepStop) -> JSONValue {
        var answer = try send(try call(step.fields))
        for _ in 1..<max(1, step.int("repeat") ?? 1) { answer = try send(try call(step.fields)) }
        save(step) { AnswerShape.pick($0, from: answer) }
        if step.flag("setup") { return ["status": .int(answer.status)] }
        normalizer.unordered = step.texts("unordered")
        let also = step.texts("also")
        guard
            case .object(var seen) = try reading({ normalizer throws(Normalizer.Unreadable) in
                try AnswerShape.of(answer, also: also, &normalizer)
            })
        else { return [:] }
        if step.fields["match"] != nil {
            var found = JSONObject()
            for member in step.members("match") {
                found[member.key] = try matches(member.value, member.key, answer)
            }
            seen["match"] = .object(found)
        }
        return .object(seen)
    }

    /// Whether what is picked from an answer matches; a header that is not there reads `None`.
    private func matches(_ pattern: JSONValue, _ how: String, _ answer: HTTPAnswer) throws(StepStop) -> JSONValue {
        guard let found = AnswerShape.pick(how, from: answer) else {
            return ExactText.hasPrefix(how, "json:") ? false : try matches(pattern, "None")
        }
        return try matches(pattern, ValueText.plain(found))
    }

    /// The same request several times at the same moment; the answers in order of their status and size.
    private func race(_ step: CaseStep) throws(StepStop) -> JSONValue {
        var calls: [HTTPCall] = []
        let each = step.fields["each"]?.array ?? Array(repeating: [:], count: step.int("times") ?? 0)
        for members in each.prefix(CaseStep.timesMax) {
            var fields = step.fields
            for member in members.object?.members ?? [] { fields[member.key] = member.value }
            calls.append(try call(fields))
        }
        var answers: [HTTPAnswer] = []
        for result in try paced({ () throws(StepStop) in Race.run(calls, world.caller) }) {
            switch result {
            case .success(let answer): answers.append(answer)
            case .failure(let failure): throw .silence("no answer: \(failure)")
            }
        }
        answers.sort { left, right in
            if left.status != right.status { return left.status < right.status }
            if left.body.count != right.body.count { return left.body.count < right.body.count }
            return left.body.lexicographicallyPrecedes(right.body)
        }
        if let first = answers.first { save(step) { AnswerShape.pick($0, from: first) } }
        var seen: [JSONValue] = []
        for answer in answers {
            seen.append(
                try reading { normalizer throws(Normalizer.Unreadable) in try AnswerShape.of(answer, &normalizer) })
        }
        return ["answers": .array(seen)]
    }

    private func visit(_ step: CaseStep) throws(StepStop) {
        let url = try filledText(step.fields["url"])
        let answer = try send(HTTPCall(method: "GET", url: url, headers: [], body: nil))
        save(step) { AnswerShape.pick($0, from: answer) }
    }

    // MARK: The server itself

    private func restart() throws(StepStop) {
        guard let restart = server.restart else { throw .notRun("the server is not ours to restart (--launch)") }
        do { try restart() } catch { throw .failed("the server did not come back: \(error)") }
    }

    private func runSQL(_ step: CaseStep) throws(StepStop) {
        guard let runSQL = server.runSQL else { throw .notRun("the store cannot be reached (--sql)") }
        let text = try filledText(step.fields["sql"])
        // What the command cannot do says nothing about the server.
        do { try runSQL(text) } catch { throw .notRun("sql: \(error)") }
    }

    private func moveClock(_ step: CaseStep) throws(StepStop) {
        guard let moveClock = server.moveClock else {
            throw .notRun("the server's clock cannot be moved (--faketime)")
        }
        normalizer.ahead += step.seconds("advance") ?? 0
        guard normalizer.ahead <= CaseStep.advanceMax else { throw .notRun("the clock would be too far ahead") }
        do { try moveClock(normalizer.ahead) } catch { throw .failed("clock: \(error)") }
    }

    // MARK: Peers

    private func signIn(_ step: CaseStep) throws(StepStop) {
        if let profile = step.fields["profile"] {
            world.openID.signIn(try fill(profile).object ?? JSONObject())
        }
        if step.fields["keys"] != nil { world.openID.publish(step.texts("keys")) }
    }

    private func compare(_ step: CaseStep) throws(StepStop) -> JSONValue {
        let a = try filledText(step.fields["a"]), b = try filledText(step.fields["b"])
        return [
            "equal": .bool(ExactText.isEqual(a, b)), "starts": .bool(ExactText.hasPrefix(a, b)),
            "contains": .bool(ExactText.contains(a, b)),
        ]
    }

    private func checkToken(_ step: CaseStep) throws(StepStop) -> JSONValue {
        let token = try filledText(step.fields["token"])
        let keys = try fill(step.fields["keys"] ?? []).array ?? []
        do {
            return ["valid": .bool(try TestTokens.isValid(token, keys: keys))]
        } catch {
            throw .failed(error.text)
        }
    }
}

/// Calls made at the same moment, each on a thread of its own.
enum Race {
    private struct State: Sendable {
        var waiting = 0
        var results: [Int: Result<HTTPAnswer, SocketFailure>] = [:]
    }

    static func run(_ calls: [HTTPCall], _ caller: HTTPCaller) -> [Result<HTTPAnswer, SocketFailure>] {
        let state = Watched(State())
        let count = calls.count
        for (index, call) in calls.enumerated() {
            let isStarted = Threads.start {
                state.change { $0.waiting += 1 }
                _ = state.wait(seconds: 10) { $0.waiting >= count ? true : nil }
                let result = Result { () throws(SocketFailure) in try caller.send(call) }
                state.change { $0.results[index] = result }
            }
            if !isStarted {
                state.change {
                    $0.waiting += 1
                    $0.results[index] = .failure(SocketFailure("no thread to call from"))
                }
            }
        }
        let seconds = Double(HTTPCaller.seconds * 4)
        _ = state.wait(seconds: seconds) { $0.results.count == count ? true : nil }
        let results = state.change { $0.results }
        return calls.indices.map { results[$0] ?? .failure(SocketFailure("timed out")) }
    }
}
