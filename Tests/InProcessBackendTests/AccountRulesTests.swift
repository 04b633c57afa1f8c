import Backend
import Bytes
import JSON
import Testing

@testable import InProcessBackend

@Suite("Rules of accounts")
struct AccountRulesTests {
    private static func faults(_ password: String, _ policy: Policy) -> [String]? {
        do throws(AuthError) {
            try PasswordRules(policy).check(Password(password))
            return nil
        } catch {
            return error.reason == .passwordTooLong ? ["long"] : error.weakPasswordReasons
        }
    }

    @Test(
        "passwords by length in bytes",
        arguments: [
            ("12345", ["length"]), ("123456", nil), ("", ["length"]), ("ééé", nil),
            (String(repeating: "x", count: 72), nil), (String(repeating: "x", count: 73), ["long"]),
        ])
    func lengths(_ password: String, _ expected: [String]?) {
        #expect(Self.faults(password, Policy()) == expected)
    }

    @Test("passwords need a character of each set, and every fault is told")
    func sets() throws {
        var policy = Policy()
        policy.passwordLengthMin = 8
        policy.passwordCharacterSets = ["abc", "123", ":"]
        #expect(Self.faults("abcd123:", policy) == nil)
        #expect(Self.faults("abcd1234", policy) == ["characters"])
        #expect {
            try PasswordRules(policy).check(Password("xyz"))
        } throws: { error in
            (error as? AuthError)?.arguments == [
                "Password should be at least 8 characters. "
                    + "Password should contain at least one character of each: abc, 123, :."
            ]
        }
    }

    private static func flowFault(_ challenge: String?, _ method: String?) -> AuthError.Reason? {
        do throws(AuthError) {
            _ = try PKCERules.flow(PKCEChallenge(challenge: challenge, method: method))
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("PKCE challenges")
    func challenges() throws {
        let good = String(repeating: "a", count: 43)
        #expect(Self.flowFault(nil, nil) == nil)
        #expect(Self.flowFault("", "") == nil)
        #expect(Self.flowFault(good, nil) == .pkceIncomplete)
        #expect(Self.flowFault(nil, "s256") == .pkceIncomplete)
        #expect(Self.flowFault("short", "s256") == .pkceChallengeLength)
        #expect(Self.flowFault(String(repeating: "a", count: 129), "s256") == .pkceChallengeLength)
        #expect(Self.flowFault(good + "+", "s256") == .pkceChallengeCharacters)
        #expect(Self.flowFault(good, "md5") == .pkceMethodInvalid)
        let flow = try #require(try PKCERules.flow(PKCEChallenge(challenge: good, method: "S256")))
        #expect(flow.method == .s256)
    }

    @Test("metadata merges at the top level, and null removes")
    func metadata() throws {
        let stored = try JSONText(#"{"a":1,"b":{"x":1,"y":2},"big":12345678901234567890}"#)
        let merged = Metadata.merged(stored, with: ["a": .null, "b": ["x": 9], "c": ""])
        #expect(merged.description == #"{"b":{"x":9},"big":12345678901234567890,"c":""}"#)
        #expect(throws: AuthError.self) { try Metadata.check(["a": ["b": [["c\u{0}": 1]]]]) }
        #expect(throws: AuthError.self) { try Metadata.check(["a": "\u{0}"]) }
        try Metadata.check(["a": "b", "c": [.null, true, 1]])
    }

    @Test("the send interval, second by second", arguments: [(0, "60"), (1, "59"), (59, "1"), (60, nil), (61, nil)])
    func interval(_ elapsed: Int, _ left: String?) {
        let sent = Timestamp(unixSeconds: 1000)
        var found: String?
        do throws(AuthError) {
            try SendInterval(interval: .seconds(60)).check(
                lastSent: sent, now: sent + .seconds(elapsed), .emailSendInterval)
        } catch {
            found = error.arguments.first
        }
        #expect(found == left)
    }

    /// Which of the sends at these seconds are let through.
    private static func sends(_ limit: SendLimit, at seconds: [Int]) -> [Bool] {
        var budget = SendBudget(limit)
        return seconds.map { budget.take(at: Timestamp(unixSeconds: 5000) + .seconds($0)) }
    }

    @Test("the hourly budget is a fixed window")
    func window() {
        #expect(
            Self.sends(.perHour(2), at: [0, 1800, 3599, 3600, 3601, 3602]) == [true, true, false, true, true, false])
        #expect(Self.sends(.perHour(0), at: [0]) == [false])
        #expect(SendBudget(.perHour(0)).isClosed)
        #expect(Self.sends(.unlimited, at: [0, 0, 0]) == [true, true, true])
    }

    @Test("the bucket gains one at a time")
    func bucket() {
        let limit = SendLimit.bucket(2, gainsOneEvery: .seconds(60))
        #expect(
            Self.sends(limit, at: [0, 0, 59, 61, 62, 300, 300, 300]) == [
                true, true, false, true, false, true, true, false,
            ])
    }

    @Test("codes are stored as the reference stores them")
    func codeHash() {
        let code = OneTimeCode("123456")
        let hash = "a3f3debf8d4c206eac18c518ad464512d0033123760f8a2c42a1110c"
        #expect(code.hash(for: "test@example.com") == hash)
        #expect(code.hash(for: "15555550100") == "ce610a77a8d0ae6fc49c37d96afd8f823ad1fe330d9d0f7f059fc8ab")
        #expect(code.matches(hash, for: "test@example.com"))
        #expect(code.matches("pkce_" + hash, for: "test@example.com"))
        #expect(!code.matches("", for: "test@example.com"))
        #expect(!code.matches(hash, for: "other@example.com"))
    }

    @Test(
        "links are resolved against the external URL",
        arguments: [
            (nil, "http://127.0.0.1:8000/auth/v1", "http://127.0.0.1:8000/auth/v1/verify"),
            (nil, "http://127.0.0.1:8000", "http://127.0.0.1:8000/verify"),
            (nil, "https://x.example/auth/v1/", "https://x.example/auth/v1/verify"),
            ("/verify", "https://x.example/auth/v1", "https://x.example/verify"),
            ("/auth/v1/verify?lang=en", "https://x.example", "https://x.example/auth/v1/verify"),
            ("confirm", "https://x.example", "https://x.example/confirm"),
            ("confirm", "https://x.example/a/b", "https://x.example/a/confirm"),
            ("https://y.example/go", "https://x.example/a/b", "https://y.example/go"),
        ] as [(String?, String, String)])
    func linkPaths(_ path: String?, _ base: String, _ expected: String) {
        #expect(LinkBuilder.resolve(path, against: base) == expected)
    }

    @Test("a link carries its target escaped, and the host by which the client came when it is ours")
    func links() {
        var policy = Policy()
        policy.externalURL = "https://x.example/auth/v1"
        policy.externalHosts = ["login.example.com", "localhost"]
        let builder = LinkBuilder(policy)
        var context = RequestContext()
        let target = "https://app.example.com/a+b%20c"
        let query = "?token=pkce_ab&type=signup&redirect_to=https%3A%2F%2Fapp.example.com%2Fa%2Bb%2520c"
        let plain = builder.link(.signUp, token: "pkce_ab", redirectTo: target, context)
        #expect(plain == "https://x.example/auth/v1/verify" + query)
        context.forwardedHost = "login.example.com"
        context.forwardedProto = "http"
        #expect(
            builder.link(.signUp, token: "pkce_ab", redirectTo: target, context)
                == "https://login.example.com/auth/v1/verify" + query)
        context.forwardedHost = "localhost"
        #expect(builder.baseURL(context) == "http://localhost/auth/v1")
        context.forwardedHost = "evil.example.net"
        #expect(builder.baseURL(context) == "https://x.example/auth/v1")
    }
}
