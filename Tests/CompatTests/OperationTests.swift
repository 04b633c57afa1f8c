import Backend
import Bytes
import Compat
import JSON
import Testing

@Suite("Operations on the wire")
struct OperationTests {
    @Test("a sign-up answers a session or a bare user")
    func signUps() async {
        let session = await Rig().send("POST", "/signup", #"{"email":"a@example.com","password":"p"}"#)
        #expect(session.json["token_type"] == "bearer")
        #expect(session.json["user"]?["id"]?.string == Fixtures.id.description)
        #expect(session.json["weak_password"] == nil)
        #expect(session.header("sb-auth-user-id") == Fixtures.id.description)
        var script = ScriptedBackend.Script()
        script.confirmsAtOnce = false
        let user = await Rig(ScriptedBackend(script)).send("POST", "/signup", #"{"email":"a@example.com"}"#)
        #expect(user.json["id"]?.string == Fixtures.id.description)
        #expect(user.json["access_token"] == nil)
        let rig = Rig()
        _ = await rig.send("POST", "/signup", #"{"email":"","phone":"","data":{"a":1}}"#)
        #expect(rig.backend.noted.calls == ["signUpAnonymously"])
        #expect(rig.backend.noted.anonymousData?["a"] == 1)
    }

    @Test("a session has its members in order; the password grant tells the password's fault, or null")
    func sessions() async {
        var script = ScriptedBackend.Script()
        script.session.passwordJudgement = .fine
        let fine = await Rig(ScriptedBackend(script)).send("POST", "/token?grant_type=password", "{}")
        #expect(
            fine.json.object?.keys == [
                "access_token", "token_type", "expires_in", "expires_at", "refresh_token", "user", "weak_password",
            ])
        #expect(fine.json["weak_password"]?.isNull == true)
        #expect(fine.json["expires_at"] == 1_795_003_600)
        script.session.passwordJudgement = .weak(message: "Too short.", reasons: ["length"])
        let weak = await Rig(ScriptedBackend(script)).send("POST", "/token?grant_type=password", "{}")
        #expect(weak.json["weak_password"]?["reasons"] == ["length"])
        #expect(weak.json["weak_password"]?["message"] == "Too short.")
    }

    @Test("grants find their operation; others are refused before the body is looked at")
    func grants() async {
        let rig = Rig()
        _ = await rig.send("POST", "/token?grant_type=refresh_token", #"{"refresh_token":"abcdefghijkl"}"#)
        #expect(rig.backend.noted.refreshToken == "abcdefghijkl")
        _ = await rig.send("POST", "/token?grant_type=pkce", #"{"auth_code":"c","code_verifier":"v"}"#)
        #expect(rig.backend.noted.exchange?.authCode.exposed == "c")
        for target in ["/token", "/token?grant_type=", "/token?grant_type=Password", "/token?grant_type=x"] {
            let answer = await rig.send("POST", target, "not json")
            #expect(answer.status == 400)
            #expect(answer.message == "unsupported_grant_type")
            #expect(answer.json["error_code"] == "invalid_credentials")
        }
    }

    @Test("the grant is read from a JSON body where that is allowed, never before the query")
    func grantInBody() async {
        let body = #"{"grant_type":"password","email":"a@b.c","password":"p"}"#
        #expect(await Rig().send("POST", "/token", body).message == "unsupported_grant_type")
        #expect(await Rig(options: .sovaria).send("POST", "/token", body).status == 200)
        let rig = Rig(options: .sovaria)
        _ = await rig.send("POST", "/token?grant_type=refresh_token", body)
        #expect(rig.backend.noted.calls == ["refresh"])
        #expect(await rig.send("POST", "/token", #"{"grant_type":7}"#).message == "unsupported_grant_type")
    }

    @Test("ID tokens are refused in OAuth's shape, web3 as switched off")
    func otherGrants() async {
        let empty = await Rig().send("POST", "/token?grant_type=id_token", "{}", version: "2024-01-01")
        #expect(empty.text == #"{"error":"invalid request","error_description":"id_token required"}"#)
        #expect(empty.header("x-sb-error-code") == nil)
        #expect(empty.header("x-supabase-api-version") == "2024-01-01")
        let half = await Rig().send("POST", "/token?grant_type=id_token", #"{"id_token":"x"}"#)
        #expect(half.json["error_description"] == "provider or client_id and issuer required")
        let web3 = await Rig().send("POST", "/token?grant_type=web3", #"{"chain":"solana"}"#)
        #expect(web3.status == 422)
        #expect(web3.json["error_code"] == "web3_provider_disabled")
    }

    @Test("a code signs in, the first half of an address change says so with a text as code")
    func codes() async {
        let rig = Rig()
        let body = #"{"type":"email","token":"123456","email":"a@b.c","options":{"x":1},"gotrue_meta_security":{}}"#
        #expect(await rig.send("POST", "/verify", body).json["access_token"] == "header.claims.signature")
        #expect(rig.backend.noted.verification?.email == "a@b.c")
        #expect(rig.backend.noted.verification?.tokenHash == nil)
        var script = ScriptedBackend.Script()
        script.isHalfway = true
        let half = await Rig(ScriptedBackend(script)).send("POST", "/verify", body)
        #expect(half.status == 200)
        #expect(
            half.text == #"{"code":"200","msg":"Confirmation link accepted. "#
                + #"Please proceed to confirm link sent to the other email"}"#)
    }

    @Test("signing out: scope, default, refusal after the bearer; 204 without a body")
    func signOut() async {
        let rig = Rig()
        for (target, scope) in [
            ("/logout", SignOutScope.global), ("/logout?scope=", .global), ("/logout?scope=local", .local),
            ("/logout?scope=others", .others),
        ] {
            let answer = await rig.send("POST", target, #"{"scope":"nonsense""#)
            #expect(answer.status == 204)
            #expect(answer.body.isEmpty && answer.headers.isEmpty)
            #expect(rig.backend.noted.scope == scope)
        }
        let odd = await rig.send("POST", "/logout?scope=%22%3C")
        #expect(odd.status == 400)
        #expect(odd.message == #"Unsupported logout scope "\"<""#)
        #expect(rig.backend.noted.calls.suffix(2) == ["authenticate user", "confirm"])
        #expect(await rig.send("POST", "/logout?scope=odd", bearer: nil).status == 401)
    }

    @Test(
        "a change of the account: bearer, then limit, then body; an empty password is handed on, an empty address not")
    func updates() async {
        let rig = Rig()
        let body = """
            {"email":"","password":"","nonce":"123456","data":{"a":null},"app_metadata":{},"code_challenge":"c"}
            """
        #expect(await rig.send("PUT", "/user", body).status == 200)
        let update = rig.backend.noted.update
        #expect(update?.email == nil)
        #expect(update?.password?.exposed == "")
        #expect(update?.nonce?.exposed == "123456")
        #expect(update?.userMetadata?["a"]?.isNull == true)
        #expect(update?.appMetadata?.isEmpty == true)
        #expect(update?.pkce.challenge == "c")
        let refused = Rig(
            ScriptedBackend(failing: "confirm", with: AuthError(.sessionUnknown)),
            limits: ScriptedLimits(empty: [.updateUser]))
        #expect(await refused.send("PUT", "/user", "x").json["error_code"] == "session_not_found")
        #expect(await refused.send("PUT", "/user", "x", bearer: nil).status == 401)
    }

    @Test("a user has its members in the reference's order, empty ones left out or shown as the reference does")
    func userJSON() async {
        let bare = await Rig().send("GET", "/user")
        #expect(
            bare.text == #"{"id":"9c0e6f2a-1111-4222-8333-444455556666","aud":"authenticated","#
                + #""role":"authenticated","email":"a@example.com","phone":"","app_metadata":{"provider":"email"},"#
                + #""user_metadata":{},"identities":[],"created_at":"2026-11-18T11:06:40.12Z","#
                + #""updated_at":"2026-11-18T11:06:40.12Z","is_anonymous":false}"#)
        var script = ScriptedBackend.Script()
        script.user.newEmail = "b@example.com"
        script.user.bannedUntil = Fixtures.now
        script.user.unknownMembers = ["later": 1]
        script.user.identities = [
            Identity(
                id: IdentityID(Fixtures.id), providerID: "x", userID: UserID(Fixtures.id), provider: "email",
                data: .emptyObject, lastSignInAt: nil, createdAt: Fixtures.now, updatedAt: Fixtures.now, email: "")
        ]
        script.user.factors = [
            Factor(
                id: FactorID(Fixtures.id), type: "totp", status: "verified", friendlyName: "", phone: nil,
                createdAt: Fixtures.now, updatedAt: Fixtures.now, lastChallengedAt: nil)
        ]
        let user = await Rig(ScriptedBackend(script)).send("GET", "/user").json
        #expect(user["new_email"] == "b@example.com")
        #expect(user["later"] == 1)
        let identity = user["identities"]?.array?.first?.object
        #expect(
            identity?.keys == ["identity_id", "id", "user_id", "provider", "created_at", "updated_at"])
        let factor = user["factors"]?.array?.first?.object
        #expect(
            factor?.keys == [
                "id", "created_at", "updated_at", "status", "factor_type", "phone", "last_challenged_at",
            ])
        #expect(factor?["last_challenged_at"]?.isNull == true)
    }
}

@Suite("Administration on the wire")
struct AdministrationTests {
    @Test(
        "the links of a page: page replaced, names sorted, no next on the last one",
        arguments: [
            (
                "page=1&per_page=2", 5, 1, 2,
                "</admin/users?page=2&per_page=2>; rel=\"next\", </admin/users?page=3&per_page=2>; rel=\"last\""
            ),
            ("page=3&per_page=2", 5, 3, 2, "</admin/users?page=3&per_page=2>; rel=\"last\""),
            ("page=4&per_page=2", 5, 4, 2, "</admin/users?page=3&per_page=2>; rel=\"last\""),
            (
                "page=0&per_page=2", 5, 1, 2,
                "</admin/users?page=1&per_page=2>; rel=\"next\", </admin/users?page=3&per_page=2>; rel=\"last\""
            ),
            ("", 5, 1, 50, "</admin/users?page=1>; rel=\"last\""),
            ("", 0, 1, 50, "</admin/users?page=0>; rel=\"last\""),
            ("page=&per_page=", 0, 1, 50, "</admin/users?page=0&per_page=>; rel=\"last\""),
            ("sort=created_at%20asc", 3, 1, 50, "</admin/users?page=1&sort=created_at+asc>; rel=\"last\""),
            ("filter=ben%40", 1, 1, 50, "</admin/users?filter=ben%40&page=1>; rel=\"last\""),
        ])
    func links(query: String, total: Int, page: Int, perPage: Int, link: String) async {
        var script = ScriptedBackend.Script()
        script.page = UserPage(users: [], audience: "authenticated", total: total, page: page, perPage: perPage)
        let answer = await Rig(ScriptedBackend(script)).send("GET", "/admin/users?" + query)
        #expect(answer.header("link") == link)
        #expect(answer.header("x-total-count") == String(total))
        #expect(answer.text == #"{"users":[],"aud":"authenticated"}"#)
    }

    @Test("a list asks for what was sent, and shows identities that were not loaded as null")
    func lists() async {
        var script = ScriptedBackend.Script()
        script.page.users[0].identities = nil
        let rig = Rig(ScriptedBackend(script))
        let answer = await rig.send("GET", "/admin/users?page=2&sort=created_at+asc&sort=email&filter=x")
        #expect(answer.json["users"]?.array?.first?["identities"]?.isNull == true)
        #expect(rig.backend.noted.listQuery?.page == "2")
        #expect(rig.backend.noted.listQuery?.perPage == nil)
        #expect(rig.backend.noted.listQuery?.sort == ["created_at asc", "email"])
        #expect(rig.backend.noted.listQuery?.filter == "x")
    }

    @Test(
        "an id is read in any case and form",
        arguments: [
            "9c0e6f2a-1111-4222-8333-444455556666", "9C0E6F2A-1111-4222-8333-444455556666",
            "%7B9c0e6f2a-1111-4222-8333-444455556666%7D", "urn:uuid:9c0e6f2a-1111-4222-8333-444455556666",
            "9c0e6f2a111142228333444455556666", "{9c0e6f2a111142228333444455556666}",
        ])
    func ids(text: String) async {
        let rig = Rig()
        #expect(await rig.send("GET", "/admin/users/" + text).status == 200)
        #expect(rig.backend.noted.userID?.uuid == Fixtures.id)
    }

    @Test(
        "what is no id is told after the caller is known",
        arguments: ["alice", "42", "9c0e6f2a-1111-4222-8333-4444555566660", "%7B%7D", "{", "%zz", "urn:uuid:"])
    func noIDs(text: String) async {
        let answer = await Rig().send("GET", "/admin/users/" + text)
        #expect(answer.status == 404)
        #expect(answer.json["error_code"] == "validation_failed")
        #expect(answer.message == "user_id must be an UUID")
        #expect(await Rig().send("GET", "/admin/users/" + text, bearer: nil).status == 401)
    }

    @Test("an unknown user is told before a fault of the body")
    func unknownUser() async {
        let rig = Rig(ScriptedBackend(failing: "adminUser", with: AuthError(.userNotFound)))
        for method in ["PUT", "DELETE"] {
            let answer = await rig.send(method, "/admin/users/\(Fixtures.id)", "{")
            #expect(answer.status == 404)
            #expect(answer.message == "User not found")
        }
    }

    @Test("a deletion needs no body, and takes should_soft_delete")
    func deletions() async {
        for (body, isSoft) in [
            ("", false), ("null", false), ("{}", false), (#"{"should_soft_delete":true}"#, true),
            (#"{"should_soft_delete":null,"other":1}"#, false),
        ] {
            let rig = Rig()
            let answer = await rig.send("DELETE", "/admin/users/\(Fixtures.id)", body)
            #expect(answer.status == 200)
            #expect(answer.text == "{}")
            #expect(rig.backend.noted.isSoft == isSoft)
        }
    }

    @Test("a user is created with what was sent")
    func creation() async {
        let rig = Rig()
        let body = """
            {"id":"\(Fixtures.id)","email":"a@b.c","password":"","password_hash":"$2a$","email_confirm":true,
             "user_metadata":{"a":1},"app_metadata":{"b":2},"ban_duration":"24h","role":"editor","nonce":"x"}
            """
        #expect(await rig.send("POST", "/admin/users", body).status == 200)
        let sent = rig.backend.noted.attributes
        #expect(sent?.id == Fixtures.id.description)
        #expect(sent?.password?.exposed == "")
        #expect(sent?.passwordHash == "$2a$")
        #expect(sent?.confirmsEmail == true && sent?.confirmsPhone == false)
        #expect(sent?.appMetadata?["b"] == 2)
        #expect(sent?.banDuration == "24h" && sent?.role == "editor" && sent?.phone == nil)
    }
}
