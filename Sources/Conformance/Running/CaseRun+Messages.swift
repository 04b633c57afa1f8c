import JSON

/// Steps about mails and hooks.
extension CaseRun {
    func mail(_ step: CaseStep) throws(StepStop) -> JSONValue? {
        let address = try filledText(step.fields["to"])
        guard let mail = world.mail.take(address, seconds: step.seconds("within") ?? 5) else { return ["mail": .null] }
        let text = mail.html.isEmpty ? mail.text : mail.html
        let links = MailText.links(text)
        let codes = MailText.codes(text)
        var found: [String: String] = [
            "subject": mail.subject, "html": mail.html, "text": mail.text,
            "recipients": mail.recipients.joined(separator: ","),
        ]
        found["otp"] = codes.first
        found["link"] = links.first
        if let link = links.first {
            for (name, value) in URLText.fields(URLText(link).query) { found["link." + name] = value }
        }
        save(step) { found[$0].map { .string($0) } }
        if step.flag("setup") { return nil }
        var seen: JSONObject = [
            "subject": .string(normalizer.text(mail.subject)), "from": .string(normalizer.text(mail.from)),
            "has_code": .bool(!codes.isEmpty),
        ]
        var targets: [JSONValue] = []
        for link in links {
            targets.append(try reading { normalizer throws(Normalizer.Unreadable) in try normalizer.location(link) })
        }
        seen["links"] = .array(targets)
        for name in step.texts("show") {
            let shown = normalizer.text(found[name] ?? "")
            let lines = ExactText.replacing([13, 10], with: [10], in: Array(shown.utf8))
            seen[name] = .string(ExactText.trimmed(String(decoding: lines, as: UTF8.self)))
        }
        if step.fields["match"] != nil {
            var results = JSONObject()
            for member in step.members("match") {
                results[member.key] = try matches(member.value, found[member.key] ?? "")
            }
            seen["match"] = .object(results)
        }
        return ["mail": .object(seen)]
    }

    func noMail(_ step: CaseStep) throws(StepStop) -> JSONValue {
        let address = try filledText(step.fields["to"])
        guard let mail = world.mail.take(address, seconds: step.seconds("within") ?? 0.5) else {
            return ["mail": .null]
        }
        return ["mail": ["subject": .string(normalizer.text(mail.subject))]]
    }

    func hook(_ step: CaseStep) throws(StepStop) -> JSONValue? {
        guard let call = world.hooks.take(step.text("path") ?? "", seconds: step.seconds("within") ?? 5) else {
            return ["hook": .null]
        }
        guard let payload = try? JSONValue.parse(call.body, limits: AnswerShape.limits) else {
            throw .failed("the hook was called with something that is not JSON")
        }
        save(step) { how in
            if ExactText.hasPrefix(how, "header:") {
                return call.headers[ExactText.without(how, prefix: "header:")].map { .string($0) }
            }
            return JSONPath(ExactText.without(how, prefix: "json:")).find(in: payload)
        }
        if step.flag("setup") { return nil }
        let shown = try reading { normalizer throws(Normalizer.Unreadable) in try normalizer.plain(payload) }
        let names = call.headers.keys.filter { $0.hasPrefix("webhook-") || $0 == "content-type" }
        var seen: JSONObject = [
            "json": Self.withoutCodes(shown),
            "headers": .array(names.sorted(by: ExactText.precedes).map { .string($0) }),
        ]
        if step.fields["match"] != nil {
            var results = JSONObject()
            for member in step.members("match") {
                let path = ExactText.without(member.key, prefix: "json:")
                guard let value = JSONPath(path).find(in: payload) else {
                    throw .failed("the hook's call has no \(CaseStep.short(path))")
                }
                results[member.key] = try matches(member.value, ValueText.plain(value))
            }
            seen["match"] = .object(results)
        }
        if step.fields["secrets"] != nil {
            seen["signed"] = .array(step.texts("secrets").map { .bool(HookPeer.isSigned(call, by: $0)) })
        }
        return ["hook": .object(seen)]
    }

    /// The codes in a hook's payload are random.
    private static func withoutCodes(_ shown: JSONValue) -> JSONValue {
        guard case .object(var object) = shown else { return shown }
        if case .object(var sms)? = object["sms"], sms["otp"] != nil {
            sms["otp"] = "<otp>"
            object["sms"] = .object(sms)
        }
        if case .object(var data)? = object["email_data"] {
            for name in ["token", "token_new"] {
                guard let value = data[name] else { continue }
                let text = ValueText.plain(value)
                if ExactText.isDigits(text), (6...10).contains(text.utf8.count) { data[name] = "<otp>" }
            }
            object["email_data"] = .object(data)
        }
        return .object(object)
    }

