import Testing

@testable import Settings

@Suite("What drawbridge check prints")
struct ReportTests {
    private func lines(_ environment: [String: String]) throws -> [String] {
        var layers = SettingLayers()
        layers.add(environment: environment)
        let judged = try JudgedSettings(layers)
        let text = SettingsReport.text(judged, try SettingsReader(judged).settings())
        return text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
    }

    @Test("the policy's own values are shown, not those of the reference")
    func presets() throws {
        let name = "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL"
        #expect(try lines([:]).contains("\(name) = 10  (default)"))
        #expect(try lines(["DRAWBRIDGE_POLICY": "supabase"]).contains("\(name) = 0  (default)"))
        #expect(try lines([name: "7"]).contains("\(name) = 7  (environment)"))
        #expect(try lines([:]).contains("DRAWBRIDGE_PREVENT_ENUMERATION = true  (default)"))
        #expect(
            try lines(["DRAWBRIDGE_POLICY": "supabase"]).contains("DRAWBRIDGE_USER_METADATA_MAX = none  (default)"))
    }

    @Test("a value that is held to its bounds is shown as it counts, with what was written")
    func bounds() throws {
        #expect(
            try lines(["GOTRUE_PASSWORD_MIN_LENGTH": "3"])
                .contains("GOTRUE_PASSWORD_MIN_LENGTH = 6  (environment says \"3\")"))
        #expect(
            try lines(["GOTRUE_MAILER_AUTOCONFIRM": "true"])
                .contains("GOTRUE_RATE_LIMIT_EMAIL_SENT = unlimited  (default)"))
    }

    @Test("addresses and links are shown as they are made")
    func addresses() throws {
        let lines = try lines(["PORT": "9000"])
        #expect(lines.contains("DRAWBRIDGE_LISTEN = 127.0.0.1:9000  (default)"))
        #expect(lines.contains("GOTRUE_API_API_EXTERNAL_URL = http://127.0.0.1:9000/auth/v1  (default)"))
        #expect(lines.contains("GOTRUE_MAILER_URLPATHS_CONFIRMATION = verify  (default)"))
    }

    @Test("a secret is never shown")
    func secrets() throws {
        let text = try lines(["GOTRUE_JWT_SECRET": "a-secret-of-thirty-two-characters", "SMTP_PASS": "hidden-too"])
            .joined(separator: "\n")
        #expect(!text.contains("a-secret-of") && !text.contains("hidden-too") && text.contains("(redacted)"))
    }

    @Test("every setting is found by any of its names, also where two settings share one")
    func names() throws {
        let found = try lines(["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "KONG_HTTP_PORT": "7000"])
        #expect(found.contains { $0.hasPrefix("GOTRUE_TRACING_OTEL_EXPORTER_OTLP_PROTOCOL = grpc") })
        #expect(found.contains { $0.hasPrefix("GOTRUE_METRICS_OTEL_EXPORTER_OTLP_PROTOCOL = grpc") })
        #expect(found.contains { $0.hasPrefix("GOTRUE_API_PORT = 7000") })
    }
}
