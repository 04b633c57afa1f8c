import Backend
import Bytes
import Synchronization
import TestKit
import Testing

@testable import InProcessBackend

@Suite("The send interval tells no account")
struct SendIntervalTests {
    enum Call: String, CaseIterable { case recover, magicLink, code, knownCode, resend, signUp }

    /// What an address is at first, by the name in it.
    static let states = ["unknown", "unconfirmed", "confirmed"]

    static let root = Principal(userID: nil, sessionID: nil, tokenAudience: nil, role: "service_role")

    static func policy(_ policy: inout Policy) { policy.emailSendInterval = .seconds(60) }

    /// The refusal's reason and argument; "sent" where there is none.
    func answer(_ call: Call, _ email: String, _ world: MailWorld) async -> String {
        do throws(AuthError) {
            switch call {
            case .recover: try await world.recover(email)
            case .magicLink:
                var link = MagicLink()
                link.email = email
                world.clock.advance(by: .milliseconds(2))
                try await world.backend.sendMagicLink(link, world.visitor)
            case .code: try await world.sendCode(email)
            case .knownCode: try await world.sendCode(email, createsUser: false)
            case .resend: try await world.resend("signup", email: email)
            case .signUp: _ = try await world.signUp(email)
            }
            return "sent"
        } catch {
            return "\(error.reason) \(error.retryAfter.map { "\($0)" } ?? "")"
        }
    }

    func addresses(_ name: String, _ world: MailWorld) async throws -> [String] {
        for (state, isConfirmed) in [("unconfirmed", false), ("confirmed", true)] {
            var attributes = AdminUserAttributes()
            attributes.email = "\(name)-\(state)@example.com"
            attributes.confirmsEmail = isConfirmed
            _ = try await world.backend.adminCreateUser(attributes, Self.root, world.visitor)
        }
        return Self.states.map { "\(name)-\($0)@example.com" }
    }

    @Test(
        "a second request is refused for every address or for none",
        arguments: [
            (Call.recover, Call.recover, true), (.recover, .magicLink, false), (.recover, .code, false),
            (.recover, .knownCode, true), (.recover, .resend, true), (.recover, .signUp, true),
            (.knownCode, .magicLink, false), (.knownCode, .signUp, false), (.resend, .code, false),
            (.resend, .signUp, false), (.signUp, .signUp, false), (.signUp, .magicLink, false),
            (.signUp, .recover, true), (.magicLink, .signUp, false), (.magicLink, .magicLink, false),
        ])
    func pairs(first: Call, second: Call, isAnswered: Bool) async throws {
        try await MailWorld.use(.sovaria, Self.policy) { (world: MailWorld) async throws in
            for email in try await addresses("a", world) {
                #expect(await answer(first, email, world) == "sent", "\(email)")
                world.clock.advance(by: .seconds(29))
                let expected = isAnswered ? "sent" : "emailSendInterval 31.0 seconds"
                #expect(await answer(second, email, world) == expected, "\(email)")
                world.clock.advance(by: .seconds(60))
                #expect(await answer(second, email, world) == "sent", "\(email)")
            }
        }
    }

    @Test("so do any four requests at any times", arguments: [1, 2, 3, 4])
    func sequences(seed: UInt64) async throws {
        let random = SeededRandom(seed: seed)
        try await MailWorld.use(.sovaria, Self.policy) { (world: MailWorld) async throws in
            for number in 0..<25 {
                let steps = random.fill(8)
                let calls = steps.prefix(4).map { Call.allCases[Int($0) % Call.allCases.count] }
                let pauses = steps.suffix(4).map { [1, 20, 45, 61][Int($0) % 4] }
                var answers: [[String]] = []
                let emails = try await addresses("s\(number)", world)
                var told = Array(repeating: [String](), count: emails.count)
                for (call, pause) in zip(calls, pauses) {
                    let start = world.clock.now()
                    for (place, email) in emails.enumerated() {
                        told[place].append(await answer(call, email, world))
                        world.clock.advance(by: start.since(world.clock.now()))
                    }
                    world.clock.advance(by: .seconds(pause))
                }
                answers = told
                #expect(Set(answers).count == 1, "seed \(seed): \(calls) \(pauses): \(answers)")
            }
        }
    }

