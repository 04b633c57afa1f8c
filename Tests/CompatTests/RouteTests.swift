import Backend
import Bytes
import Compat
import JSON
import Testing

/// A request that no route takes, and what it is answered under the reference's rules.
struct Miss: Sendable, CustomTestStringConvertible {
    let method: String
    let path: String
    let status: Int
    var allow: String?
    var bearer: String?
    var testDescription: String { "\(method) \(path)" }

    static let all = [
        Miss(method: "GET", path: "/nothing", status: 404), Miss(method: "GET", path: "/", status: 404),
        Miss(method: "GET", path: "", status: 404), Miss(method: "GET", path: "/Settings", status: 404),
        Miss(method: "GET", path: "//settings", status: 404), Miss(method: "GET", path: "/settings/", status: 404),
        Miss(method: "GET", path: "/health/", status: 404), Miss(method: "POST", path: "/token/password", status: 404),
        Miss(method: "POST", path: "/logout/", status: 404),
        Miss(method: "GET", path: "/signup", status: 405, allow: "POST"),
        Miss(method: "PUT", path: "/verify", status: 405, allow: "GET, POST"),
        Miss(method: "HEAD", path: "/health", status: 405, allow: "GET"),
        Miss(method: "OPTIONS", path: "/signup", status: 405, allow: "POST"),
        Miss(method: "FETCH", path: "/signup", status: 405), Miss(method: "get", path: "/health", status: 405),
        Miss(method: "FETCH", path: "/nothing", status: 405),
        Miss(method: "GET", path: "/logout", status: 405, allow: "POST", bearer: "t"),
        Miss(method: "DELETE", path: "/user", status: 405, allow: "GET, PUT", bearer: "t"),
        Miss(method: "DELETE", path: "/user", status: 401), Miss(method: "GET", path: "/user/nothing", status: 401),
        Miss(method: "GET", path: "/user/nothing", status: 404, bearer: "t"),
        Miss(method: "GET", path: "/admin/nothing", status: 401),
        Miss(method: "GET", path: "/factors/x/y", status: 401),
        Miss(method: "GET", path: "/admin/nothing", status: 404, bearer: "t"),
        Miss(method: "GET", path: "/admin/users/a/b", status: 404, bearer: "t"),
        Miss(method: "PATCH", path: "/admin/users/x", status: 405, allow: "DELETE, GET, PUT", bearer: "t"),
        Miss(method: "PUT", path: "/admin/users", status: 405, allow: "GET, POST", bearer: "t"),
        Miss(method: "GET", path: "/userland", status: 404),
    ]
}

@Suite("Routes")
struct RouteTests {
    @Test("paths and methods that do not exist, and where the bearer is asked for first", arguments: Miss.all)
    func misses(_ miss: Miss) async {
        let answer = await Rig().send(miss.method, miss.path, bearer: miss.bearer)
        #expect(answer.status == miss.status)
        #expect(answer.header("allow") == miss.allow)
        #expect(answer.header("content-type") == "application/json")
        #expect(answer.message != nil)
    }

    @Test("a wrong method of /logout is told without a bearer, as the reference's router does")
    func wrongMethodOfLogout() async {
        #expect(await Rig().send("GET", "/logout", bearer: nil).status == 405)
    }

    @Test("slashes at the end and several of them are accepted where that is allowed")
    func slashes() async {
        let rig = Rig(options: .sovaria)
        for path in ["/settings/", "//settings", "/health/", "/user/", "/admin/users/", "/admin/users/\(Fixtures.id)/"]
        {
            #expect(await rig.send("GET", path).status == 200, "\(path)")
        }
        for path in ["/user/", "/verify/?type=signup&token=x", "/admin/users/"] {
            #expect([200, 303].contains(await Rig().send("GET", path).status), "\(path)")
        }
    }

