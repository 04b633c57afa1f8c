import Bytes
public import Outgoing
import Synchronization

/// Fetches the text of a template; a parameter, so that tests need no network.
public protocol TemplateFetcher: Sendable {
    /// - Throws: anything: the built-in mail is used then.
    func fetch(_ url: String, bytesMax: Int) async throws -> [UInt8]
}

/// Fetches templates by HTTP: one GET within ten seconds, and only 200 is good. Source: supabase-admin.md 13.1.
public struct WebTemplateFetcher: TemplateFetcher {
    private let client: OutgoingClient
    /// Times the allowed size that an answer may have before it is refused unread.
    private static let sizeFactor = 4

    public init(_ client: OutgoingClient) { self.client = client }

    public func fetch(_ url: String, bytesMax: Int) async throws -> [UInt8] {
        var request = WebRequest(url: url)
        request.totalTimeout = .seconds(10)
        request.responseBytesMax = bytesMax.multipliedReportingOverflow(by: Self.sizeFactor).partialValue
        request.redirectsMax = 5
        let response = try await client.send(request)
        guard response.status == 200 else { throw TemplateError("the server answered \(response.status)") }
        return Array(response.body.prefix(bytesMax))
    }
}

/// Keeps fetched templates in parsed form, fetches them anew when they are old, and goes on with the old one when that
/// fails. Source: supabase-admin.md 13.1, FR-62.
final class TemplateSource: Sendable {
    private struct Entry {
        var nodes: [TemplateNode]?
        var goodUntil: Timestamp
    }

    private let configuration: MailConfiguration
    private let siteURL: String
    private let fetcher: (any TemplateFetcher)?
    private let clock: any WallClock
    private let logger: @Sendable (String) -> Void
    private let entries = Mutex<[MailKind: Entry]>([:])

    init(
        _ configuration: MailConfiguration, siteURL: String, fetcher: (any TemplateFetcher)?, clock: any WallClock,
        logger: @escaping @Sendable (String) -> Void
    ) {
        self.configuration = configuration
        self.siteURL = siteURL
        self.fetcher = fetcher
        self.clock = clock
        self.logger = logger
    }

    /// The body that is set for this kind, or nil where the built-in mail has to do.
    func body(_ kind: MailKind) async -> [TemplateNode]? {
        guard let url = url(kind), let fetcher else { return nil }
        let now = clock.now()
        let known = entries.withLock { $0[kind] }
        if let known, now < known.goodUntil { return known.nodes }
        do {
            let bytes = try await fetcher.fetch(url, bytesMax: configuration.templateBytesMax)
            let nodes = try TemplateParser.parse(String(decoding: bytes, as: UTF8.self))
            store(Entry(nodes: nodes, goodUntil: clock.now() + configuration.templateLifetime), kind)
            return nodes
        } catch {
            logger("mail template \(kind.rawValue) cannot be used: \(error)")
            store(Entry(nodes: known?.nodes, goodUntil: clock.now() + configuration.templateRetryInterval), kind)
            return known?.nodes
        }
    }

    /// Whether a body of its own is set for this kind, usable or not.
    func isSet(_ kind: MailKind) -> Bool { url(kind) != nil }

    private func url(_ kind: MailKind) -> String? {
        guard let set = configuration.templateURLs[kind], !set.isEmpty else { return nil }
        return set.hasPrefix("http") ? set : siteURL + set
    }

    private func store(_ entry: Entry, _ kind: MailKind) {
        entries.withLock { $0[kind] = entry }
    }
}
