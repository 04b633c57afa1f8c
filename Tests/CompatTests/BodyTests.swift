import Backend
import Bytes
import Compat
import JSON
import Testing

/// A body, where it is sent, and what the answer must say after "Could not parse request body as JSON: ".
struct BadBody: Sendable, CustomTestStringConvertible {
    let target: String
    let body: String
    let detail: String
    var method = "POST"
    var testDescription: String { "\(target) \(body)" }

    static let all = [
        BadBody(target: "/signup", body: "", detail: "unexpected end of JSON input"),
        BadBody(target: "/signup", body: "{", detail: "unexpected end of JSON input"),
        BadBody(target: "/signup", body: "hello", detail: "invalid character 'h' looking for beginning of value"),
        BadBody(
            target: "/token?grant_type=password", body: "{'email':'x'}",
            detail: #"invalid character '\'' looking for beginning of object key string"#),
        BadBody(target: "/signup", body: "{} x", detail: "invalid character 'x' after top-level value"),
        BadBody(
            target: "/signup", body: "[]", detail: "json: cannot unmarshal array into Go value of type api.SignupParams"
        ),
        BadBody(
            target: "/signup", body: "12",
            detail: "json: cannot unmarshal number into Go value of type api.SignupParams"),
        BadBody(
            target: "/signup", body: #"{"email":5}"#,
            detail: "json: cannot unmarshal number into Go struct field SignupParams.email of type string"),
        BadBody(
            target: "/signup", body: #"{"EMAIL":5}"#,
            detail: "json: cannot unmarshal number into Go struct field SignupParams.email of type string"),
        BadBody(
            target: "/signup", body: #"{"password":true,"email":5}"#,
            detail: "json: cannot unmarshal bool into Go struct field SignupParams.password of type string"),
        BadBody(
            target: "/signup", body: #"{"data":["a"]}"#,
            detail:
                "json: cannot unmarshal array into Go struct field SignupParams.data of type map[string]interface {}"),
        BadBody(
            target: "/signup", body: #"{"data":{"a":[1e400]}}"#,
            detail: "json: cannot unmarshal number 1e400 into Go struct field SignupParams.data of type float64"),
        BadBody(
            target: "/token?grant_type=refresh_token", body: #"{"refresh_token":123456789012}"#,
            detail:
                "json: cannot unmarshal number into Go struct field "
                + "RefreshTokenGrantParams.refresh_token of type string"
        ),
        BadBody(
            target: "/verify", body: #"{"type":["email"]}"#,
            detail: "json: cannot unmarshal array into Go struct field VerifyParams.type of type string"),
        BadBody(
            target: "/user", body: #"{"password":5}"#,
            detail: "json: cannot unmarshal number into Go struct field UserUpdateParams.password of type string",
            method: "PUT"),
        BadBody(
            target: "/admin/users", body: #"{"email":"a","ban_duration":24}"#,
            detail: "json: cannot unmarshal number into Go struct field AdminUserParams.ban_duration of type string"),
        BadBody(
            target: "/admin/users", body: #"{"email_confirm":"yes"}"#,
            detail: "json: cannot unmarshal string into Go struct field AdminUserParams.email_confirm of type bool"),
        BadBody(
            target: "/admin/users/\(Fixtures.id)", body: #"{"should_soft_delete":"yes"}"#,
            detail: "json: cannot unmarshal string into Go struct field "
                + "adminUserDeleteParams.should_soft_delete of type bool",
            method: "DELETE"),
    ]
}

@Suite("Bodies")
struct BodyTests {
    @Test("a body that is no JSON object or has a member of a wrong type is bad_json", arguments: BadBody.all)
    func badBodies(_ bad: BadBody) async {
        let rig = Rig()
        let answer = await rig.send(bad.method, bad.target, bad.body)
        #expect(answer.status == 400)
        #expect(answer.json["error_code"] == "bad_json")
        #expect(answer.message == "Could not parse request body as JSON: \(bad.detail)")
        let operations = rig.backend.noted.calls.filter { $0 != "confirm" && !$0.hasPrefix("authenticate") }
        #expect(operations.allSatisfy { $0 == "adminUser" })
    }

    @Test("names are found in any letter case, unknown members do not matter, the last of a name counts")
    func names() async {
        let rig = Rig()
        let body = #"{"Email":"A@b.c","PASSWORD":"p","Data":{"Name":1},"nonsense":[1],"email":"d@e.f"}"#
        let answer = await rig.send("POST", "/signup", body)
        #expect(answer.status == 200)
        let signUp = rig.backend.noted.signUp
        #expect(signUp?.email == "d@e.f")
        #expect(signUp?.password?.exposed == "p")
        #expect(signUp?.userMetadata?["Name"] == 1)
    }

