import Backend
import Compat
import Foundation
import JSON
import Testing

/// The table of every error that the reference can tell (conformance/spec/error-codes.csv), walked row by row: what
/// the endpoints of today can give is given by a recorded case that is replayed on every run, or by a test here.
@Suite("Every error code of the table")
struct ErrorCodeTests {
    struct Row: Sendable {
        let code: String
        let status: String
        let endpoints: [String]
    }

    struct Answer: Hashable, CustomStringConvertible {
        let code: String
        let status: Int
        var description: String { "\(status) \(code)" }
    }

    /// Parts of endpoints that are not built yet, with a path that shows it; a path that answers comes off this list.
    static let later: [(part: String, path: String?)] = [
        ("/authorize", "/authorize"), ("/callback", "/callback"), ("external sign-in", "/callback"),
        ("/user/identities", "/user/identities/authorize"), ("/user/oauth", "/user/oauth/grants"),
        ("/oauth/", "/oauth/token"), ("/.well-known/oauth", "/.well-known/oauth-authorization-server"),
        ("OAuth client", "/admin/oauth/clients"), ("/admin/oauth", "/admin/oauth/clients"),
        ("/factors*", "/factors"), ("POST /factors", "/factors"), ("DELETE /factors", "/factors"),
        ("/passkeys", "/passkeys/registration/options"), ("/sso", "/sso"), ("SAML ACS", "/sso/saml/acs"),
        ("/admin/custom-providers", "/admin/custom-providers"), ("/scim", "/scim/v2/Users"),
        ("/token id_token", nil), ("/token web3", nil),
    ]

    /// Codes that wait for captchas and hooks to be asked, or for identities to be joined, whatever the endpoint.
    static let laterCodes: Set<String> = [
        "captcha_failed", "hook_timeout", "hook_timeout_after_retry", "hook_payload_over_size_limit",
        "hook_payload_invalid_content_type", "unknown", "web3_unsupported_chain", "provider_disabled",
        // The extended check of addresses at sending time.
        "email_address_invalid",
    ]

    /// What no case shows, since it takes a race, another server or a second factor: a reason of the backend and the
    /// operation that can fail with it.
    static let scripted: [(Answer, String, AuthError.Reason)] = [
        (Answer(code: "conflict", status: 409), "refresh", .refreshConflict),
        (Answer(code: "session_not_found", status: 400), "refresh", .refreshSessionMissing),
        (Answer(code: "insufficient_aal", status: 401), "update", .aal2Required),
        (Answer(code: "sms_send_failed", status: 422), "signUp", .smsNotDelivered),
        (Answer(code: "mfa_factor_not_found", status: 404), "adminDeleteFactor", .factorNotFound),
        (Answer(code: "mfa_factor_name_conflict", status: 422), "adminUpdateFactor", .factorNameTaken),
    ]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("conformance")

    @Test("every code that these endpoints can give is given")
    func walk() async throws {
        var given = try Self.recorded()
        for (answer, operation, reason) in Self.scripted {
            let response = await Self.provoke(operation, reason)
            #expect(response.status == answer.status)
            #expect(response.json["error_code"]?.string == answer.code)
            given.insert(answer)
        }
        var missing: Set<String> = []
        var reachable = 0
        for row in try Self.rows() where Self.isReachable(row) {
            for status in row.status.split(separator: "/").compactMap({ Int($0) }) {
                reachable += 1
                // A link's error is told in its redirect, whatever its status would have been.
                let answer = Answer(code: row.code, status: status)
                if given.contains(answer) || given.contains(Answer(code: row.code, status: 303)) { continue }
                missing.insert("\(answer): \(row.endpoints.joined(separator: "; "))")
            }
        }
        #expect(missing.sorted().joined(separator: "\n") == "")
        #expect(reachable > 100)
    }

