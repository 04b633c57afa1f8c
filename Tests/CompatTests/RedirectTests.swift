import Backend
import Bytes
import Compat
import Testing

/// What opening a link led to, and where the browser is then sent.
struct Redirect: Sendable, CustomTestStringConvertible {
    let target: String
    let result: LinkOutcome.Result
    let location: String
    var testDescription: String { location }

    private static let signedIn = LinkOutcome.Result.signedIn(Fixtures.session(), type: "signup")
    private static let expired = LinkOutcome.Result.failed(AuthError(.linkExpired), isPKCE: false)
    private static let tokens =
        "access_token=header.claims.signature&expires_at=1795003600&expires_in=3600"
        + "&refresh_token=abcdefghijkl&sb=&token_type=bearer&type=signup"
    private static let code = LinkOutcome.Result.code(RawToken("c0de"))
    private static let error =
        "error=access_denied&error_code=otp_expired"
        + "&error_description=Email+link+is+invalid+or+has+expired"
    private static let message =
        "message=Confirmation+link+accepted.+Please+proceed+to+confirm+link+sent+to+the+other"
        + "+email"

    static let all = [
        Redirect(target: "https://a.co", result: signedIn, location: "https://a.co#\(tokens)"),
        Redirect(target: "https://a.co/x?y=1&z#part", result: signedIn, location: "https://a.co/x?y=1&z#\(tokens)"),
        Redirect(target: "exampleapp://", result: signedIn, location: "exampleapp://#\(tokens)"),
        Redirect(target: "https://a.co", result: expired, location: "https://a.co#\(error)&sb="),
        Redirect(target: "https://a.co/a b", result: expired, location: "https://a.co/a%20b#\(error)&sb="),
        Redirect(target: "https://a.co/é", result: expired, location: "https://a.co/%C3%A9#\(error)&sb="),
        Redirect(target: "https://a.co/\\x", result: expired, location: "https://a.co/%5Cx#\(error)&sb="),
        Redirect(
            target: "https://a.co/a%20b?q=%zz", result: expired, location: "https://a.co/a%20b?q=%zz#\(error)&sb="),
        Redirect(target: "exampleapp://", result: expired, location: "exampleapp://#\(error)&sb="),
        Redirect(target: "http://[::1]:5000/cb", result: expired, location: "http://[::1]:5000/cb#\(error)&sb="),
        Redirect(
            target: "https://a.co/\r\nSet-Cookie: x", result: expired,
            location: "https://a.co/%0D%0ASet-Cookie:%20x#\(error)&sb="),
        Redirect(target: "https://a.co", result: code, location: "https://a.co?code=c0de"),
        Redirect(
            target: "https://a.co/cb?next=%2Fs&x=a+b&sb_flow_id=f_1#part", result: code,
            location: "https://a.co/cb?next=%2Fs&x=a+b&sb_flow_id=f_1&code=c0de#part"),
        Redirect(target: "https://a.co/?code=old&a=1", result: code, location: "https://a.co/?a=1&code=c0de"),
        Redirect(
            target: "https://a.co?tab=mail", result: .failed(AuthError(.linkExpired), isPKCE: true),
            location: "https://a.co?tab=mail&\(error)#\(error)&sb="),
        Redirect(
            target: "https://a.co", result: .otherHalfAwaited(isPKCE: false), location: "https://a.co#\(message)&sb="),
        Redirect(
            target: "https://a.co?tab=1", result: .otherHalfAwaited(isPKCE: true),
            location: "https://a.co?tab=1&\(message)#\(message)&sb="),
        Redirect(
            target: "https://a.co", result: .failed(AuthError(.emailExists), isPKCE: false),
            location: "https://a.co#error_code=email_exists"
                + "&error_description=A+user+with+this+email+address+has+already+been+registered&sb="),
        Redirect(
            target: "https://a.co", result: .failed(AuthError(.emailRefused, "a,b"), isPKCE: false),
            location: "https://a.co#error=invalid_request&error_code=email_address_invalid"
                + "&error_description=Email+address+%22a%2Cb%22+is+invalid&sb="),
        Redirect(
            target: "https://a.co", result: .failed(AuthError(.unexpected, detail: "/etc/x"), isPKCE: false),
            location: "https://a.co#error=server_error&error_code=unexpected_failure&error_description="
                + "Unexpected+failure%2C+please+check+server+logs+for+more+information&sb="),
        Redirect(target: "", result: .location("https://b.co/é#x=1"), location: "https://b.co/%C3%A9#x=1"),
    ]
}

@Suite("Redirects of opened links")
struct RedirectTests {
    @Test("the browser goes to the target, with query and fragment", arguments: Redirect.all)
    func redirects(_ redirect: Redirect) async {
        var script = ScriptedBackend.Script()
        script.link = LinkOutcome(target: redirect.target, result: redirect.result)
        let answer = await Rig(ScriptedBackend(script)).send("GET", "/verify?token=t&type=signup", bearer: nil)
        #expect(answer.status == 303)
        #expect(answer.header("location") == redirect.location)
        #expect(answer.header("cache-control") == nil)
    }

    @Test(
        "what is missing is told directly",
        arguments: [
            (AuthError.Reason.verifyTypeMissing, "Verify requires a verification type"),
            (.verifyTokenMissing, "Verify requires a token or a token hash"),
        ])
    func directErrors(reason: AuthError.Reason, message: String) async {
        let answer = await Rig(ScriptedBackend(failing: "openLink", with: AuthError(reason))).send("GET", "/verify")
        #expect(answer.status == 400)
        #expect(answer.message == message)
        #expect(answer.header("location") == nil)
    }
}
