import Backend
import Bytes
import Compat
import Crypto
import HTTP1
import JSON
import Synchronization
import Testing

@testable import Gateway

@Suite("Paths")
struct DestinationTests {
    static let cases: [(String, Destination)] = [
        ("/auth/v1/user", .auth(path: "/user", isPrefixed: true)), ("/auth/v1", .auth(path: "/", isPrefixed: true)),
        ("/auth/v1/", .auth(path: "/", isPrefixed: true)), ("//auth/v1/user", .auth(path: "/user", isPrefixed: true)),
        ("/auth/v1//user", .auth(path: "//user", isPrefixed: true)),
        ("/auth/v1x/user", .auth(path: "/auth/v1x/user", isPrefixed: false)),
        ("/user", .auth(path: "/user", isPrefixed: false)), ("//user", .auth(path: "//user", isPrefixed: false)),
        ("/rest/v1/t", .upstream(.rest)), ("/rest/v1", .upstream(.rest)), ("/pg/x", .upstream(.meta)),
        ("/pgx", .auth(path: "/pgx", isPrefixed: false)), ("/graphql/v1", .upstream(.graphql)),
        ("/healthz", .healthz), ("/readyz", .readyz), ("/metrics", .metrics), ("/inbox", .inbox("/inbox")),
        ("/inbox/messages", .inbox("/inbox/messages")), ("/inboxes", .auth(path: "/inboxes", isPrefixed: false)),
        ("/api/v1/x", .nowhere), ("/a\\b", .refused),
    ]

    @Test("prefixes end where a segment ends, double slashes count as one", arguments: cases)
    func find(_ path: String, _ wanted: Destination) {
        let bytes = Array(path.utf8)
        #expect(Destination.find(bytes.span) == wanted)
    }
}

@Suite("Cross-origin answers")
struct CORSTests {
    private func allowed(
        _ policy: CORSPolicy, _ method: String, _ headers: String?, origin: String? = "https://a.example"
    ) -> String? {
        policy.preflightFields(origin: origin, method: method, headers: headers)
            .first { $0.name == "Access-Control-Allow-Methods" }?.value
    }

    @Test("the reference's list, with apikey and PATCH")
    func reference() {
        let policy = CORSPolicy.reference(allowing: ["X-Tenant"])
        #expect(allowed(policy, "PATCH", "apikey,authorization,content-type, x-tenant") == "PATCH")
        #expect(allowed(policy, "POST", "content-type,x-unheard-of") == nil)
        #expect(allowed(policy, "TRACE", nil) == nil)
        #expect(allowed(policy, "POST", nil, origin: nil) == nil)
        #expect(policy.answerFields(hasOrigin: true).contains(HTTPField("Access-Control-Allow-Credentials", "true")))
        #expect(!policy.answerFields(hasOrigin: false).contains { $0.name.hasPrefix("Access-Control") })
    }

    @Test("our own rule allows every header and sends no credentials with a star")
    func own() {
        let policy = CORSPolicy()
        #expect(allowed(policy, "DELETE", "x-anything-at-all") == "DELETE")
        #expect(allowed(policy, "POST", "not a name") == nil)
        #expect(!policy.answerFields(hasOrigin: true).contains { $0.name == "Access-Control-Allow-Credentials" })
    }
}

@Suite("Limits for each client")
struct RateBucketTests {
    private final class Clock: Sendable {
        let time = Atomic<UInt64>(1_000)
        func advance(seconds: UInt64) { time.wrappingAdd(seconds * 1_000_000_000, ordering: .relaxed) }
    }

    @Test("burst at once, then one as often as the count says, each client and kind alone")
    func buckets() {
        let clock = Clock()
        let limit = RateLimit(count: 30, period: .seconds(300), burst: 2)
        let buckets = RateBuckets([.verify: limit, .otp: limit]) { clock.time.load(ordering: .relaxed) }
        #expect(buckets.take(.verify, key: "a") == nil && buckets.take(.verify, key: "a") == nil)
        #expect(buckets.take(.verify, key: "a") == .seconds(10))
        #expect(buckets.take(.verify, key: "b") == nil && buckets.take(.otp, key: "a") == nil)
        #expect(buckets.take(.token, key: "a") == nil)
        clock.advance(seconds: 9)
        #expect(buckets.take(.verify, key: "a") != nil)
        clock.advance(seconds: 1)
        #expect(buckets.take(.verify, key: "a") == nil && buckets.take(.verify, key: "a") != nil)
    }

    @Test("a count of none lets nobody in")
    func none() {
        let buckets = RateBuckets([.anonymousSignIn: RateLimit(count: 0, period: .seconds(3600), burst: 0)]) { 5 }
        #expect(buckets.take(.anonymousSignIn, key: "a") == .seconds(3600))
    }