    @Test("who proves an address may go on at once")
    func proof() async throws {
        try await MailWorld.use(.sovaria, Self.policy) { (world: MailWorld) async throws in
            #expect(await answer(.signUp, "ann@example.com", world) == "sent")
            try await world.deliver()
            _ = try await world.verify("signup", world.code("ann@example.com"), "ann@example.com")
            #expect(await answer(.code, "ann@example.com", world) == "sent")
            try await world.deliver()
            #expect(world.mailer.take("ann@example.com") != nil)
        }
    }

    @Test("numbers are judged as addresses are")
    func numbers() async throws {
        let change: (inout Policy) -> Void = { $0.smsSendInterval = .seconds(60) }
        try await MailWorld.use(.sovaria, change) { (world: MailWorld) async throws in
            var attributes = AdminUserAttributes()
            attributes.phone = "15550001111"
            attributes.confirmsPhone = true
            _ = try await world.backend.adminCreateUser(attributes, Self.root, world.visitor)
            for phone in ["15550001111", "15550002222"] {
                try await world.sendCode(phone: phone, createsUser: false)
                #expect(await refusal { try await world.sendCode(phone: phone) } == .smsSendInterval)
                world.clock.advance(by: .seconds(61))
                try await world.sendCode(phone: phone)
            }
        }
    }

    @Test("the reference goes by its rows alone, and so do we where accounts may be told", arguments: [true, false])
    func reference(isReference: Bool) async throws {
        let change: (inout Policy) -> Void = {
            $0.emailSendInterval = .seconds(60)
            $0.preventsEnumeration = false
        }
        try await MailWorld.use(isReference ? .supabase : .sovaria, change) { (world: MailWorld) async throws in
            let emails = try await addresses("a", world)
            for email in emails { #expect(await answer(.recover, email, world) == "sent") }
            #expect(await answer(.magicLink, emails[0], world) == "sent")
            #expect(await answer(.magicLink, emails[1], world) == "sent")
            #expect(await answer(.magicLink, emails[2], world).hasPrefix("emailSendInterval"))
            #expect(world.backend.askedFor.withLock { $0.count } == 0)
        }
    }
}

@Suite("The memory of requests")
struct SendMemoryTests {
    let start = Timestamp(unixSeconds: 1_000_000)
    let minute: Duration = .seconds(60)

    func key(_ number: Int) -> SendMemory.Key { .init(.signIn, .email("a\(number)@example.com")) }

    @Test("a request counts for the interval, and an earlier one is not prolonged")
    func lifetime() {
        var memory = SendMemory()
        memory.note(key(1), interval: minute, at: start)
        memory.note(key(1), interval: minute, at: start + .seconds(59))
        #expect(memory.time(of: key(1), interval: minute, now: start) == start)
        #expect(memory.time(of: key(1), interval: minute, now: start + .seconds(60) - .microseconds(1)) == start)
        #expect(memory.time(of: key(1), interval: minute, now: start + .seconds(60)) == nil)
        #expect(memory.time(of: key(1), interval: minute, now: start - .seconds(1)) == nil)
        #expect(memory.time(of: key(2), interval: minute, now: start) == nil)
        memory.note(key(1), interval: minute, at: start + .seconds(61))
        #expect(memory.time(of: key(1), interval: minute, now: start + .seconds(62)) == start + .seconds(61))
        memory.forget(key(1))
        #expect(memory.time(of: key(1), interval: minute, now: start + .seconds(62)) == nil)
        memory.note(key(1), interval: .zero, at: start)
        #expect(memory.count == 0)
    }

    @Test("purposes, addresses and numbers are kept apart")
    func keys() {
        let keys: Set<SendMemory.Key> = [
            .init(.signIn, .email("15550001111")), .init(.confirmation, .email("15550001111")),
            .init(.signIn, .phone("15550001111")), .init(.confirmation, .phone("15550001111")),
        ]
        #expect(keys.count == 4)
    }

    @Test("however many are asked for, only so many are kept, the newest")
    func bounds() {
        var memory = SendMemory()
        let most = SendMemory.entriesMax
        for number in 0..<(2 * most + 10) {
            memory.note(key(number), interval: minute, at: start + .microseconds(Int64(number)))
            if number % 3 == 0 { memory.forget(key(number)) }
        }
        #expect(memory.count <= most)
        let now = start + .seconds(1)
        #expect(memory.time(of: key(2 * most + 8), interval: minute, now: now) != nil)
        #expect(memory.time(of: key(most), interval: minute, now: now) == nil)
        for _ in 0..<(3 * most) { memory.note(key(0), interval: minute, at: now); memory.forget(key(0)) }
        #expect(memory.count <= most)
    }
}