    @Test("HEAD is GET where that is allowed, and never opens a link")
    func head() async {
        let rig = Rig(options: .sovaria)
        #expect(await rig.send("HEAD", "/settings").status == 200)
        #expect(await rig.send("HEAD", "/user").status == 200)
        let link = await rig.send("HEAD", "/verify?token=x&type=signup")
        #expect(link.status == 405)
        #expect(link.header("location") == nil)
        #expect(await rig.send("HEAD", "/signup").header("allow") == "POST")
        #expect(await rig.send("DELETE", "/settings").header("allow") == "GET, HEAD")
        #expect(!rig.backend.noted.calls.contains("openLink"))
    }

    @Test("PATCH is PUT on /user always, on a user of the administrator where that is allowed")
    func patch() async {
        for options in [CompatOptions.supabase, .sovaria] {
            let rig = Rig(options: options)
            #expect(await rig.send("PATCH", "/user", #"{"data":{"a":1}}"#).status == 200)
            #expect(rig.backend.noted.update?.userMetadata?["a"] == 1)
        }
        let rig = Rig(options: .sovaria)
        #expect(await rig.send("PATCH", "/admin/users/\(Fixtures.id)", #"{"role":"x"}"#).status == 200)
        #expect(rig.backend.noted.calls.last == "adminUpdateUser")
    }

    @Test(
        "where no API key is asked for",
        arguments: [
            ("/verify", true), ("/callback", true), ("/authorize", true), ("/health", true),
            ("/.well-known/jwks.json", true), ("/.well-known/openid-configuration", true), ("/sso/saml/acs", true),
            ("/sso/saml/metadata", true), ("/oauth/token", true), ("/oauth/clients/register", true),
            ("/verifyX", false), ("/verify/", true), ("/sso", false), ("/oauth/authorizations/x", false),
            ("/settings", false), ("/token", false), ("/user", false), ("/admin/users", false), ("/nothing", false),
        ])
    func openPaths(path: String, isOpen: Bool) {
        #expect(Rig().api.route(method: "GET", path: path).isOpen == isOpen)
    }

    @Test("what needs no backend is answered at once, everything else is not")
    func atOnce() {
        let api = Rig().api
        #expect(api.answerAtOnce(WireRequest(method: "GET", path: "/health"))?.status == 200)
        #expect(api.answerAtOnce(WireRequest(method: "GET", path: "/nothing"))?.status == 404)
        #expect(api.answerAtOnce(WireRequest(method: "GET", path: "/token"))?.status == 405)
        for path in ["/settings", "/user", "/admin/nothing"] {
            #expect(api.answerAtOnce(WireRequest(method: "GET", path: path)) == nil)
        }
        #expect(api.route(method: "GET", path: "/admin/users/\(Fixtures.id)").template == "/admin/users/{id}")
        #expect(api.route(method: "GET", path: "/no/such").template == "unknown")
    }

    @Test("health, settings and keys look as clients expect")
    func publicRoutes() async {
        let rig = Rig()
        let health = await rig.send("GET", "/health")
        #expect(
            health.text == #"{"version":"unknown version","name":"GoTrue","#
                + #""description":"GoTrue is a user registration and authentication API"}"#)
        let settings = await rig.send("GET", "/settings")
        #expect(settings.json["external"]?.object?.count == 26)
        #expect(settings.json["external"]?["keycloak"] == true)
        #expect(settings.json["external"]?["google"] == false)
        #expect(settings.json["mailer_autoconfirm"] == true)
        #expect(settings.json["sms_provider"] == "")
        let keys = await rig.send("GET", "/.well-known/jwks.json")
        #expect(keys.text == #"{"keys":[]}"#)
        #expect(keys.header("cache-control") == "public, max-age=600")
    }

    @Test(
        "the bearer is one token after the word in any case and one blank; a new-style key is none",
        arguments: [
            ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER abc", "abc"), ("Bearer  abc", nil), ("Bearer", nil),
            ("Bearer ", nil), ("Bearer abc x", nil), ("abc", nil), ("Basic dXNlcg==", nil), ("Token abc", nil),
            ("Bearer abc\t", nil), ("Bearer sb_publishable_x", nil), ("Bearer sb_secret_x", nil), ("", nil),
        ])
    func bearers(header: String, token: String?) async {
        let rig = Rig()
        let answer = await rig.send("GET", "/user", bearer: nil) { $0.authorization = header }
        #expect(answer.status == (token == nil ? 401 : 200))
        #expect(rig.backend.noted.context?.bearer?.exposed == token)
    }