    @Test("the table stays bounded and forgets full buckets first")
    func bounded() {
        let clock = Clock()
        let limit = RateLimit(count: 1, period: .seconds(1000), burst: 1)
        let buckets = RateBuckets([.verify: limit], clientsMax: 10) { clock.time.load(ordering: .relaxed) }
        for index in 0..<100 {
            clock.advance(seconds: 1)
            #expect(buckets.take(.verify, key: "client \(index)") == nil)
        }
        #expect(buckets.take(.verify, key: "client 99") != nil)
    }
}

@Suite("The client's address")
struct ClientAddressTests {
    private let trusted = [IPNetwork("10.0.0.0/8"), IPNetwork("::1")].compactMap { $0 }

    @Test(
        "the list is walked from its end, past trusted proxies",
        arguments: [
            ("192.0.2.1", "1.1.1.1", "192.0.2.1"), ("10.0.0.1", "1.1.1.1, 2.2.2.2", "2.2.2.2"),
            ("10.0.0.1", "1.1.1.1, 10.9.9.9", "1.1.1.1"), ("10.0.0.1", "10.1.1.1,10.2.2.2", "10.1.1.1"),
            ("10.0.0.1", "9.9.9.9, nonsense, 10.3.3.3", "10.3.3.3"), ("10.0.0.1", "nonsense", "10.0.0.1"),
            ("::1", "[2001:db8::7]:4711", "2001:db8::7"), ("10.0.0.1", "1.2.3.4:80", "1.2.3.4"),
        ])
    func walk(_ peer: String, _ header: String, _ wanted: String) {
        #expect(ClientAddress.find(peer: peer, forwardedFor: header, trusted: trusted) == wanted)
        #expect(ClientAddress.find(peer: peer, forwardedFor: header, trusted: []) == peer)
    }

    @Test("an IPv6 client counts by its network")
    func key() {
        #expect(ClientAddress.limitKey("2001:db8:1:2::1") == ClientAddress.limitKey("2001:db8:1:2:ffff::9"))
        #expect(ClientAddress.limitKey("2001:db8:1:2::1") != ClientAddress.limitKey("2001:db8:1:3::1"))
        #expect(ClientAddress.limitKey("1.2.3.4") == "1.2.3.4" && ClientAddress.limitKey("::ffff:1.2.3.4") == "1.2.3.4")
    }
}

@Suite("API keys")
struct KeyTests {
    private let now = Timestamp(unixSeconds: 1_800_000_000)

    private func token(_ role: String, exp: Int64? = nil, secret: String = "the secret of this test") throws -> [UInt8]
    {
        var claims: JSONObject = ["role": .string(role)]
        if let exp { claims["exp"] = .number(JSONNumber(exp)) }
        return Array(try JWTSigner(SigningKey(secret: secret)).sign(claims).utf8)
    }

    private func ring() throws -> KeyRing {
        let secret = try VerificationKey(secret: "the secret of this test")
        let old = KeyRing.Entry(
            digest: SHA.sha256(Array("old".utf8)), role: .service, id: "old", expiry: now)
        return KeyRing(
            [
                .init("anon-text", role: .anonymous, id: "anon"), .init("sb_secret_x", role: .service, id: "secret"),
                old,
            ],
            verifier: JWTVerifier(keys: [], secret: secret))
    }

    @Test("strings, tokens of the secret, and nothing else")
    func judge() throws {
        let ring = try ring()
        #expect(ring.judge(Array("anon-text".utf8), now: now)?.role == .anonymous)
        #expect(ring.judge(Array("sb_secret_x".utf8), now: now)?.id == "secret")
        #expect(ring.judge(Array("sb_secret_y".utf8), now: now) == nil)
        #expect(ring.judge(Array("old".utf8), now: now) == nil)
        #expect(ring.judge(try token("anon"), now: now)?.role == .anonymous)
        #expect(ring.judge(try token("service_role", exp: 1_800_000_010), now: now)?.role == .service)
        #expect(ring.judge(try token("service_role", exp: 1_799_999_000), now: now) == nil)
        #expect(ring.judge(try token("authenticated"), now: now) == nil)
        #expect(ring.judge(try token("anon", secret: "another secret altogether"), now: now) == nil)
    }

