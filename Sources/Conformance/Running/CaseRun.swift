import Bytes
import Crypto
import JSON

/// One run of one case against one server: what it saved, and what it saw.
final class CaseRun {
    /// What one step saw, to be compared.
    struct Observation {
        let step: CaseStep
        let seen: JSONValue
    }

    /// The longest text that `{{fill:N}}` makes.
    private static let fillMax = 16 << 20
    /// Bytes that placeholders of one run may be replaced with: texts that double cannot fill the memory.
    private static let filledMax = 256 << 20

    let one: ConformanceCase
    let world: World
    let server: any ServerUnderTest
    let prefix: String
    /// Made up anew in every run, so that runs do not meet.
    let tag: String
    var normalizer: Normalizer
    var values: [String: JSONValue] = [:]
    private var filled = 0
    /// When the last answer was there, by the monotonic clock.
    private var answeredAt = 0.0

    /// The base configuration lets a mail follow another after a millisecond: calls are never closer than this.
    private static let gapSeconds = 0.002

    init(_ one: ConformanceCase, world: World, server: any ServerUnderTest, prefix: String, keys: CallerKeys) {
        (self.one, self.world, self.server, self.prefix) = (one, world, server, prefix)
        tag = Hex.encode(world.random.fill(4))
        normalizer = Normalizer(
            base: server.base, prefix: prefix, issuer: world.openID.issuer, hooks: world.hooks.url, tag: tag,
            clock: world.clock)
        values = [
            "base": .string(server.base), "prefix": .string(prefix), "issuer": .string(world.openID.issuer),
            "hooks": .string(world.hooks.url), "tag": .string(tag), "now": .int(world.clock.now().unixSeconds),
            "anon_key": .string(keys.anonymous), "service_key": .string(keys.service),
        ]
    }

    /// Runs the steps until one cannot be run; what was seen, and why it ended early.
    func run() -> (seen: [Observation], stop: (step: CaseStep, why: StepStop)?) {
        var observations: [Observation] = []
        for step in one.steps {
            do {
                if let seen = try self.step(step) {
                    observations.append(Observation(step: step, seen: sortedLists(seen, step)))
                }
            } catch {
                return (observations, (step, error))
            }
        }
        return (observations, nil)
    }

    /// Waits until the call before is long enough ago, and sends; the server's own minimum intervals must be over.
    func paced<Answer>(_ send: () throws(StepStop) -> Answer) throws(StepStop) -> Answer {
        let early = answeredAt + Self.gapSeconds - Threads.clock()
        if early > 0 { Threads.rest(seconds: early) }
        defer { answeredAt = Threads.clock() }
        return try send()
    }

    private func sortedLists(_ seen: JSONValue, _ step: CaseStep) -> JSONValue {
        step.texts("unordered").reduce(seen) { JSONPath($1).changing($0) { AnswerShape.sorted($0) } }
    }

    /// Seconds since 1970 by the server's clock.
    var serverSeconds: Int64 {
        let now = Double(world.clock.now().microseconds) / 1e6 + normalizer.ahead
        return Int64(now)
    }

    // MARK: Filling in

