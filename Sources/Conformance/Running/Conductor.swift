import Bytes
import JSON

/// Takes a run from its options to its results.
final class Conductor {
    private let options: ConformanceOptions
    private let world: World
    private let target: ServerPlace
    private let reference: ServerPlace?
    private let keys: CallerKeys
    private let referenceKeys: CallerKeys
    private let known: KnownDeviations
    private let cases: [ConformanceCase]
    private let broken: [BrokenCase]
    /// Cases that need something that was not given, and what.
    let leftOut: [(id: String, why: String)]
    /// Why no further case can be run: a server that ran has gone.
    private var gone: String?

    init(
        _ options: ConformanceOptions, environment: [String: String], random: any RandomSource, clock: any WallClock,
        secure: SecureCaller? = nil
    ) throws(ConformanceFailure) {
        self.options = options
        let found: CaseFiles.Found
        do {
            found = try CaseFiles.read(options.cases)
            known = try options.known.map { path throws(CaseProblem) in try Self.known(path) } ?? KnownDeviations()
        } catch {
            throw ConformanceFailure(error.text)
        }
        broken = found.broken
        let selection = try Self.selection(options)
        var chosen: [ConformanceCase] = []
        var leftOut: [(id: String, why: String)] = []
        for one in found.cases {
            if let why = selection.reasonToLeaveOut(one) {
                if !why.isEmpty { leftOut.append((one.id, why)) }
            } else {
                chosen.append(one)
            }
        }
        cases = CaseSelection.ordered(chosen)
        let ids = Set(found.cases.map(\.id))
        for id in (selection.ids ?? []).subtracting(ids).sorted(by: ExactText.precedes) {
            leftOut.append((id, "stands in the list, but in no case file"))
        }
        self.leftOut = leftOut
        let world = try Self.world(options, random: random, clock: clock, secure: secure)
        self.world = world
        let prefix = options.prefix, referencePrefix = options.referencePrefix ?? options.prefix
        target = ServerPlace(Self.kind(options.target, options, prefix, environment), world: world)
        reference = options.reference.map {
            ServerPlace(Self.kind($0, options, referencePrefix, environment), world: world)
        }
        keys = try Self.keys(options.keys, world)
        referenceKeys = try Self.keys(options.referenceKeys, world)
    }

    static func world(
        _ options: ConformanceOptions, random: any RandomSource, clock: any WallClock, secure: SecureCaller? = nil
    ) throws(ConformanceFailure) -> World {
        do {
            return try World(
                mailPort: options.mailPort, hookPort: options.hookPort, openIDPort: options.openIDPort,
                secret: options.secret ?? World.secret, random: random, clock: clock,
                secure: secure)
        } catch {
            throw ConformanceFailure("the peers cannot start: \(error)")
        }
    }

    private static func known(_ path: String) throws(CaseProblem) -> KnownDeviations {
        guard let bytes = try? Files.read(path, bytesMax: CaseFiles.fileBytesMax) else {
            throw CaseProblem(text: "\(path): cannot be read")
        }
        do {
            return try KnownDeviations(bytes)
        } catch {
            throw CaseProblem(text: "\(path): \(error.text)")
        }
    }

    private static func selection(_ options: ConformanceOptions) throws(ConformanceFailure) -> CaseSelection {
        var places = [options.target]
        if let reference = options.reference { places.append(reference) }
        let allLaunched = places.allSatisfy { if case .launched = $0 { true } else { false } }
        // Neither the clock nor the store of a server that runs already can be reached.
        var selection = CaseSelection(
            only: options.only, skip: options.skip, store: options.store,
            movesClock: options.faketime != nil && allLaunched, runsSQL: options.sql != nil && allLaunched)
        if let library = options.faketime, Files.isFolder(library) || !Files.exists(library) {
            throw ConformanceFailure("--faketime: \(library): no such file")
        }
        selection.launches = allLaunched || options.everyCase
        if let list = options.list {
            guard let bytes = try? Files.read(list, bytesMax: CaseFiles.fileBytesMax) else {
                throw ConformanceFailure("\(list): cannot be read")
            }
            let words = bytes.split { $0 <= 0x20 }
            selection.ids = Set(words.map { String(decoding: $0, as: UTF8.self) })
            if words.isEmpty { throw ConformanceFailure("\(list): has no id of a case") }
        }
        return selection
    }

