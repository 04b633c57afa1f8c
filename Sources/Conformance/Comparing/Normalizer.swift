import Bytes
import JSON

/// Makes answers comparable: what differs from run to run becomes a placeholder.
///
/// Source: conformance-format.md, `expect`.
/// Values are numbered by first appearance, so one normalizer serves one run of one case.
struct Normalizer {
    /// A part of an answer that cannot be read here.
    struct Unreadable: Error {
        let text: String
    }

    /// Numbers that are times.
    static let unixKeys: Set<String> = ["expires_at", "updated_at", "iat", "exp", "nbf", "auth_time", "timestamp"]
    /// Texts that are random, and what they are called.
    static let opaqueKeys: [String: String] = [
        "refresh_token": "refresh", "error_id": "error_id", "secret": "secret", "qr_code": "svg",
        "challenge": "challenge", "client_secret": "client_secret", "email_otp": "otp",
        "provider_token": "provider_token", "provider_refresh_token": "provider_token",
        "registration_access_token": "token", "authorization_id": "authorization",
    ]
    /// Placeholders are not nested deeper than answers are.
    private static let depthMax = 512

    private struct Made {
        let value: [UInt8]
        let quoted: [UInt8]
        var label: [UInt8]
    }

    /// Names of the run: `issuer`, `hooks`, `base`, with what they stand for; `base` with the prefix first.
    private let addresses: [(value: [UInt8], quoted: [UInt8], label: [UInt8])]
    private let tag: [UInt8]
    private let clock: any WallClock
    /// Seconds by which the server's clock is ahead.
    var ahead = 0.0
    private var made: [Made] = []
    private var numbers: [String: [String: Int]] = [:]
    /// Paths of lists in the next answer whose order does not count.
    var unordered: [String] = []

    init(base: String, prefix: String, issuer: String, hooks: String, tag: String, clock: any WallClock) {
        var addresses: [(value: [UInt8], quoted: [UInt8], label: [UInt8])] = []
        for (name, value) in [("issuer", issuer), ("hooks", hooks), ("base", base)] {
            let label = Array("{{\(name)}}".utf8)
            if name == "base", !prefix.isEmpty { addresses.append((Array((value + prefix).utf8), [], label)) }
            addresses.append((Array(value.utf8), Array(URLText.quoted(value).utf8), label))
        }
        self.addresses = addresses
        self.tag = Array(tag.utf8)
        self.clock = clock
    }

    /// Remembers a value that this run made up.
    mutating func remember(_ value: String, as label: String) {
        let bytes = Array(value.utf8)
        if let index = made.firstIndex(where: { $0.value == bytes }) {
            made[index].label = Array(label.utf8)
        } else {
            made.append(Made(value: bytes, quoted: Array(URLText.quoted(value).utf8), label: Array(label.utf8)))
        }
    }

    private var now: Double { Double(clock.now().microseconds) / 1e6 + ahead }

    // MARK: Texts

    private mutating func number(_ kind: String, _ value: some Sequence<UInt8>) -> String {
        let value = String(decoding: Array(value), as: UTF8.self)
        let next = (numbers[kind]?.count ?? 0) + 1
        let count = numbers[kind]?[value] ?? next
        numbers[kind, default: [:]][value] = count
        return "<\(kind):\(count)>"
    }

    mutating func text(_ value: String) -> String {
        var bytes = Array(value.utf8)
        for one in made {
            bytes = ExactText.replacing(one.value, with: one.label, in: bytes)
            if one.quoted != one.value { bytes = ExactText.replacing(one.quoted, with: one.label, in: bytes) }
        }
        for (value, quoted, label) in addresses {
            bytes = ExactText.replacing(value, with: label, in: bytes)
            bytes = ExactText.replacing(quoted, with: label, in: bytes)
        }
        bytes = Tokens.rewrite(bytes, Tokens.interval) { _ in Array("only request this after <n> seconds".utf8) }
        bytes = Tokens.rewrite(bytes, Tokens.webToken) { Array(number("jwt", $0).utf8) }
        bytes = Tokens.rewrite(bytes, Tokens.hash) { found in
            let start = found.starts(with: "pkce_".utf8) ? "pkce_" : ""
            return Array((start + number("hash", found)).utf8)
        }
        bytes = Tokens.rewrite(bytes, Tokens.uuid) { Array(number("uuid", $0).utf8) }
        let now = now
        bytes = Tokens.rewrite(bytes, Tokens.time) {
            Array(TimeLabel.of(String(decoding: $0, as: UTF8.self), now: now).utf8)
        }
        return String(decoding: ExactText.replacing(tag, with: Array("<tag>".utf8), in: bytes), as: UTF8.self)
    }