    @Test("what the table keeps for later is not there yet", arguments: later.compactMap(\.path))
    func notYet(path: String) async {
        let response = await Rig().send("POST", path, "{}")
        #expect([404, 401, 403].contains(response.status))
        #expect(response.json["error_code"]?.string == "not_found")
    }

    /// Whether one of the row's endpoints is built. Failures without a way to bring them about do not count: those of
    /// databases and of a caller's own administrator.
    private static func isReachable(_ row: Row) -> Bool {
        guard row.code != "unexpected_failure", !row.code.hasPrefix("("), !laterCodes.contains(row.code) else {
            return false
        }
        return row.endpoints.contains { endpoint in
            guard !endpoint.hasPrefix("never reached"), !endpoint.hasPrefix("declared, never") else { return false }
            return !later.contains { endpoint.contains($0.part) }
        }
    }

    private static func provoke(_ operation: String, _ reason: AuthError.Reason) async -> WireResponse {
        let rig = Rig(ScriptedBackend(failing: operation, with: AuthError(reason)))
        let factor = "/admin/users/11111111-1111-1111-1111-111111111111/factors/11111111-1111-1111-1111-111111111111"
        switch operation {
        case "refresh":
            return await rig.send("POST", "/token?grant_type=refresh_token", #"{"refresh_token":"abcdefghijkl"}"#)
        case "update": return await rig.send("PUT", "/user", "{}")
        case "adminDeleteFactor": return await rig.send("DELETE", factor)
        case "adminUpdateFactor": return await rig.send("PUT", factor, "{}")
        default: return await rig.send("POST", "/signup", #"{"phone":"15550001111","password":"correct-horse"}"#)
        }
    }

    // MARK: Reading

    /// The answers of all cases that the lists name.
    private static func recorded() throws -> Set<Answer> {
        var listed: Set<String> = []
        var cases: [JSONValue] = []
        for name in ["golden", "golden-ours"] {
            let files = FileManager.default.enumerator(atPath: folder.appendingPathComponent(name).path)
            while let file = files?.nextObject() as? String {
                let url = folder.appendingPathComponent(name).appendingPathComponent(file)
                if file.hasSuffix(".txt") {
                    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
                    listed.formUnion(lines.map(String.init))
                } else if file.hasSuffix(".json") {
                    cases.append(try JSONValue.parse(Array(try Data(contentsOf: url))))
                }
            }
        }
        var found: Set<Answer> = []
        for value in cases where listed.contains(value["id"]?.string ?? "") { collect(value, into: &found) }
        #expect(found.count > 50)
        return found
    }

    /// Takes every error out of what a case expects, at whatever depth it stands.
    private static func collect(_ value: JSONValue, into found: inout Set<Answer>) {
        if let array = value.array {
            for element in array { collect(element, into: &found) }
            return
        }
        guard let object = value.object else { return }
        if let status = object["status"]?.int64 {
            let code = object["headers"]?["x-sb-error-code"] ?? object["json"]?["error_code"]
            if let code = code?.string { found.insert(Answer(code: code, status: Int(status))) }
            let location = object["headers"]?["location"].map { JSONText($0).description } ?? ""
            for part in location.components(separatedBy: "error_code").dropFirst() {
                let code = part.drop { !$0.isLetter }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                found.insert(Answer(code: String(code), status: 303))
            }
        }
        for member in object.members { collect(member.value, into: &found) }
    }

    private static func rows() throws -> [Row] {
        let text = try String(contentsOf: folder.appendingPathComponent("spec/error-codes.csv"), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = Self.fields(String(line))
            guard fields.count == 4 else { return nil }
            return Row(code: fields[0], status: fields[1], endpoints: fields[2].components(separatedBy: "; "))
        }
    }

    /// The fields of a line of CSV (RFC 4180).
    private static func fields(_ line: String) -> [String] {
        var fields = [""]
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: fields.append("")
            default: fields[fields.count - 1].append(character)
            }
        }
        return fields
    }
}