    private static func kind(
        _ place: ConformanceOptions.Place, _ options: ConformanceOptions, _ prefix: String,
        _ environment: [String: String]
    ) -> ServerPlace.Kind {
        switch place {
        case .running(let url): return .running(url: url)
        case .launched(let command):
            return .launched(
                LaunchPlan(
                    command: command, environment: environment, prefix: prefix, faketime: options.faketime,
                    sql: options.sql, showsOutput: options.showsOutput))
        }
    }

    private static func keys(_ keys: ConformanceOptions.Keys, _ world: World) throws(ConformanceFailure) -> CallerKeys {
        let now = world.clock.now().unixSeconds
        func key(_ role: JSONValue) throws(ConformanceFailure) -> String {
            // As long as the cases need that move the clock.
            let claims: JSONObject = [
                "iss": "supabase", "iat": .int(now), "exp": .int(now + 10 * 365 * 86_400), "role": role,
            ]
            do {
                return try TestTokens.hs256(claims, secret: world.secret)
            } catch {
                throw ConformanceFailure("the keys cannot be made: \(error.text)")
            }
        }
        let made = CallerKeys(anonymous: try key("anon"), service: try key("service_role"))
        return CallerKeys(anonymous: keys.anonymous ?? made.anonymous, service: keys.service ?? made.service)
    }

    static func noAddress(_ url: String) -> ConformanceFailure {
        ConformanceFailure("\"\(url)\" is no address of a server, such as http://127.0.0.1:8000")
    }

    /// Whether the servers that run already answer at all; what is odd about how they do.
    @discardableResult
    func reach() throws(ConformanceFailure) -> [String] {
        guard !cases.isEmpty || !broken.isEmpty else {
            let reasons = Set(leftOut.map(\.why)).sorted(by: ExactText.precedes).joined(separator: "; ")
            throw ConformanceFailure("there is no case to run" + (reasons.isEmpty ? "" : ": \(reasons)"))
        }
        var odd: [String] = []
        for (place, prefix) in [(target, options.prefix), (reference, options.referencePrefix ?? options.prefix)] {
            guard case .running(let url)? = place?.kind else { continue }
            guard URLText(url).hostAndPort != nil else { throw Self.noAddress(url) }
            let base = RunningServer(url: url).base
            let call = HTTPCall(method: "GET", url: base + prefix + "/health", headers: [], body: nil)
            do {
                let status = try world.caller.send(call).status
                if status == 404 { odd.append("GET \(base)\(prefix)/health answers 404: is the prefix right?") }
            } catch {
                throw ConformanceFailure("no server answers at \(base): \(error)")
            }
        }
        return odd
    }

    /// Runs every case; `print` is told each result as it comes.
    func run(print: (String) -> Void) -> [CaseResult] {
        var results: [CaseResult] = []
        func take(_ result: CaseResult) {
            results.append(result)
            let text = TextReport.line(result, isBrief: options.isBrief)
            if !text.isEmpty { print(text) }
        }
        for one in broken { take(.notRun(id: one.file, title: one.file, file: one.file, why: one.reason)) }
        for one in cases {
            if let why = one.unknownKind ?? gone {
                take(.notRun(id: one.id, title: one.title, file: one.file, why: why))
            } else {
                take(reference == nil ? recorded(one) : live(one))
            }
        }
        target.close()
        reference?.close()
        return results
    }

    // MARK: One case

    private typealias Story = (seen: [CaseRun.Observation], stop: (step: CaseStep?, why: StepStop)?)