    /// The value behind `{{name}}`.
    func value(_ name: String) throws(StepStop) -> JSONValue {
        if let rest = after("email:", name) {
            let made = "\(rest)-\(tag)@example.com"
            normalizer.remember(made, as: "{{\(name)}}")
            return .string(made)
        }
        if after("phone:", name) != nil {
            let digest = SHA.sha256(Array((tag + name).utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let digits = String(digest % 10_000_000)
            let made = "1555" + String(repeating: "0", count: 7 - digits.utf8.count) + digits
            normalizer.remember(made, as: "{{\(name)}}")
            return .string(made)
        }
        if ExactText.hasPrefix(name, "totp"), ExactText.contains(name, ":") { return .string(try code(name)) }
        if let offset = after("iso:now", name) {
            guard let seconds = Int64(offset.isEmpty ? "0" : offset), (-(1 << 36)...1 << 36).contains(seconds) else {
                throw .notRun("{{\(CaseStep.short(name))}} is no time")
            }
            let time = Timestamp(unixSeconds: serverSeconds + seconds)
            return .string(time.wholeSeconds.description)
        }
        if let rest = after("fill:", name) { return .string(try filling(rest)) }
        for kind in ["ethereum:", "solana:", "credential:"] where after(kind, name) != nil {
            throw .notRun("{{\(name)}} is not known here")
        }
        guard let value = values[name] else { throw .failed("no value for {{\(CaseStep.short(name))}}") }
        return value
    }

    private func after(_ prefix: String, _ text: String) -> String? {
        ExactText.hasPrefix(text, prefix) ? ExactText.without(text, prefix: prefix) : nil
    }

    private func filling(_ rest: String) throws(StepStop) -> String {
        let halves = ExactText.split(rest, at: ":", cutsMax: 1)
        let letter = halves.count > 1 && !halves[1].isEmpty ? halves[1] : "x"
        guard let count = Int(halves[0]), count >= 0, count <= Self.fillMax / letter.utf8.count else {
            throw .notRun("{{fill:\(CaseStep.short(rest))}} is no length")
        }
        return String(repeating: letter, count: count)
    }

    /// `totp:VAR` or `totp+1:VAR`: the code of a second factor now, or in another interval.
    private func code(_ name: String) throws(StepStop) -> String {
        let halves = ExactText.split(name, at: ":", cutsMax: 1)
        let offset = Int64(halves[0].dropFirst(4)) ?? 0
        guard let secret = values[halves[1]]?.string else {
            throw .failed("no value for {{\(CaseStep.short(halves[1]))}}")
        }
        guard (-1000...1000).contains(offset),
            let code = TestTokens.totp(secret: secret, unixSeconds: serverSeconds + 30 * offset)
        else {
            throw .failed("{{\(CaseStep.short(name))}}: the secret is none")
        }
        return code
    }

    /// A value with everything in double braces filled in; keys of objects stay as they are.
    func fill(_ value: JSONValue) throws(StepStop) -> JSONValue {
        switch value {
        case .string(let text): return try fill(text)
        case .array(let items):
            var out: [JSONValue] = []
            for item in items { out.append(try fill(item)) }
            return .array(out)
        case .object(var object):
            for member in object.members { object[member.key] = try fill(member.value) }
            return .object(object)
        case .null, .bool, .number: return value
        }
    }

    private func fill(_ text: String) throws(StepStop) -> JSONValue {
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard let end = Self.placeholder(bytes, index) else {
                out.append(bytes[index])
                index += 1
                continue
            }
            let found = try value(String(decoding: bytes[(index + 2)..<(end - 2)], as: UTF8.self))
            if index == 0, end == bytes.count {
                try count(found.string?.utf8.count ?? 0)
                return found
            }
            let text = ValueText.plain(found)
            try count(text.utf8.count)
            out += text.utf8
            index = end
        }
        return .string(String(decoding: out, as: UTF8.self))
    }

    private func count(_ bytes: Int) throws(StepStop) {
        filled += bytes
        guard filled <= Self.filledMax else { throw .notRun("placeholders stand for more than 256 MiB") }
    }

    /// Where `{{name}}` that begins at an index ends.
    private static func placeholder(_ bytes: [UInt8], _ index: Int) -> Int? {
        let open = UInt8(ascii: "{"), close = UInt8(ascii: "}")
        guard index + 4 < bytes.count, bytes[index] == open, bytes[index + 1] == open else { return nil }
        guard let end = bytes[(index + 2)...].firstIndex(where: { $0 == open || $0 == close }), bytes[end] == close,
            end > index + 2, end + 1 < bytes.count, bytes[end + 1] == close
        else { return nil }
        return end + 2
    }

    /// A field of the step, filled in, as a text.
    func filledText(_ value: JSONValue?) throws(StepStop) -> String {
        ValueText.plain(try fill(value ?? ""))
    }

    // MARK: Saving

    func save(_ step: CaseStep, _ pick: (String) -> JSONValue?) {
        for member in step.members("save") {
            let found = member.value.string.flatMap(pick)
            values[member.key] = found?.isNull ?? true ? nil : found
        }
    }

    /// Whether a pattern matches a whole text.
    func matches(_ pattern: JSONValue, _ text: String) throws(StepStop) -> JSONValue {
        do {
            return .bool(try Pattern(pattern.string ?? "").matches(text))
        } catch {
            throw .notRun("match: \(error.text) is not understood here")
        }
    }

    /// Does something with the normalizer that may meet what cannot be read.
    func reading<Result>(_ body: (inout Normalizer) throws(Normalizer.Unreadable) -> Result) throws(StepStop) -> Result
    {
        do {
            return try body(&normalizer)
        } catch {
            throw .notRun(error.text)
        }
    }
}
