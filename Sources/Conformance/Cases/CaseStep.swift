import JSON

/// One step of a case, its fields checked.
struct CaseStep: Sendable {
    enum Kind: String, Sendable {
        case request, race, mail, hook, compare, restart, sql, idp, visit, make, sleep, clock
        case noMail = "no_mail"
        case scriptHook = "script_hook"
        case scriptMail = "script_mail"
        case checkJWT = "check_jwt"
    }

    /// What a field holds.
    private enum Shape {
        case text, flag, number, object, list, texts, any
    }

    /// What `make` can compute here, in the order in which a step is searched for it.
    static let makeable = [
        "jwt", "id_token", "pkce", "sha256", "text", "upper", "base64", "query", "lower",
    ]
    /// What the format can make, but this program cannot yet.
    static let unmakeable = ["passkey", "assertion", "ethereum", "solana", "saml"]
    /// Settings without a prefix that a case may name.
    static let plainSettings: Set<String> = [
        "API_EXTERNAL_URL", "ANON_KEY", "SERVICE_ROLE_KEY", "JWT_SECRET", "SUPABASE_PUBLISHABLE_KEY",
        "SUPABASE_SECRET_KEY", "SITE_URL", "DATABASE_URL", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
    ]
    /// A pause or a wait is never longer, in seconds.
    static let secondsMax = 600.0
    static let timesMax = 1000
    /// The clock is never moved further, in seconds.
    static let advanceMax = 1e10

    let number: Int
    let kindName: String
    let kind: Kind?
    let fields: JSONObject

    init(_ value: JSONValue, number: Int) throws(CaseProblem) {
        self.number = number
        guard let fields = value.object else { throw CaseProblem(text: "step \(number): must be an object") }
        self.fields = fields
        kindName = fields["do"]?.string ?? "request"
        kind = fields["do"] == nil || fields["do"]?.string != nil ? Kind(rawValue: kindName) : nil
        guard let kind else { return }
        let shapes = Self.shapes(kind)
        for member in fields.members where member.key != "do" {
            guard let shape = shapes[member.key] ?? Self.common[member.key] else {
                throw problem("\"\(Self.short(member.key))\" is no field of \(kindName)")
            }
            guard Self.fits(member.value, shape) else { throw problem("\(member.key): must be \(Self.name(shape))") }
        }
        try checkNumbers()
        try checkNeeded(kind)
    }

    private func problem(_ text: String) -> CaseProblem { CaseProblem(text: "step \(number): \(text)") }

    static func short(_ text: String) -> String { text.utf8.count <= 60 ? text : String(text.prefix(57)) + "..." }

    /// Why this step cannot be run here.
    var unknownKind: String? {
        guard let kind else { return "the kind \"\(Self.short(kindName))\" is not known here" }
        guard kind == .make else { return nil }
        if let name = Self.unmakeable.first(where: { fields[$0] != nil }) { return "making \(name) is not known here" }
        return Self.makeable.contains { fields[$0] != nil } ? nil : "what is to be made is not known here"
    }