    @Test("a secret key alone, or repeated as the bearer, is an administrator")
    func secretKeys() async {
        for bearer in [nil, "sb_secret_x"] {
            let rig = Rig()
            let answer = await rig.send("GET", "/admin/users", bearer: bearer) { $0.keyRole = .service }
            #expect(answer.status == 200)
            #expect(rig.backend.noted.context?.keyRole == .service)
        }
    }

    @Test("a key for everybody alone is no bearer: 401 on what wants a user or an administrator")
    func publicKeys() async {
        for path in ["/user", "/admin/users"] {
            let rig = Rig()
            let answer = await rig.send("GET", path, bearer: nil) { $0.keyRole = .anonymous }
            #expect(answer.status == 401)
            #expect(answer.json["error_code"] == "no_authorization")
            #expect(rig.backend.noted.context?.keyRole == APIKeyRole.none)
        }
    }

    @Test("what a rule needs of a request is handed on: header before query, empty as absent")
    func contexts() async {
        let rig = Rig()
        _ = await rig.send("POST", "/signup?redirect_to=https%3A%2F%2Fapp.example.com%2Fa%2Bb", "{}") {
            $0.referer = "https://app.example.com/ref"
            $0.jwtAudience = ""
            $0.clientAddress = "198.51.100.7"
            $0.forwardedHost = "auth.example.com"
        }
        var context = rig.backend.noted.context
        #expect(context?.redirect.explicit == "https://app.example.com/a+b")
        #expect(context?.redirect.referrer == "https://app.example.com/ref")
        #expect(context?.requestedAudience == nil)
        #expect(context?.clientAddress == "198.51.100.7")
        #expect(context?.forwardedHost == "auth.example.com")
        _ = await rig.send("POST", "/signup?redirect_to=https://query", "{}") {
            $0.redirectTo = "https://header"
            $0.jwtAudience = "other"
        }
        context = rig.backend.noted.context
        #expect(context?.redirect.explicit == "https://header")
        #expect(context?.requestedAudience == "other")
    }

    @Test("a broken query costs its broken pieces alone")
    func brokenQueries() async {
        let rig = Rig()
        _ = await rig.send("GET", "/verify?type=signup&x=%zz&token=abc&a;b=1")
        #expect(rig.backend.noted.link?.type == "signup")
        #expect(rig.backend.noted.link?.token.exposed == "abc")
    }

    @Test("every limit is taken where it belongs, and a call over it is 429 with Retry-After")
    func limits() async {
        let cases: [(String, String, String, RateLimitBucket)] = [
            ("POST", "/signup", #"{"email":"a"}"#, .signUp), ("POST", "/signup", "{}", .anonymousSignIn),
            ("POST", "/token?grant_type=refresh_token", "x", .token), ("POST", "/token?grant_type=pkce", "x", .token),
            ("POST", "/token?grant_type=web3", "x", .web3), ("POST", "/verify", "x", .verify),
            ("GET", "/verify", "", .verify), ("PUT", "/user", "x", .updateUser),
        ]
        for (method, target, body, bucket) in cases {
            let rig = Rig(limits: ScriptedLimits(empty: [bucket]))
            let answer = await rig.send(method, target, body)
            #expect(answer.status == 429, "\(target)")
            #expect(answer.header("retry-after") == "2")
            #expect(answer.json["error_code"] == "over_request_rate_limit")
            #expect(rig.limits.taken == ["\(bucket.rawValue) client"])
            let nobody = Rig(limits: ScriptedLimits(empty: [bucket]))
            #expect(await nobody.send(method, target, body) { $0.rateLimitKey = nil }.status != 429)
        }
        let free = Rig()
        for target in ["/user", "/settings", "/health", "/admin/users"] { _ = await free.send("GET", target) }
        _ = await free.send("POST", "/token?grant_type=nonsense", "{}")
        _ = await free.send("POST", "/logout")
        _ = await free.send("PUT", "/user", "{}", bearer: nil)
        #expect(free.limits.taken.isEmpty)
    }
}
