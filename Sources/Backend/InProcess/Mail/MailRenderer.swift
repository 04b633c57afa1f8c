import Backend
import JSON

/// Makes subject and bodies of a mail from what is set, or from our own. Source: supabase-admin.md 13.1.
struct MailRenderer: Sendable {
    private let subjects: [MailKind: String]
    private let source: TemplateSource
    private let logger: @Sendable (String) -> Void

    init(_ configuration: MailConfiguration, source: TemplateSource, logger: @escaping @Sendable (String) -> Void) {
        subjects = configuration.subjects
        self.source = source
        self.logger = logger
    }

    /// Never fails: what cannot be used is replaced by the built-in subject and body, and logged.
    func render(_ draft: MailDraft) async -> RenderedMail {
        let ownBody = await source.body(draft.kind)
        if let nodes = ownBody {
            do throws(TemplateError) {
                return try compose(draft, subject: subjects[draft.kind], html: nodes, text: nil)
            } catch {
                logger("mail template \(draft.kind.rawValue) cannot be rendered: \(error)")
            }
        } else if !source.isSet(draft.kind), let subject = subjects[draft.kind] {
            if let mail = builtIn(draft, subject: subject) { return mail }
        }
        return builtIn(draft, subject: nil) ?? bare(draft)
    }

    private func builtIn(_ draft: MailDraft, subject: String?) -> RenderedMail? {
        do throws(TemplateError) {
            let html = try TemplateParser.parse(BuiltInMails.html(draft.kind))
            let text = try TemplateParser.parse(BuiltInMails.text(draft.kind))
            return try compose(draft, subject: subject, html: html, text: text)
        } catch {
            logger("mail \(draft.kind.rawValue) cannot be rendered: \(error)")
            return nil
        }
    }

    private func compose(
        _ draft: MailDraft, subject: String?, html: [TemplateNode], text: [TemplateNode]?
    ) throws(TemplateError) -> RenderedMail {
        let subject = try TemplateParser.parse(subject ?? BuiltInMails.subject(draft.kind))
        let values = Self.withHalves(draft)
        var mail = bare(draft)
        mail.subject = Self.oneLine(try TemplateRenderer.render(subject, values, as: .plain))
        mail.html = try TemplateRenderer.render(html, values, as: .html)
        mail.text = try text.map { nodes throws(TemplateError) in
            try TemplateRenderer.render(nodes, values, as: .plain)
        }
        return mail
    }

    private func bare(_ draft: MailDraft) -> RenderedMail {
        RenderedMail(
            kind: draft.kind, recipient: draft.recipient, subject: "", html: "", text: nil, code: draft.code,
            link: draft.link)
    }

    /// The built-in bodies show the code in two halves.
    private static func withHalves(_ draft: MailDraft) -> JSONObject {
        guard let code = draft.code else { return draft.values }
        var values = draft.values
        let half = (code.count + 1) / 2
        values["TokenHead"] = .string(String(code.prefix(half)))
        values["TokenTail"] = .string(String(code.dropFirst(half)))
        return values
    }

    private static func oneLine(_ subject: String) -> String {
        let scalars = subject.unicodeScalars.map { scalar -> Character in
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028
                ? " " : Character(scalar)
        }
        return String(String(scalars).drop { $0 == " " })
    }
}