    func scriptHook(_ step: CaseStep) throws(StepStop) {
        var answers: [HookPeer.Answer] = []
        for entry in step.fields["answers"]?.array ?? [] {
            guard let parts = entry.array, (2...3).contains(parts.count), let status = parts[0].int64,
                (100...999).contains(status)
            else { throw .notRun("answers: each is a list of status, JSON and how") }
            var answer = HookPeer.Answer(status: Int(status), payload: try fill(parts[1]))
            let how = try fill(parts.count > 2 ? parts[2] : [:])
            answer.delaySeconds = min(max(0, how["delay"]?.double ?? 0), CaseStep.secondsMax)
            answer.headers = (how["headers"]?.object?.members ?? []).map { ($0.key, ValueText.plain($0.value)) }
            answer.rawText = how["raw"]?.string
            answer.hangsUp = how["close"]?.bool ?? false
            if let fields = how["call"]?.object { answer.call = try call(fields) }
            answers.append(answer)
        }
        guard !answers.isEmpty else { throw .notRun("answers: there is none") }
        world.hooks.script(step.text("path") ?? "", answers)
    }
}

/// What a person would see in a mail: links and codes.
enum MailText {
    /// Every link in the text, entities undone.
    static func links(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        var out: [String] = []
        var index = 0
        while index < bytes.count {
            guard let start = scheme(bytes, index), start < bytes.count, !isLinkEnd(bytes[start]) else {
                index += 1
                continue
            }
            let end = bytes[start...].firstIndex(where: isLinkEnd) ?? bytes.count
            out.append(unescaped(String(decoding: bytes[index..<end], as: UTF8.self)))
            index = end
        }
        return out
    }

    private static func isLinkEnd(_ byte: UInt8) -> Bool {
        byte <= 0x20 || [0x22, 0x27, 0x3C, 0x3E].contains(byte)
    }

    /// Where `letters://` that begins at an index ends.
    private static func scheme(_ bytes: [UInt8], _ index: Int) -> Int? {
        guard (0x61...0x7A).contains(bytes[index]),
            let end = bytes[index...].firstIndex(where: { !(0x61...0x7A).contains($0) }),
            bytes[end...].starts(with: "://".utf8)
        else { return nil }
        return end + 3
    }

    /// Six to ten digits that stand alone, tags left out.
    static func codes(_ text: String) -> [String] {
        var visible: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            guard let close = rest[open...].firstIndex(of: UInt8(ascii: ">")), close > open + 1 else {
                visible += rest[...open]
                rest = rest[(open + 1)...]
                continue
            }
            visible += rest[..<open] + [0x20]
            rest = rest[(close + 1)...]
        }
        visible += rest
        return digitRuns(visible)
    }

    private static func digitRuns(_ text: [UInt8]) -> [String] {
        var out: [String] = []
        var index = 0
        while index < text.count {
            guard (0x30...0x39).contains(text[index]) else {
                index += 1
                continue
            }
            let end = text[index...].firstIndex { !(0x30...0x39).contains($0) } ?? text.count
            let dash = UInt8(ascii: "-")
            let isAlone =
                !Tokens.isWord(text, before: index) && !(index > 0 && text[index - 1] == dash)
                && !Tokens.isWord(text, at: end) && !(end < text.count && text[end] == dash)
            if isAlone, (6...10).contains(end - index) {
                out.append(String(decoding: text[index..<end], as: UTF8.self))
            }
            index = end
        }
        return out
    }

    /// The text with HTML's entities undone, as far as links have them.
    static func unescaped(_ text: String) -> String {
        let pieces = ExactText.split(text, at: "&")
        let names = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        return pieces[0]
            + pieces.dropFirst().map { piece in
                let halves = ExactText.split(piece, at: ";", cutsMax: 1)
                if halves.count == 2, let character = names[halves[0]] ?? numeric(halves[0]) {
                    return character + halves[1]
                }
                return "&" + piece
            }.joined()
    }

    private static func numeric(_ entity: String) -> String? {
        guard entity.hasPrefix("#") else { return nil }
        let digits = entity.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        guard let number = UInt32(isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10) else { return nil }
        return Unicode.Scalar(number).map { String($0) }
    }
}