    /// `step 3 request POST /signup`, as results name it.
    var label: String {
        let parts = [kindName, fields["method"]?.string ?? "", fields["path"]?.string ?? fields["to"]?.string ?? ""]
        return "step \(number) " + parts.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// What the step asks, for grouping: `POST /signup`, `mail`, `hook /send-sms`.
    var endpoint: String {
        switch kind {
        case .request?, .race?:
            let path = ExactText.split(fields["path"]?.string ?? fields["url"]?.string ?? "", at: "?")[0]
            return "\(fields["method"]?.string ?? "GET") \(path)"
        case .hook?: return "hook \(fields["path"]?.string ?? "")"
        default: return kindName
        }
    }

    func text(_ name: String) -> String? { fields[name]?.string }
    func flag(_ name: String) -> Bool { fields[name]?.bool ?? false }
    func seconds(_ name: String) -> Double? { fields[name]?.double }
    func int(_ name: String) -> Int? { fields[name]?.int64.map { Int($0) } }
    func texts(_ name: String) -> [String] { fields[name]?.array?.compactMap(\.string) ?? [] }
    func members(_ name: String) -> [JSONObject.Member] { fields[name]?.object?.members ?? [] }

    // MARK: Checks

    private static let common: [String: Shape] = [
        "expect": .any, "ignore": .texts, "partial": .flag, "unordered": .texts,
    ]

    private static let requestShapes: [String: Shape] = [
        "method": .text, "path": .text, "url": .text, "query": .object, "headers": .object, "as": .text, "json": .any,
        "form": .object, "raw": .text, "save": .object, "match": .object, "also": .texts, "setup": .flag,
        "repeat": .number,
    ]

    private static func shapes(_ kind: Kind) -> [String: Shape] {
        switch kind {
        case .request: return requestShapes
        case .race: return requestShapes.merging(["times": .number, "each": .list]) { old, _ in old }
        case .mail:
            return ["to": .text, "save": .object, "show": .texts, "match": .object, "within": .number, "setup": .flag]
        case .noMail: return ["to": .text, "within": .number]
        case .hook:
            return [
                "path": .text, "save": .object, "match": .object, "secrets": .texts, "within": .number, "setup": .flag,
            ]
        case .scriptHook: return ["path": .text, "answers": .list]
        case .scriptMail: return ["how": .text]
        case .compare: return ["a": .any, "b": .any]
        case .restart: return [:]
        case .sql: return ["sql": .text]
        case .checkJWT: return ["token": .text, "keys": .any]
        case .idp: return ["profile": .any, "keys": .texts]
        case .visit: return ["url": .text, "save": .object]
        case .sleep: return ["seconds": .number]
        case .clock: return ["advance": .number]
        case .make:
            let more: [String: Shape] = [
                "var": .text, "secret": .text, "header": .object, "key": .object, "name": .text, "signer": .text,
                "device": .text, "rp_id": .text, "origin": .any, "alg": .any, "aaguid": .text, "flags": .any,
                "again": .flag, "change": .any,
            ]
            return (makeable + unmakeable).reduce(into: more) { $0[$1] = .any }
        }
    }

    private static func fits(_ value: JSONValue, _ shape: Shape) -> Bool {
        switch shape {
        case .text: value.string != nil
        case .flag: value.bool != nil
        case .number: value.double != nil
        case .object: value.object != nil
        case .list: value.array != nil
        case .texts: value.array?.allSatisfy { $0.string != nil } ?? false
        case .any: true
        }
    }

    private static func name(_ shape: Shape) -> String {
        switch shape {
        case .text: "a string"
        case .flag: "true or false"
        case .number: "a number"
        case .object: "an object"
        case .list: "a list"
        case .texts: "a list of strings"
        case .any: "a value"
        }
    }

    private func checkNumbers() throws(CaseProblem) {
        for name in ["within", "seconds"] {
            if let seconds = seconds(name), !(0...Self.secondsMax).contains(seconds) {
                throw problem("\(name): must be 0 to \(Int(Self.secondsMax)) seconds")
            }
        }
        for name in ["times", "repeat"] {
            if fields[name] != nil, !(1...Self.timesMax).contains(int(name) ?? 0) {
                throw problem("\(name): must be a whole number from 1 to \(Self.timesMax)")
            }
        }
        if let advance = seconds("advance"), !(0...Self.advanceMax).contains(advance) {
            throw problem("advance: must be seconds ahead")
        }
    }

    private func checkNeeded(_ kind: Kind) throws(CaseProblem) {
        func need(_ names: String...) throws(CaseProblem) {
            guard names.contains(where: { fields[$0] != nil }) else {
                throw problem("\(kindName) needs \(names.joined(separator: " or "))")
            }
        }
        switch kind {
        case .request:
            try need("path", "url")
            try checkCall(fields)
        case .race:
            try need("times", "each")
            try checkEach()
        case .mail, .noMail: try need("to")
        case .hook: try need("path")
        case .scriptHook:
            try need("path")
            try need("answers")
        case .scriptMail:
            guard MailPeer.Mode(rawValue: text("how") ?? "") != nil else {
                throw problem("how: must be keep, refuse, close or hang")
            }
        case .compare:
            try need("a")
            try need("b")
        case .sql: try need("sql")
        case .checkJWT:
            try need("token")
            try need("keys")
        case .visit: try need("url")
        case .make: try need("var")
        case .sleep: try need("seconds")
        case .clock: try need("advance")
        case .restart, .idp: break
        }
    }

    /// A call whose method or address no server could be asked with is the case's fault, not the server's.
    private func checkCall(_ fields: JSONObject) throws(CaseProblem) {
        func isPrintable(_ text: String) -> Bool { text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
        func isFilled(_ text: String) -> Bool { ExactText.contains(text, "{{") }
        if let method = fields["method"]?.string, method.isEmpty || !isPrintable(method) {
            throw problem("method: \"\(Self.short(method))\" is no method")
        }
        if let path = fields["path"]?.string, !isFilled(path), !isPrintable(path) {
            throw problem("path: \"\(Self.short(path))\" has characters that no request line may have")
        }
        if let url = fields["url"]?.string, !isFilled(url) {
            let scheme = URLText(url).scheme
            guard isPrintable(url), scheme == "http" || scheme == "https", URLText(url).hostAndPort != nil else {
                throw problem("url: \"\(Self.short(url))\" is no http or https address")
            }
        }
    }

    /// The members of a race: each must fit as the fields of a request do.
    private func checkEach() throws(CaseProblem) {
        guard let each = fields["each"]?.array else { return try checkCall(fields) }
        guard (1...Self.timesMax).contains(each.count) else {
            throw problem("each: must be a list of 1 to \(Self.timesMax) requests")
        }
        for members in each {
            guard let object = members.object else { throw problem("each: must be a list of objects") }
            var all = fields
            for member in object.members {
                guard let shape = Self.requestShapes[member.key] else {
                    throw problem("each: \"\(Self.short(member.key))\" is no field of request")
                }
                guard Self.fits(member.value, shape) else {
                    throw problem("each: \(member.key): must be \(Self.name(shape))")
                }
                all[member.key] = member.value
            }
            try checkCall(all)
        }
    }
}