    /// Runs a case once against one server.
    private func story(_ one: ConformanceCase, on place: ServerPlace, isReference: Bool = false) -> Story {
        let server: any ServerUnderTest
        do {
            server = try place.server(for: one)
        } catch {
            return ([], (nil, place.neverStarted ? .notRun("\(error)") : .failed("\(error)")))
        }
        world.reset()
        let prefix = isReference ? options.referencePrefix ?? options.prefix : options.prefix
        let run = CaseRun(
            one, world: world, server: server, prefix: prefix, keys: isReference ? referenceKeys : keys)
        let (seen, stop) = run.run()
        guard let stop, stop.why.kind == .failed else { return (seen, stop.map { ($0.step, $0.why) }) }
        if stop.why.isSilence { gone = place.gone(prefix: prefix) ?? gone }
        let launched = server as? LaunchedServer
        // A server that crashed hangs up a moment before it is over.
        if stop.why.isSilence, launched != nil { Threads.rest(seconds: 0.1) }
        guard let ending = launched?.ending else { return (seen, (stop.step, stop.why)) }
        return (seen, (stop.step, .failed("\(stop.why.text); \(ending)")))
    }

    private func result(_ one: ConformanceCase, _ story: Story) -> CaseResult {
        var result = CaseResult(id: one.id, title: one.title, file: one.file)
        result.stop = story.stop?.why.text
        result.stopLabel = story.stop?.step?.label
        for observation in story.seen { result.compared[observation.step.endpoint, default: 0] += 1 }
        return result
    }

    private func add(
        _ differences: [Difference], to result: inout CaseResult, step: CaseStep, want: JSONValue, seen: JSONValue
    ) {
        guard !differences.isEmpty else { return }
        let marked = differences.map { difference in
            var difference = difference
            if difference.standing == .counts,
                let why = known.reason(difference, id: result.id, step: step, want: want, seen: seen)
            {
                difference.standing = .known(why)
            }
            return difference
        }
        result.findings.append(
            .init(step: step.number, label: step.label, endpoint: step.endpoint, differences: marked))
    }

    /// Against the answers in the case file.
    private func recorded(_ one: ConformanceCase) -> CaseResult {
        let story = story(one, on: target)
        var result = result(one, story)
        for observation in story.seen {
            let step = observation.step
            let want = step.fields["expect"] ?? "<any>"
            let isPartial = step.fields["partial"]?.bool ?? one.isPartial
            let found = Matcher.compare(step, want: want, seen: observation.seen, isPartial: isPartial)
            add(found, to: &result, step: step, want: want, seen: observation.seen)
        }
        result.judge(acceptsKnown: options.acceptsKnown, stopKind: story.stop?.why.kind)
        return result
    }

    /// Against another server; what that one answers differently a second time is noise.
    private func live(_ one: ConformanceCase) -> CaseResult {
        guard let reference else { return recorded(one) }
        let first = story(one, on: reference, isReference: true)
        let story = story(one, on: target)
        let second = self.story(one, on: reference, isReference: true)
        var result = result(one, story)
        var again: [Int: JSONValue] = [:]
        for observation in second.seen { again[observation.step.number] = observation.seen }
        var wanted: [Int: JSONValue] = [:]
        for observation in first.seen { wanted[observation.step.number] = observation.seen }
        for observation in story.seen {
            let step = observation.step
            guard let want = wanted[step.number] else { continue }
            var found = Matcher.compare(step, want: want, seen: observation.seen, isPartial: false)
            let noise = again[step.number].map { Matcher.differences(want, $0) } ?? []
            for index in found.indices where found[index].standing == .counts {
                if noise.contains(where: { found[index].isWithin($0.path) }) { found[index].standing = .noise }
            }
            add(found, to: &result, step: step, want: want, seen: observation.seen)
        }
        var stopKind = story.stop?.why.kind
        if let stop = first.stop, story.stop == nil || story.stop?.why.kind == .failed,
            stop.step?.number ?? 0 <= story.stop?.step?.number ?? .max
        {
            // Where the reference itself cannot go on, nothing more is said about the target.
            result.stop = "the reference: \(stop.why.text)"
            result.stopLabel = stop.step?.label
            stopKind = .notRun
        }
        result.judge(acceptsKnown: options.acceptsKnown, stopKind: stopKind)
        return result
    }
}
