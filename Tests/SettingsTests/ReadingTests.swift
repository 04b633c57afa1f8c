import Backend
import Testing

@testable import Settings

@Suite("Settings as a whole")
struct ReadingTests {
    private func read(_ environment: [String: String]) throws -> ServerSettings {
        var layers = SettingLayers()
        layers.add(environment: environment)
        return try SettingsReader(JudgedSettings(layers)).settings()
    }

    private func faults(_ environment: [String: String]) -> [String] {
        do {
            _ = try read(environment)
            return []
        } catch let error as SettingsError {
            return error.faults
        } catch {
            return ["\(error)"]
        }
    }

    @Test("with nothing set everything is as the interface says")
    func nothing() throws {
        let settings = try read([:])
        #expect(settings.listen == ListenAddress(host: "127.0.0.1", port: 8000))
        #expect(settings.policy.audience == "authenticated" && settings.policy.defaultRole == "authenticated")
        #expect(settings.policy.siteURL == "http://localhost:3000")
        #expect(settings.policy.externalURL == "http://127.0.0.1:8000/auth/v1")
        #expect(settings.policy.refreshReuseInterval == .seconds(10))
        #expect(!settings.policy.isSignUpDisabled && !settings.policy.autoconfirmsEmail)
        #expect(settings.tokens.secret == nil && settings.mail.server == nil && settings.log == nil)
        #expect(settings.rateLimits.byPeer && settings.errorsHaveDetail && settings.cors.allowsEveryHeader)
    }

    @Test(
        "a wrong value is named with what it may be",
        arguments: [
            ("DRAWBRIDGE_LOOPS", "two", "DRAWBRIDGE_LOOPS: \"two\" is not a whole number from 1 to 64"),
            ("DRAWBRIDGE_POLICY", "x", "DRAWBRIDGE_POLICY: \"x\" is not sovaria or supabase"),
            ("GOTRUE_DISABLE_SIGNUP", "yes", "GOTRUE_DISABLE_SIGNUP: \"yes\" is not true or false"),
            ("JWT_EXPIRY", "1h", "JWT_EXPIRY: \"1h\" is not a whole number from 0 to 315360000"),
            ("GOTRUE_JWT_KEYS", "secret{", "GOTRUE_JWT_KEYS: the value is not a JSON array"),
            ("DRAWBRIDGE_LOOP", "2", "DRAWBRIDGE_LOOP: there is no such setting; did you mean DRAWBRIDGE_LOOPS?"),
            ("DRAWBRIDGE_QQQQQQQQQQQQQQ", "2", "DRAWBRIDGE_QQQQQQQQQQQQQQ: there is no such setting"),
            (
                "DRAWBRIDGE_TRUSTED_PROXIES", "10.0.0.0/40",
                "DRAWBRIDGE_TRUSTED_PROXIES: \"10.0.0.0/40\" is not a list of networks such as 10.0.0.0/8,::1"
            ),
        ])
    func wrong(_ name: String, _ value: String, _ message: String) {
        #expect(faults([name: value]) == [message])
    }

    @Test(
        "what this version cannot do stops the start",
        arguments: [
            ["DATABASE_URL": "postgres://x"], ["DRAWBRIDGE_BACKEND": "remote"], ["DRAWBRIDGE_TLS_CERT": "a.pem"],
            ["GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT": "true"],
        ])
    func notBuilt(_ environment: [String: String]) {
        #expect(faults(environment).count == 1)
    }

    @Test("every fault is told at once")
    func several() {
        #expect(faults(["DRAWBRIDGE_LOOPS": "0", "GOTRUE_JWT_EXP": "x"]).count == 2)
    }

    @Test("empty values count as not set, with a warning; unknown names of the reference are one warning")
    func lax() throws {
        var layers = SettingLayers()
        layers.add(environment: [
            "GOTRUE_SMTP_PORT": "", "GOTRUE_DISABLE_SIGNUP": "", "GOTRUE_NO_SUCH": "1", "GOTRUE_OTHER_THING": "2",
        ])
        let judged = try JudgedSettings(layers)
        #expect(judged.warnings.filter { $0.contains("is empty") }.count == 2)
        #expect(judged.warnings.filter { $0.hasPrefix("unknown") }.count == 1)
    }

