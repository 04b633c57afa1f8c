import Backend
import Bytes
import Compat
import JSON
import Testing

@Suite("Mail-borne operations on the wire")
struct MailRouteTests {
    @Test("a code's request makes users unless told not to, under either name of the flag")
    func sendCode() async {
        for (body, creates) in [
            (#"{"email":"a@b.c"}"#, true), (#"{"email":"a@b.c","create_user":null}"#, true),
            (#"{"email":"a@b.c","create_user":false}"#, false), (#"{"email":"a@b.c","createUser":false}"#, false),
            (#"{"email":"a@b.c","createUser":false,"create_user":false}"#, false),
        ] {
            let rig = Rig()
            let answer = await rig.send("POST", "/otp", body, bearer: nil)
            #expect(answer.status == 200, "\(body)")
            #expect(answer.text == "{}")
            #expect(rig.backend.noted.oneTimeSignIn?.createsUser == creates, "\(body)")
        }
        let rig = Rig()
        let differing = #"{"email":"a@b.c","createUser":true,"create_user":false}"#
        #expect(await rig.send("POST", "/otp", differing).json["error_code"] == "validation_failed")
        let full = #"{"phone":"+1555","channel":"sms","data":{"a":1},"code_challenge":"c","code_challenge_method":"m"}"#
        _ = await rig.send("POST", "/otp", full)
        #expect(rig.backend.noted.oneTimeSignIn?.phone == "+1555")
        #expect(rig.backend.noted.oneTimeSignIn?.userMetadata == ["a": 1])
        #expect(rig.backend.noted.oneTimeSignIn?.pkce.challenge == "c")
    }

    @Test("a message's id is told where there is one")
    func messageID() async {
        var script = ScriptedBackend.Script()
        script.receipt = MessageReceipt(messageID: "test-otp")
        let rig = Rig(ScriptedBackend(script))
        for (method, path) in [("POST", "/otp"), ("POST", "/resend"), ("GET", "/reauthenticate")] {
            #expect(await rig.send(method, path, "{}").text == #"{"message_id":"test-otp"}"#, "\(path)")
        }
    }

    @Test(
        "each path has a bucket of its own, taken before the body is read",
        arguments: [
            ("/otp", "otp"), ("/magiclink", "magicLink"), ("/recover", "recover"), ("/resend", "resend"),
        ])
    func limits(path: String, bucket: String) async {
        let limits = ScriptedLimits(empty: Set(RateLimitBucket.allCases))
        let rig = Rig(limits: limits)
        let answer = await rig.send("POST", path, "not json", bearer: nil)
        #expect(answer.status == 429)
        #expect(answer.json["error_code"] == "over_request_rate_limit")
        #expect(limits.taken == ["\(bucket) client"])
        #expect(rig.backend.noted.calls.isEmpty)
    }

    @Test("that the provider is off is told before a fault of the body, anything else after it")
    func faultsOfTheBody() async {
        let off = AuthError(.sendingEmailDisabled)
        let recover = await Rig(ScriptedBackend(failing: "recover", with: off)).send("POST", "/recover", "{")
        #expect(recover.json["error_code"] == "email_provider_disabled")
        let linkOff = ScriptedBackend(failing: "sendMagicLink", with: AuthError(.magicLinkDisabled))
        #expect(await Rig(linkOff).send("POST", "/magiclink", "{").status == 422)
        let remote = AuthError(
            .remote, remote: .init(status: 422, code: "email_provider_disabled", message: "Email logins are disabled"))
        let behind = ScriptedBackend(failing: "sendMagicLink", with: remote)
        #expect(await Rig(behind).send("POST", "/magiclink", "{").json["error_code"] == "email_provider_disabled")
        let missing = ScriptedBackend(failing: "sendMagicLink", with: AuthError(.magicLinkEmailMissing))
        #expect(await Rig(missing).send("POST", "/magiclink", #"{"email":1}"#).json["error_code"] == "bad_json")
        #expect(await Rig().send("POST", "/resend", "{").json["error_code"] == "bad_json")
    }

    @Test("an administrator's body is judged after the administrator")
    func administrators() async {
        for path in ["/invite", "/admin/generate_link"] {
            #expect(await Rig().send("POST", path, "{", bearer: nil).status == 401, "\(path)")
            let rig = Rig()
            #expect(await rig.send("POST", path, "{").json["error_code"] == "bad_json", "\(path)")
            #expect(rig.backend.noted.calls == ["authenticate administrator", "confirm"])
        }
        let rig = Rig()
        _ = await rig.send("POST", "/invite", #"{"email":"a@b.c","data":{"team":"red"}}"#)
        #expect(rig.backend.noted.invitation?.userMetadata == ["team": "red"])
    }

    @Test("a generated link stands beside the user's members")
    func generatedLink() async {
        let rig = Rig()
        let answer = await rig.send(
            "POST", "/admin/generate_link", #"{"type":"magiclink","email":"a@b.c","redirect_to":"https://x.example"}"#)
        #expect(rig.backend.noted.linkRequest?.redirectTo == "https://x.example")
        #expect(answer.json["id"]?.string == Fixtures.id.description)
        #expect(answer.json["email_otp"] == "123456")
        #expect(answer.json["hashed_token"] == "hash")
        #expect(answer.json["verification_type"] == "signup")
        #expect(answer.json["action_link"] == "https://auth.example.com/verify?token=hash")
        #expect(answer.json["redirect_to"] == "https://app.example.com")
    }

    @Test("the audit log is a bare array with the headers of a list")
    func auditLog() async {
        let rig = Rig()
        let answer = await rig.send("GET", "/admin/audit?per_page=2&query=author%3Aann%40")
        #expect(rig.backend.noted.auditQuery?.query == "author:ann@")
        #expect(answer.header("x-total-count") == "5")
        let next = "</admin/audit?page=2&per_page=2&query=author%3Aann%40>; rel=\"next\""
        #expect(
            answer.header("link") == next + ", "
                + next.replacing("page=2&per", with: "page=3&per")
                .replacing("next", with: "last"))
        #expect(answer.json.array?.first?["ip_address"] == "")
        #expect(answer.json.array?.first?["payload"]?.object?.isEmpty == true)
    }

    @Test(
        "wrong methods of the new paths",
        arguments: [
            ("GET", "/otp", 405), ("GET", "/invite", 405), ("POST", "/reauthenticate", 401),
            ("POST", "/admin/audit", 401),
            ("GET", "/admin/generate_link", 401), ("POST", "/otp/", 404),
        ])
    func methods(method: String, path: String, status: Int) async {
        #expect(await Rig().send(method, path, bearer: nil).status == status)
    }
}