    @Test("null counts as absent, a null body as an empty object")
    func nulls() async {
        let rig = Rig()
        let body = #"{"email":"a@b.c","phone":null,"data":null,"code_challenge":null,"code_challenge_method":null}"#
        _ = await rig.send("POST", "/signup", body)
        #expect(rig.backend.noted.signUp?.userMetadata == nil)
        #expect(rig.backend.noted.signUp?.pkce.challenge == nil)
        #expect(await rig.send("POST", "/signup", "null").status == 200)
        #expect(rig.backend.noted.calls.last == "signUpAnonymously")
    }

    @Test(
        "JSON is read whatever the content type says",
        arguments: [
            nil, "text/plain", "nonsense", "application/json;charset=UTF-8", "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
        ])
    func contentTypes(type: String?) async {
        let rig = Rig()
        let answer = await rig.send("POST", "/token?grant_type=password", #"{"email":"a@b.c","password":"p"}"#) {
            $0.contentType = type
        }
        #expect(answer.status == 200)
        #expect(rig.backend.noted.signIn?.email == "a@b.c")
    }

    @Test("a form tells its grant, and its body counts as empty")
    func forms() async {
        let rig = Rig()
        func send(_ target: String, _ form: String) async -> WireResponse {
            await rig.send("POST", target, form) { $0.contentType = "application/x-www-form-urlencoded; charset=utf-8" }
        }
        let known = await send("/token", "grant_type=password&email=a%40b.c&password=p")
        #expect(known.message == "Could not parse request body as JSON: unexpected end of JSON input")
        let winner = await send("/token?grant_type=password", "grant_type=nonsense")
        #expect(winner.message == "unsupported_grant_type")
        #expect(await send("/signup", "email=a").json["error_code"] == "bad_json")
    }

    @Test("a body that is longer than the limit is 413 with the limit's number")
    func tooLarge() async {
        let rig = Rig()
        let body = #"{"data":{"x":""# + String(repeating: "x", count: 1 << 20) + #""}}"#
        let answer = await rig.send("POST", "/signup", body)
        #expect(answer.status == 413)
        #expect(answer.message == "Request body too large (max 1048576 bytes)")
        #expect(answer.header("x-sb-error-code") == "request_entity_too_large")
    }

    @Test("odd bodies are the caller's mistake: byte-order mark, NUL, broken UTF-8, deep nesting")
    func oddBodies() async {
        let rig = Rig()
        let deep = String(repeating: "[", count: 5000)
        for body in ["\u{FEFF}{}", "\u{0}", deep, #"{"email":"\ud800","password":"x"}"#] {
            #expect([200, 400].contains(await rig.send("POST", "/token?grant_type=password", body).status))
        }
        let broken = await rig.send("POST", "/signup") { $0.body = [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D] }
        #expect(broken.status == 400)
    }

    @Test("integers beyond 2^53 arrive as they were sent")
    func bigIntegers() async {
        let rig = Rig()
        _ = await rig.send("PUT", "/user", #"{"data":{"big":9007199254740993}}"#)
        #expect(rig.backend.noted.update?.userMetadata?["big"]?.number?.literal == "9007199254740993")
    }

    @Test("the current password has two names; when they differ, that is told")
    func aliases() async {
        let rig = Rig()
        _ = await rig.send("PATCH", "/user", #"{"password":"n","currentPassword":"old"}"#)
        #expect(rig.backend.noted.update?.currentPassword?.exposed == "old")
        let both = await rig.send("PUT", "/user", #"{"current_password":"a","currentPassword":"b"}"#)
        #expect(both.status == 400)
        #expect(both.json["error_code"] == "validation_failed")
        _ = await rig.send("POST", "/verify", #"{"type":"email","code":"123456","email":"a@b.c"}"#)
        #expect(rig.backend.noted.verification?.code?.exposed == "123456")
    }

    @Test("a ban may be a number of nanoseconds where that is allowed")
    func numericBan() async {
        let rig = Rig(options: .sovaria)
        let answer = await rig.send("POST", "/admin/users", #"{"email":"a@b.c","ban_duration":86400000000000}"#)
        #expect(answer.status == 200)
        #expect(rig.backend.noted.attributes?.banDuration == "86400000000000")
        #expect(await rig.send("POST", "/admin/users", #"{"ban_duration":1.5}"#).status == 400)
    }
}