    @Test("the cache forgets on a change and does not outlive a token")
    func cache() throws {
        let ring = try ring()
        var cache = KeyCache(ring)
        let text = Array("anon-text".utf8)
        let short = try token("anon", exp: 1_800_000_010)
        #expect(cache.judge(text.span, now: now) != nil && cache.judge(text.span, now: now) != nil)
        #expect(cache.judge(short.span, now: now) != nil)
        #expect(cache.judge(short.span, now: now + .seconds(11)) == nil)
        ring.replace([], verifier: nil)
        #expect(cache.judge(text.span, now: now) == nil)
        let long = [UInt8](repeating: 65, count: KeyCache.keyBytesMax + 1)
        #expect(cache.judge(long.span, now: now) == nil)
    }
}

@Suite("What is logged")
struct LogTests {
    @Test(
        "query values are shown only where they are no secrets",
        arguments: [
            ("/auth/v1/verify?token=abc&type=signup", "/auth/v1/verify?token=…&type=signup"),
            ("/x?apikey=k&grant_type=password&code=1", "/x?apikey=…&grant_type=password&code=…"),
            ("/x?secretword", "/x?…"), ("/x", "/x"), ("/x?a=b?c=d", "/x?a=…"),
        ])
    func redacted(_ target: String, _ wanted: String) {
        #expect(AccessLog.redacted(target) == wanted)
    }

    @Test("a line is one line, whatever the target holds, and long ones are cut")
    func lines() {
        let buffer = LogBuffer {}
        let log = AccessLog(.json, buffer: buffer, clock: SystemClock())
        let entry = AccessLog.Entry(
            method: "GET", target: "/\"\n\u{1}" + String(repeating: "x", count: 5000),
            note: ExchangeNote(route: "/x", requestID: "id", keyID: "anon"), status: 200, bytesIn: 1, bytesOut: 2,
            nanoseconds: 1500, peer: "127.0.0.1")
        log.write(entry)
        let bytes = buffer.take()
        #expect(bytes.count < 2000 && bytes.filter { $0 == 10 }.count == 1 && bytes.last == 10)
    }

    @Test("what was behind a failure is told in one line, and only then", arguments: [AccessLog.Format.json, .text])
    func fault(_ format: AccessLog.Format) {
        let buffer = LogBuffer {}
        let log = AccessLog(format, buffer: buffer, clock: SystemClock())
        let note = ExchangeNote(route: "/x", requestID: "id")
        for note in [note, note.with(fault: "unavailable: the disk\nis full")] {
            log.write(
                AccessLog.Entry(
                    method: "GET", target: "/x", note: note, status: 503, bytesIn: 1, bytesOut: 2, nanoseconds: 1,
                    peer: "127.0.0.1"))
        }
        let lines = String(decoding: buffer.take(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2 && !lines[0].contains("unavailable") && !lines[0].contains("fault"))
        #expect(lines.last?.contains("unavailable:") == true && lines.last?.contains("is?full") == false)
    }

    @Test("a full buffer drops and counts")
    func full() {
        let woken = Atomic<Int>(0)
        let buffer = LogBuffer(bytesMax: 10) { woken.wrappingAdd(1, ordering: .relaxed) }
        for _ in 0..<5 { buffer.append([1, 2, 3, 4]) }
        #expect(buffer.dropped == 3 && buffer.take().count == 8)
        buffer.append([1])
        #expect(woken.load(ordering: .relaxed) == 2)
    }
}

@Suite("The inbox's door")
struct InboxDoorTests {
    @Test(
        "only this machine's own page",
        arguments: [
            ("localhost:8000", nil, nil, true), ("127.0.0.1", nil, nil, true), ("[::1]:8000", nil, nil, true),
            ("evil.example:8000", nil, nil, false), ("localhost.evil.example", nil, nil, false),
            ("127.0.0.1.evil.example", nil, nil, false), ("", nil, nil, false),
            ("localhost:8000", "http://localhost:8000", nil, true),
            ("localhost:8000", "https://evil.example", nil, false),
            ("localhost:8000", "null", nil, false), ("localhost:8000", nil, "cross-site", false),
            ("localhost:8000", nil, "same-origin", true),
        ] as [(String, String?, String?, Bool)])
    func own(_ host: String, _ origin: String?, _ site: String?, _ wanted: Bool) {
        #expect(InboxPage.isOwnRequest(host: host, origin: origin, fetchSite: site, access: .loopback) == wanted)
        #expect(!InboxPage.isOwnRequest(host: host, origin: origin, fetchSite: site, access: .never))
    }

    @Test("opened wide, another name may be used, but no other origin")
    func wide() {
        #expect(InboxPage.isOwnRequest(host: "box.lan", origin: nil, fetchSite: nil, access: .anyone))
        #expect(!InboxPage.isOwnRequest(host: "box.lan", origin: "http://x.y", fetchSite: nil, access: .anyone))
    }
}
