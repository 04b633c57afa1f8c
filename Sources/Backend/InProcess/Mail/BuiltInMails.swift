/// Our own subjects and bodies, used where none are set or the set ones cannot be used. Source: supabase-admin.md 13.1.
///
/// One frame for all kinds: a heading, a sentence, a button with the link, the code in two halves (so that it is easy
/// to type, and still one text when it is copied), and who may ignore the mail.
enum BuiltInMails {
    static func subject(_ kind: MailKind) -> String {
        switch kind {
        case .invite: "You've been invited"
        case .confirmation: "Confirm your email address"
        case .recovery: "Reset your password"
        case .magicLink: "Your sign-in link"
        case .emailChange: "Confirm your new email address"
        case .reauthentication: "{{ .Token }} is your verification code"
        case .passwordChanged: "Your password was changed"
        case .emailChanged: "Your email address was changed"
        case .phoneChanged: "Your phone number was changed"
        case .identityLinked: "A new sign-in method was linked to your account"
        case .identityUnlinked: "A sign-in method was removed from your account"
        case .factorEnrolled: "A new verification method was added to your account"
        case .factorUnenrolled: "A verification method was removed from your account"
        }
    }

    /// The HTML body as a template.
    static func html(_ kind: MailKind) -> String {
        let words = words(kind)
        var body = "<h1 style=\"\(headingStyle)\">\(words.heading)</h1>\n<p>\(words.sentence)</p>\n"
        if let button = words.button {
            body += "<p style=\"margin:28px 0\"><a href=\"{{ .ConfirmationURL }}\" style=\"\(buttonStyle)\">"
            body += "\(button)</a></p>\n"
        }
        if words.hasCode { body += "<p>\(words.button == nil ? "Your code:" : "Or enter this code:")</p>\n\(code)\n" }
        body += "<p style=\"\(footStyle)\">\(words.foot)</p>\n"
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1"></head>
            <body style="margin:0;padding:32px 16px;background:#f4f5f7;color:#1d2430;\(font)">
            <div style="max-width:480px;margin:0 auto;padding:32px;background:#fff;border-radius:12px">
            \(body)</div>
            </body></html>

            """
    }

    /// The plain-text body as a template.
    static func text(_ kind: MailKind) -> String {
        let words = words(kind)
        var body = "\(words.heading)\n\n\(words.sentence)\n"
        if words.button != nil { body += "\n{{ .ConfirmationURL }}\n" }
        if words.hasCode { body += "\n\(words.button == nil ? "Your code:" : "Or enter this code:") {{ .Token }}\n" }
        return body + "\n\(words.foot)\n"
    }

    private struct Words {
        var heading: String
        var sentence: String
        var button: String?
        var hasCode = false
        var foot: String
    }

    private static let ignore = "If you did not ask for this, you can ignore this mail: nothing will change."
    private static let warn = "If this was not you, change your password at once and contact the people behind the app."

    private static func words(_ kind: MailKind) -> Words {
        switch kind {
        case .invite:
            Words(
                heading: "You have been invited",
                sentence: "Someone made an account for you. Accept to start using it.",
                button: "Accept the invitation", hasCode: true,
                foot: "If you do not know what this is about, you can ignore this mail.")
        case .confirmation:
            Words(
                heading: "Confirm your address", sentence: "One step is left: show that {{ .Email }} is yours.",
                button: "Confirm address", hasCode: true, foot: ignore)
        case .recovery:
            Words(
                heading: "Choose a new password",
                sentence: "Follow the link to choose a new password for {{ .Email }}.",
                button: "Choose password", hasCode: true, foot: ignore)
        case .magicLink:
            Words(
                heading: "Sign in", sentence: "This link signs you in as {{ .Email }}. It works once.",
                button: "Sign in", hasCode: true, foot: ignore)
        case .emailChange:
            Words(
                heading: "Confirm the new address",
                sentence: "The address of your account is to change from {{ .Email }} to {{ .NewEmail }}.",
                button: "Confirm change", hasCode: true, foot: ignore)
        case .reauthentication:
            Words(heading: "Is it you?", sentence: "Enter the code to go on.", hasCode: true, foot: ignore)
        default: notice(kind)
        }
    }

    private static func notice(_ kind: MailKind) -> Words {
        let sentence =
            switch kind {
            case .passwordChanged: "The password of {{ .Email }} was changed just now."
            case .emailChanged: "Your account's address was changed from {{ .OldEmail }} to {{ .Email }}."
            case .phoneChanged: "Your account's phone number was changed from {{ .OldPhone }} to {{ .Phone }}."
            case .identityLinked: "You can now sign in to {{ .Email }} with {{ .Provider }} too."
            case .identityUnlinked: "You can no longer sign in to {{ .Email }} with {{ .Provider }}."
            case .factorEnrolled: "Signing in to {{ .Email }} can now be verified by {{ .FactorType }}."
            case .factorUnenrolled: "Signing in to {{ .Email }} is no longer verified by {{ .FactorType }}."
            case .invite, .confirmation, .recovery, .magicLink, .emailChange, .reauthentication: ""
            }
        return Words(heading: subject(kind), sentence: sentence, foot: warn)
    }

    private static let font = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"
    private static let headingStyle = "margin:0 0 16px;font-size:22px;line-height:1.3"
    private static let buttonStyle =
        "display:inline-block;padding:12px 20px;border-radius:8px;background:#1f5fd6;color:#fff;"
        + "text-decoration:none;font-weight:600"
    private static let footStyle = "margin:28px 0 0;font-size:13px;color:#68707d"
    private static let codeStyle =
        "margin:0;font:600 28px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:2px"
    private static let code =
        "<p style=\"\(codeStyle)\"><span>{{ .TokenHead }}</span>"
        + "<span style=\"margin-left:10px\">{{ .TokenTail }}</span></p>"
}