    @Test("defaults, env file, environment, flags: the later counts")
    func order() throws {
        var layers = SettingLayers()
        try layers.add(
            envFile: "SITE_URL=https://file.example\nGOTRUE_JWT_EXP=10\nDRAWBRIDGE_DATA=/file", path: "a.env")
        layers.add(environment: ["GOTRUE_SITE_URL": "https://env.example", "DRAWBRIDGE_DATA": "/env"])
        layers.add(flag: "--data", name: "DRAWBRIDGE_DATA", value: "/flag")
        let judged = try JudgedSettings(layers)
        let settings = try SettingsReader(judged).settings()
        #expect(settings.policy.siteURL == "https://env.example")
        #expect(settings.policy.accessTokenLifetime == .seconds(10))
        #expect(settings.dataFolder == "/flag")
        #expect(judged["GOTRUE_JWT_EXP"]?.source == .envFile("a.env"))
    }

    @Test("the names of a self-hosted installation are read")
    func selfHosted() throws {
        let settings = try read([
            "JWT_SECRET": "x", "ANON_KEY": "a", "SERVICE_ROLE_KEY": "s", "ADDITIONAL_REDIRECT_URLS": "a://**, b://*",
            "ENABLE_EMAIL_AUTOCONFIRM": "true", "DISABLE_SIGNUP": "true", "SMTP_HOST": "mail", "SMTP_PORT": "2500",
            "KONG_HTTP_PORT": "9000", "GOOGLE_ENABLED": "true", "API_EXTERNAL_URL": "http://localhost:8000",
        ])
        #expect(settings.policy.redirectPatterns == ["a://**", "b://*"])
        #expect(settings.policy.autoconfirmsEmail && settings.policy.isSignUpDisabled)
        #expect(settings.mail.server?.port == 2500 && settings.listen.port == 9000)
        #expect(settings.keys.anonymous.count == 1 && settings.keys.service.count == 1)
        #expect(settings.enabledProviders == ["email", "google"])
        #expect(settings.policy.externalURL == "http://localhost:8000")
    }

    @Test("the preset of the reference turns our own rules off, each can be turned on again")
    func presets() throws {
        let reference = try read(["DRAWBRIDGE_POLICY": "supabase"])
        #expect(reference.policy.userMetadataBytesMax == nil && !reference.errorsHaveDetail)
        #expect(!reference.rateLimits.byPeer && !reference.cors.allowsEveryHeader)
        let mixed = try read(["DRAWBRIDGE_POLICY": "supabase", "DRAWBRIDGE_PREVENT_ENUMERATION": "true"])
        #expect(mixed.policy.preventsEnumeration)
        let plain = try read(["DRAWBRIDGE_PREVENT_ENUMERATION": "false"])
        #expect(!plain.policy.preventsEnumeration)
    }

    @Test("values that the reference corrects are corrected alike")
    func corrected() throws {
        let settings = try read([
            "GOTRUE_PASSWORD_MIN_LENGTH": "3", "GOTRUE_MAILER_OTP_LENGTH": "11", "GOTRUE_JWT_EXP": "0",
            "GOTRUE_EXTERNAL_FLOW_STATE_EXPIRY_DURATION": "1s", "GOTRUE_PASSWORD_REQUIRED_CHARACTERS": #"01:a\:b"#,
            "GOTRUE_MAILER_AUTOCONFIRM": "true", "GOTRUE_MAILER_TEMPLATES_INVITE": "/t.html",
        ])
        #expect(settings.policy.passwordLengthMin == 6 && settings.policy.emailCodeLength == 6)
        #expect(settings.policy.accessTokenLifetime == .seconds(3600))
        #expect(settings.policy.flowStateLifetime == .seconds(300))
        #expect(settings.policy.passwordCharacterSets == ["01", "a:b"])
        #expect(settings.policy.emailLimit == .unlimited)
        #expect(settings.mail.templateURLs["invite"] == "http://localhost:3000/t.html")
    }

    @Test("the report shows sources and no secret")
    func report() throws {
        var layers = SettingLayers()
        layers.add(environment: [
            "GOTRUE_JWT_SECRET": "topsecret", "SERVICE_ROLE_KEY": "topsecret", "GOTRUE_SMTP_PASS": "topsecret",
            "SITE_URL": "https://user:topsecret@app.example", "GOTRUE_SMS_TEST_OTP": "1:topsecret",
        ])
        let judged = try JudgedSettings(layers)
        let report = SettingsReport.text(judged, try SettingsReader(judged).settings())
        #expect(!report.contains("topsecret"))
        #expect(report.contains("GOTRUE_JWT_SECRET = (redacted)  (environment)"))
        #expect(report.contains("DRAWBRIDGE_DATA = ./drawbridge-data  (default)"))
    }

    @Test("every default of the catalogue is a value of its kind")
    func defaults() {
        for entry in SettingCatalog().groups.flatMap(\.names) where !entry.defaultText.isEmpty {
            #expect(entry.kind.value(of: entry.defaultText) != nil, "\(entry.name)")
        }
    }
}
