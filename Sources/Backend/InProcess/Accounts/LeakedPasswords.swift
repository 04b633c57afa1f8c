public import Backend
import Bytes
import Crypto
public import Outgoing

/// Knows passwords that were published after break-ins. Source: supabase-core.md 8.6.
public protocol LeakedPasswordSource: Sendable {
    /// - Throws: when nobody can say.
    func isLeaked(_ password: Password) async throws(LeakedPasswordError) -> Bool
}

/// Why nobody could say whether a password is known. Holds nothing of it.
public struct LeakedPasswordError: Error, Sendable, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// Asks a range service (Have I Been Pwned's, or one that speaks as it does): it is told the first five digits of the
/// password's SHA-1 alone and answers with the rest of all that begin so (k-anonymity).
public struct LeakedPasswordRange: LeakedPasswordSource {
    /// The public service.
    public static let publicURL = "https://api.pwnedpasswords.com/range/"
    /// How long an answer is waited for.
    static let timeout: Duration = .seconds(5)
    private static let prefixLength = 5

    private let url: String
    private let userAgent: String
    private let client: OutgoingClient

    /// - Parameter url: the five digits are put behind it.
    public init(_ client: OutgoingClient, url: String = publicURL, userAgent: String) {
        self.client = client
        self.url = url
        self.userAgent = userAgent
    }

    public func isLeaked(_ password: Password) async throws(LeakedPasswordError) -> Bool {
        let digits = Hex.encode(SHA.sha1(Array(password.exposed.utf8))).uppercased()
        var request = WebRequest(url: url + digits.prefix(Self.prefixLength))
        // With padding the length of the answer tells nobody on the way how many begin so.
        request.headers = [("User-Agent", userAgent), ("Add-Padding", "true")]
        request.connectTimeout = Self.timeout
        request.totalTimeout = Self.timeout
        let response: WebResponse
        do {
            response = try await client.send(request)
        } catch {
            throw LeakedPasswordError("the list of leaked passwords: \(error)")
        }
        guard response.status == 200 else {
            throw LeakedPasswordError("the list of leaked passwords answered \(response.status)")
        }
        return Self.holds(String(digits.dropFirst(Self.prefixLength)), response.body)
    }

    /// Whether a line `DIGITS:COUNT` is there; lines that only pad have a count of zero.
    static func holds(_ rest: String, _ body: [UInt8]) -> Bool {
        let wanted = Array(rest.utf8)
        return body.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).contains { line in
            guard line.count > wanted.count + 1, line[line.startIndex + wanted.count] == UInt8(ascii: ":") else {
                return false
            }
            let isSame = zip(line, wanted).allSatisfy { $0 == $1 || ($0 >= 0x61 && $0 & 0xDF == $1) }
            return isSame && line.dropFirst(wanted.count + 1).contains { (0x31...0x39).contains($0) }
        }
    }
}

extension InProcessBackend {
    /// Whether a password that is about to be set or was used is known to the world; false where nobody is asked.
    ///
    /// - Throws: `leakedPasswordsUnknown` when nobody could say and the policy wants to know.
    func isLeaked(_ password: Password?) async throws(AuthError) -> Bool {
        guard let leakedPasswords, let password, !password.isEmpty,
            password.exposed.utf8.count <= PasswordRules.bytesMax
        else { return false }
        do {
            return try await leakedPasswords.isLeaked(password)
        } catch {
            guard policy.leakedPasswordCheckFailsClosed else { return false }
            throw AuthError(.leakedPasswordsUnknown, detail: error.description)
        }
    }
}
