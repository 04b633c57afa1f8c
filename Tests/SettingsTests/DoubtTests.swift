import Bytes
import Testing

@testable import Settings

@Suite("What is set and hardly meant")
struct DoubtTests {
    private func warnings(_ environment: [String: String]) throws -> [String] {
        var layers = SettingLayers()
        layers.add(environment: environment)
        let judged = try JudgedSettings(layers)
        _ = try SettingsReader(judged).settings()
        return SettingDoubts(judged, canRead: { $0 == "/here.pem" }, isPattern: { !$0.contains("{") }).warnings
    }

    private static func token(_ role: String) -> String {
        "e30." + Base64.encodeURL(Array(#"{"role":"\#(role)"}"#.utf8)) + ".c2ln"
    }

    @Test("nothing is said of what is as it should be")
    func sound() throws {
        #expect(try warnings([:]).isEmpty)
        let found = try warnings([
            "ANON_KEY": Self.token("anon"), "SERVICE_ROLE_KEY": Self.token("service_role"),
            "SUPABASE_PUBLISHABLE_KEY": "sb_publishable_x", "SUPABASE_SECRET_KEY": "sb_secret_x",
            "JWT_SECRET": String(repeating: "s", count: 32), "SSL_CERT_FILE": "/here.pem",
            "GOTRUE_URI_ALLOW_LIST":
                "https://*.example.com/**,com.example.app://**,http*//x,**,https?//x.example/*,[a-z]*//y/*",
        ])
        #expect(found.isEmpty)
    }

    @Test(
        "each doubt begins with the name as it was written",
        arguments: [
            (
                "ANON_KEY", "x",
                "is neither a JWT nor a key that begins with sb_publishable_; it is compared as it stands"
            ),
            (
                "SUPABASE_ANON_KEY", "a.b.c",
                "is neither a JWT nor a key that begins with sb_publishable_; it is compared as it stands"
            ),
            ("ANON_KEY", "sb_secret_x", "begins with sb_secret_, as keys of the other role do"),
            ("SUPABASE_SECRET_KEY", "sb_publishable_x", "begins with sb_publishable_, as keys of the other role do"),
            ("ANON_KEY", token("service_role"), #"is a JWT of the role "service_role" and not of "anon""#),
            ("SERVICE_ROLE_KEY", token("anon"), #"is a JWT of the role "anon" and not of "service_role""#),
            ("JWT_SECRET", "short", "has 5 bytes; one of fewer than 32 can be guessed from any token"),
            (
                "SSL_CERT_FILE", "/gone.pem",
                "the file /gone.pem cannot be read; no other server's certificate will be trusted"
            ),
            (
                "GOTRUE_URI_ALLOW_LIST", "https://a.example/**,https://{b",
                #""https://{b" is not a pattern and matches nothing"#
            ),
            (
                "ADDITIONAL_REDIRECT_URLS", "*.example.com",
                #""*.example.com" begins with no scheme such as https:// and matches no URL"#
            ),
            (
                "ADDITIONAL_REDIRECT_URLS", "app.example.com/**",
                #""app.example.com/**" begins with no scheme such as https:// and matches no URL"#
            ),
        ])
    func doubts(name: String, value: String, told: String) throws {
        #expect(try warnings([name: value]) == ["\(name): \(told)"])
    }

    @Test("no secret is in what is said")
    func secrets() throws {
        let found = try warnings(["JWT_SECRET": "hush-hush", "SERVICE_ROLE_KEY": "hush-hush"])
        #expect(found.count == 2 && !found.contains { $0.contains("hush") })
    }

    @Test("one key for both roles stops the start")
    func sameKey() throws {
        #expect(throws: SettingsError(["SERVICE_ROLE_KEY: is the same as ANON_KEY"])) {
            try warnings(["ANON_KEY": "sb_publishable_x", "SERVICE_ROLE_KEY": "sb_publishable_x"])
        }
    }

    @Test(
        "what is no host's name stops the start",
        arguments: ["a b", "smtp://mail", "mail:587", "mail.example.com/", "[mail]", "user@mail", "a\tb", " "])
    func wrongHost(text: String) throws {
        #expect(SettingKind.host.value(of: text) == nil)
    }

    @Test(
        "names and addresses are hosts, and nothing is none",
        arguments: [
            "mail", "smtp.example.com", "supabase-mail", "10.0.0.1", "::1", "[::1]", "fe80::1%e0", "pöst.example", "",
        ]
    )
    func host(text: String) throws {
        #expect(SettingKind.host.value(of: text) == .text(text))
    }
}