    // MARK: Values

    mutating func plain(_ value: JSONValue, key: String = "", depth: Int = 0) throws(Unreadable) -> JSONValue {
        guard depth < Self.depthMax else { throw Unreadable(text: "an answer that is nested too deeply") }
        switch value {
        case .object(let object): return try plain(object, key, depth)
        case .array(let items): return try plain(items, key, depth)
        case .string(let text): return try plain(text, key, depth)
        case .number(let number):
            guard Self.unixKeys.contains(key), let seconds = number.double, seconds > 1e8 else { return value }
            return .string(TimeLabel.ofUnix(seconds, now: now))
        case .bool, .null: return value
        }
    }

    private mutating func plain(_ object: JSONObject, _ key: String, _ depth: Int) throws(Unreadable) -> JSONValue {
        if key == "last_webauthn_challenge_data" { return "<any>" }
        var out = JSONObject()
        for member in object.members.sorted(by: { ExactText.precedes($0.key, $1.key) }) {
            let name = text(member.key)
            if member.key == "url", let url = member.value.string, ExactText.contains(url, "://"),
                ExactText.contains(url, "?")
            {
                out[name] = try location(url)
            } else {
                out[name] = try plain(member.value, key: member.key, depth: depth + 1)
            }
        }
        return .object(out)
    }

    private mutating func plain(_ items: [JSONValue], _ key: String, _ depth: Int) throws(Unreadable) -> JSONValue {
        var items = items
        if key == "identities" {
            let times = items.map { $0["created_at"]?.string }
            if times.allSatisfy({ $0 != nil }) {
                let keys = times.map { Self.sortable($0 ?? "") }
                items = items.indices.sorted { keys[$0] == keys[$1] ? $0 < $1 : keys[$0] < keys[$1] }.map { items[$0] }
            }
        }
        var out: [JSONValue] = []
        for item in items { out.append(try plain(item, key: key, depth: depth + 1)) }
        return .array(out)
    }

    /// A time as a text that sorts: fractions of different lengths are made equally long.
    private static func sortable(_ time: String) -> String {
        let digits = time.hasSuffix("Z") ? String(time.dropLast()) : time
        return digits + String(repeating: "0", count: max(0, 32 - digits.utf8.count))
    }

    private mutating func plain(_ text: String, _ key: String, _ depth: Int) throws(Unreadable) -> JSONValue {
        if let kind = Self.opaqueKeys[key], !text.isEmpty {
            let start = ExactText.trimmed(text)
            if key != "qr_code" || ExactText.hasPrefix(start, "<?xml") || ExactText.hasPrefix(start, "<svg") {
                let label = number(kind, text.utf8)
                // It stands in the otpauth URI too.
                if key == "secret", text.unicodeScalars.count > 15 { remember(text, as: label) }
                return .string(label)
            }
        }
        if key == "id", text.utf8.count == 48, let handle = Base64.decode(text, .url, padding: .optional),
            Tokens.uuid(handle, 0) == handle.count
        {
            return .string("<base64url \(self.text(String(decoding: handle, as: UTF8.self)))>")
        }
        if let (header, claims) = TestTokens.parts(text) {
            let parts: JSONObject = [
                "header": try plain(.object(header), depth: depth + 1),
                "claims": try plain(.object(claims), depth: depth + 1),
            ]
            return ["$jwt": .object(parts)]
        }
        if Self.unixKeys.contains(key), ExactText.isDigits(text), (9...11).contains(text.utf8.count) {
            return .string(TimeLabel.ofUnix(Double(text) ?? 0, now: now))
        }
        if ExactText.hasPrefix(text, "http"), ExactText.contains(text, "SAMLRequest=") { return try location(text) }
        return .string(self.text(text))
    }

    /// A URL as `{to, query, fragment}`, decoded.
    mutating func location(_ value: String) throws(Unreadable) -> JSONValue {
        let url = URLText(value)
        let to = text(url.withoutQuery)
        let query = try fields(url.query)
        return ["to": .string(to), "query": query, "fragment": try fields(url.fragment)]
    }

    private mutating func fields(_ query: String) throws(Unreadable) -> JSONValue {
        var object = JSONObject()
        for (name, value) in URLText.fields(query) { object[name] = .string(value) }
        if object["SAMLRequest"] != nil { throw Unreadable(text: "a SAML request, which is not read here") }
        return try plain(.object(object))
    }
}
