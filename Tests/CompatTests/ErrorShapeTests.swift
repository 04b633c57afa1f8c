import Backend
import Bytes
import JSON
import Testing

@testable import Compat

@Suite("Errors on the wire")
struct ErrorShapeTests {
    @Test("every reason has a row, and no reason has two")
    func everyReasonHasARow() {
        let rows = [
            ErrorTable.callers, ErrorTable.addresses, ErrorTable.signUps, ErrorTable.sending,
            ErrorTable.requestedMessages, ErrorTable.grants,
            ErrorTable.refreshes, ErrorTable.exchanges, ErrorTable.verifications, ErrorTable.changes,
            ErrorTable.administration, ErrorTable.failures,
        ].flatMap { $0 }
        #expect(rows.count == AuthError.Reason.allCases.count)
        for reason in AuthError.Reason.allCases { #expect(ErrorTable.rows[reason] != nil, "\(reason)") }
        for row in rows { #expect((400...599).contains(row.status), "\(row.reason)") }
    }

    @Test("a caller's mistake is never a 5xx, and none of ours is a 4xx")
    func classesOfStatus() {
        let ours: Set<AuthError.Reason> = [
            .unexpected, .unavailable, .timedOut, .remote, .passwordQueueFull, .mailNotDelivered, .smsProviderMissing,
            .leakedPasswordsUnknown,
        ]
        for reason in AuthError.Reason.allCases {
            #expect(((ErrorTable.rows[reason]?.status ?? 0) >= 500) == ours.contains(reason), "\(reason)")
        }
    }

    @Test("the initial shape has the status as code, the newer one the word, and names its version")
    func twoShapes() async {
        let rig = Rig(ScriptedBackend(failing: "signIn", with: AuthError(.invalidCredentials)))
        let old = await rig.send("POST", "/token?grant_type=password", "{}")
        #expect(old.status == 400)
        #expect(old.text == #"{"code":400,"error_code":"invalid_credentials","msg":"Invalid login credentials"}"#)
        #expect(old.header("x-sb-error-code") == "invalid_credentials")
        #expect(old.header("x-supabase-api-version") == nil)
        #expect(old.header("content-type") == "application/json")
        let new = await rig.send("POST", "/token?grant_type=password", "{}", version: "2024-01-01")
        #expect(new.text == #"{"code":"invalid_credentials","message":"Invalid login credentials"}"#)
        #expect(new.header("x-supabase-api-version") == "2024-01-01")
        #expect(new.header("x-sb-error-code") == "invalid_credentials")
    }

    @Test("what is behind a failure of ours goes to the log and not to the client; a refusal has nothing to tell")
    func faults() async {
        let full = AuthError(.unavailable, detail: "the disk is full")
        let failed = await Rig(ScriptedBackend(failing: "signIn", with: full))
            .send("POST", "/token?grant_type=password", "{}")
        #expect(failed.status == 503 && failed.fault == "unavailable: the disk is full")
        #expect(!failed.text.contains("disk"))
        let refused = await Rig(ScriptedBackend(failing: "signIn", with: AuthError(.invalidCredentials)))
            .send("POST", "/token?grant_type=password", "{}")
        #expect(refused.status == 400 && refused.fault == nil)
    }

    @Test(
        "the shape follows the version header",
        arguments: [
            ("2024-01-01", true), ("2031-12-31", true), ("2024-02-29", true), ("2023-12-31", false),
            ("latest", false), ("2024-1-1", false), ("2024-13-01", false), ("2025-02-29", false), ("", false),
            ("2024-01-01T00:00:00Z", false), ("2024-00-10", false), ("2024-01-00", false), ("2O24-01-01", false),
        ])
    func versions(header: String, isNew: Bool) {
        #expect(ErrorWriter.asksForNewShape(header) == isNew)
    }

    @Test("a weak password tells its reasons, and its code in the header in the initial version only")
    func weakPassword() async {
        let error = AuthError(
            .passwordWeak, "Password should be at least 6 characters.", weakPasswordReasons: ["length"])
        let rig = Rig(ScriptedBackend(failing: "signUp", with: error))
        let old = await rig.send("POST", "/signup", #"{"email":"a@example.com"}"#)
        #expect(
            old.text == #"{"code":422,"error_code":"weak_password","#
                + #""msg":"Password should be at least 6 characters.","weak_password":{"reasons":["length"]}}"#)
        #expect(old.header("x-sb-error-code") == "weak_password")
        let new = await rig.send("POST", "/signup", #"{"email":"a@example.com"}"#, version: "2024-01-01")
        #expect(new.json["weak_password"]?["reasons"] == ["length"])
        #expect(new.header("x-sb-error-code") == nil)
    }

    @Test("a failure with a code names the request in the initial shape; an unclassified one says nothing")
    func failures() async {
        let mail = Rig(ScriptedBackend(failing: "signUp", with: AuthError(.mailNotDelivered, "confirmation")))
        let old = await mail.send("POST", "/signup", #"{"email":"a"}"#)
        #expect(old.status == 500)
        #expect(old.json["error_id"] == "request-1")
        #expect(old.message == "Error sending confirmation email")
        #expect(old.header("x-sb-error-code") == "unexpected_failure")
        let new = await mail.send("POST", "/signup", #"{"email":"a"}"#, version: "2024-01-01")
        #expect(new.json["error_id"] == nil)
        let raw = Rig(ScriptedBackend(failing: "user", with: AuthError(.unexpected, detail: "/var/lib/secret")))
        let answer = await raw.send("GET", "/user")
        #expect(
            answer.text == #"{"code":500,"error_code":"unexpected_failure","#
                + #""msg":"Unexpected failure, please check server logs for more information"}"#)
        #expect(answer.header("x-sb-error-code") == nil)
    }

    @Test(
        "waiting is told in whole seconds, rounded up, never zero",
        arguments: [
            (Duration.milliseconds(1), "1"), (.seconds(1), "1"), (.milliseconds(1001), "2"), (.seconds(57), "57"),
            (.zero, "1"), (.seconds(-3), "1"),
        ])
    func retryAfter(delay: Duration, header: String) async {
        let error = AuthError(.emailSendInterval, "57", retryAfter: delay)
        let answer = await Rig(ScriptedBackend(failing: "signUp", with: error)).send(
            "POST", "/signup", #"{"email":"a"}"#)
        #expect(answer.status == 429)
        #expect(answer.header("retry-after") == header)
        #expect(answer.message == "For security purposes, you can only request this after 57 seconds.")
    }

    @Test("an overloaded server says 503 and when to come back, also when the backend does not")
    func overload() async {
        for reason in [AuthError.Reason.unavailable, .passwordQueueFull] {
            let answer = await Rig(ScriptedBackend(failing: "refresh", with: AuthError(reason)))
                .send("POST", "/token?grant_type=refresh_token", "{}")
            #expect(answer.status == 503)
            #expect(answer.header("retry-after") == "1")
            #expect(answer.json["error_code"] == "unexpected_failure")
        }
    }

    @Test("no 502, 503 or 504 leaves without saying when to come back, whoever made it")
    func retryable() async {
        let api = Rig(options: .sovaria).api
        let faults: [WireFault] = [
            .timedOut, .upstreamFailed, .unavailable("x", retryAfter: nil), .other(status: 504, message: "x"),
        ]
        for fault in faults {
            for version in [nil, "2024-01-01"] {
                let answer = api.failure(fault, apiVersion: version, requestID: "r")
                #expect(answer.header("retry-after") == "1", "\(fault)")
            }
        }
        let later = api.failure(.unavailable("x", retryAfter: .seconds(30)), apiVersion: nil, requestID: "r")
        #expect(later.header("retry-after") == "30")
        for status in 400...599 {
            let remote = AuthError.RemoteAnswer(status: status, code: nil, message: "So it is")
            let answer = await Rig(
                ScriptedBackend(failing: "user", with: AuthError(.remote, remote: remote)), options: .sovaria
            )
            .send("GET", "/user")
            #expect((answer.header("retry-after") != nil) == (502...504).contains(status), "\(status)")
        }
        for row in ErrorTable.rows.values where (502...504).contains(row.status) {
            let error = AuthError(row.reason)
            let answer = await Rig(ScriptedBackend(failing: "user", with: error), options: .sovaria).send(
                "GET", "/user")
            #expect(answer.header("retry-after") == "1", "\(row.reason)")
        }
        #expect(Rig().api.failure(.timedOut, apiVersion: nil, requestID: "r").header("retry-after") == nil)
    }

    @Test("what a remote server answered is handed on, but for a status that is no error's")
    func remote() async {
        func answer(_ status: Int, _ code: String?) async -> WireResponse {
            let remote = AuthError.RemoteAnswer(status: status, code: code, message: "So it is")
            return await Rig(ScriptedBackend(failing: "user", with: AuthError(.remote, remote: remote)))
                .send("GET", "/user")
        }
        let known = await answer(418, "teapot")
        #expect(known.status == 418)
        #expect(known.text == #"{"code":418,"error_code":"teapot","msg":"So it is"}"#)
        let codeless = await answer(409, nil)
        #expect(codeless.json["error_code"] == "unknown")
        #expect(codeless.header("x-sb-error-code") == nil)
        for odd in [200, 0, -1, 1000] { #expect(await answer(odd, nil).status == 500) }
    }

    @Test("with the detail on, both shapes carry it for Sovaria's clients")
    func detail() async {
        let rig = Rig(
            ScriptedBackend(failing: "update", with: AuthError(.reauthenticationNeeded)), options: .sovaria)
        for version in [nil, "2024-01-01"] {
            let answer = await rig.send("PATCH", "/user", "{}", version: version)
            #expect(answer.status == 401)
            #expect(answer.json["detail"]?["code"] == "REAUTHENTICATION_REQUIRED")
            #expect(answer.json["detail"]?["message"]?.string == answer.message)
        }
        let strict = Rig(ScriptedBackend(failing: "update", with: AuthError(.reauthenticationNeeded)))
        let answer = await strict.send("PUT", "/user", "{}")
        #expect(answer.status == 400)
        #expect(answer.json["detail"] == nil)
    }

    @Test("a blank of a sentence for which there is nothing leaves no gap")
    func blanks() {
        func text(_ error: AuthError) -> String { ErrorTable.answer(for: error, .supabase).message }
        #expect(text(AuthError(.mailNotDelivered)) == "Error sending email")
        #expect(
            text(AuthError(.smsNotDelivered, "phone_change", "no {0} today"))
                == "Error sending phone_change OTP to provider: no {0} today")
        #expect(text(AuthError(.emailRefused, "a@b")) == "Email address \"a@b\" is invalid")
    }

    @Test(
        "the gateway's own errors have the client's shape",
        arguments: [
            (WireFault.pathNotFound, 404, "not_found"),
            (.bodyTooLarge(limit: 1_048_576), 413, "request_entity_too_large"),
            (.timedOut, 504, "request_timeout"), (.tooManyRequests(retryAfter: nil), 429, "over_request_rate_limit"),
            (.malformed("x"), 400, "validation_failed"), (.headersTooLarge, 431, "headers_too_large"),
            (.other(status: 501, message: "x"), 501, "unknown"), (.unexpected, 500, "unexpected_failure"),
        ])
    func faults(fault: WireFault, status: Int, code: String) {
        let api = Rig().api
        let old = api.failure(fault, apiVersion: nil, requestID: "r")
        #expect(old.status == status)
        #expect(old.json["code"]?.int64 == Int64(status))
        #expect(old.json["error_code"]?.string == code)
        let new = api.failure(fault, apiVersion: "2024-01-01", requestID: "r")
        #expect(new.json["code"]?.string == code)
        #expect(new.header("x-supabase-api-version") == "2024-01-01")
    }

    @Test("errors about API keys have a text as code in either version")
    func keyErrors() {
        let api = Rig().api
        for version in [nil, "2024-01-01"] {
            let answer = api.failure(.noAPIKey, apiVersion: version, requestID: "r")
            #expect(answer.status == 401)
            #expect(answer.json["code"] == "no_api_key")
            #expect(answer.json["message"] == "No API key found in request")
            #expect(answer.header("www-authenticate") == "Key")
            #expect(answer.header("cache-control") == "no-store")
            #expect((answer.json["error_code"] == "no_api_key") == (version == nil))
        }
        #expect(api.failure(.unknownAPIKey, apiVersion: nil, requestID: "").json["code"] == "invalid_api_key")
        let role = api.failure(.roleNotAllowed, apiVersion: nil, requestID: "")
        #expect(role.status == 403)
        #expect(role.header("www-authenticate") == nil)
    }
}
