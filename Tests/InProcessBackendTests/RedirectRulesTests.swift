import Backend
import Testing

@testable import InProcessBackend

/// Whether one target is allowed.
struct RedirectCase: Sendable, CustomTestStringConvertible {
    let target: String
    let isAllowed: Bool
    var testDescription: String { "\(target) \(isAllowed ? "passes" : "is refused")" }

    static func pass(_ targets: String...) -> [RedirectCase] {
        targets.map { RedirectCase(target: $0, isAllowed: true) }
    }
    static func refuse(_ targets: String...) -> [RedirectCase] {
        targets.map { RedirectCase(target: $0, isAllowed: false) }
    }
}

@Suite("Where mails and links may lead")
struct RedirectRulesTests {
    static func rules(_ patterns: String, site: String = "https://app.example.com") -> RedirectRules {
        var policy = Policy()
        policy.siteURL = site
        policy.redirectPatterns = patterns.split(separator: ",").map(String.init)
        return RedirectRules(policy)
    }

    static let usual = "https://app.example.com/**,https://*.preview.example.com/**,exampleapp://**"

    static let recordedTargets =
        RedirectCase.pass(
            "exampleapp://callback", "exampleapp://callback/a/b?c=d", "exampleapp://callback?x=1#part",
            "https://one.preview.example.com/", "https://one.preview.example.com/a/b.html?c=d",
            "https://ONE.preview.example.com/x", "https://one.preview.example.com/a#b",
            "https://app.example.com/a b", "https://app.example.com/é", "https://app.example.com/\\x",
            "https://app.example.com/a%20b", "https://app.example.com/..//x",
            "https://xn--e1afmkfd.preview.example.com/", "https://app.example.com", "https://app.example.com/",
            "https://app.example.com/a?x=1#part", "https://user@app.example.com/a", "HTTPS://app.example.com/a",
            "http://127.0.0.1:4321/cb", "https://127.9.9.9/", "http://[::1]:3000/x")
        + RedirectCase.refuse(
            "", "exampleapp:/callback", "exampleapp:callback", "EXAMPLEAPP://callback", "otherapp://callback",
            "exampleapp2://callback", "xexampleapp://callback", "https://one.two.preview.example.com/",
            "https://preview.example.com/", "https://one.preview.example.com",
            "https://one.preview.example.com:8080/", "http://one.preview.example.com/",
            "https://one.Preview.example.com/x", "https://-.preview.example.com/",
            "https://a_b.preview.example.com/", "https://evil.example.net/.preview.example.com/",
            "https://one.preview.example.com.evil.example.net/", "http://app.example.com/",
            "https://app.example.com:8443/", "https://app.example.com:443/", "https://APP.example.com/",
            "https://app.example.com@evil.example.net/", "https://evil.example.net/?https://app.example.com/",
            "https://evil.example.net/#https://app.example.com/", "https://app-example.com/",
            "//app.example.com/", "/path", "app.example.com", "javascript:alert(1)", "data:text/html,hello",
            "https://app.example.com\\@evil.example.net/", "https:///app.example.com/",
            "https://evil.example.net\\.app.example.com/", " https://app.example.com/",
            "https://app.example.com/%zz", "https://é.preview.example.com/", "http://10.0.0.1/", "http://[fe80::1]/",
            "http://2130706433/", "https://app.example.com/\u{0}", "https://app.example.com/\n")

    @Test("recorded targets", arguments: recordedTargets)
    func recorded(_ target: RedirectCase) {
        #expect(Self.rules(Self.usual).allows(target.target) == target.isAllowed)
    }

    static let tightenedTargets =
        RedirectCase.refuse(
            "javascript://127.0.0.1/%0aalert(1)", "otherapp://127.0.0.1/",
            "https://evil?.preview.example.com/x", "https://evil#.preview.example.com/x",
            "https://evil@.preview.example.com/x", "https://evil\\.preview.example.com/x")

    @Test("what the reference lets through is refused", arguments: tightenedTargets)
    func tightened(_ target: RedirectCase) {
        #expect(!Self.rules(Self.usual).allows(target.target))
    }

    static let list =
        "https://exact.example.com/done,https://*.preview.example.com/*,https://deep.example.com/**,"
        + "https://q.example.com/p?ge,https://[!b]x.example.com/[a-c]/x,com.example.notes://cb/*"

    static let listedTargets =
        RedirectCase.pass(
            "https://exact.example.com/done", "https://exact.example.com/done#x",
            "https://one.preview.example.com/x", "https://one.preview.example.com/",
            "https://deep.example.com/a/b.c?d=e", "https://q.example.com/page", "https://ax.example.com/a/x",
            "com.example.notes://cb/x")
        + RedirectCase.refuse(
            "https://exact.example.com/done/", "https://exact.example.com/done?x=1",
            "https://exact.example.com/Done", "https://exact.example.com", "https://one.preview.example.com/x/y",
            "https://one.preview.example.com/x.html", "https://q.example.com/p.ge", "https://q.example.com/p/ge",
            "https://a.example.com/c/x", "https://ax.example.com/d/x", "https://ax.example.com/a/",
            "https://bx.example.com/a/x", "com.example.notes://cb/x/y", "comXexample.notes://cb/x")

    @Test("patterns of every kind", arguments: listedTargets)
    func listed(_ target: RedirectCase) {
        #expect(Self.rules(Self.list).allows(target.target) == target.isAllowed)
    }

    @Test("the first allowed one of explicit target and referrer wins, else the site")
    func order() {
        let rules = Self.rules(Self.usual)
        let good = "https://app.example.com/query"
        let evil = "https://evil.example.net/"
        let referrer = "https://app.example.com/ref"
        #expect(rules.target(of: RedirectCandidates(explicit: good, referrer: referrer)) == good)
        #expect(rules.target(of: RedirectCandidates(explicit: evil, referrer: referrer)) == referrer)
        #expect(rules.target(of: RedirectCandidates(explicit: evil, referrer: evil)) == "https://app.example.com")
        #expect(rules.target(of: RedirectCandidates()) == "https://app.example.com")
    }

    @Test("on a local site the port is free")
    func localPort() {
        let rules = Self.rules("", site: "http://localhost:3000")
        #expect(rules.allows("http://localhost:8080/x"))
        #expect(!rules.allows("https://localhost:3000/"))
    }

    @Test(
        "a pattern that is not well formed matches nothing",
        arguments: ["https://{a", "b}", "[", "x\\", "[!]", "[z-a]"])
    func malformed(_ pattern: String) {
        #expect(RedirectPattern(pattern) == nil)
    }

    @Test("long patterns against long texts take no time")
    func cost() throws {
        let pattern = try #require(RedirectPattern("https://a/" + String(repeating: "*a", count: 200)))
        #expect(!pattern.matches("https://a/" + String(repeating: "a", count: 2000) + "b"))
    }
}
