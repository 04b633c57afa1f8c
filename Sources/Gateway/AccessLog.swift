public import Bytes
internal import HTTP1
internal import JSON

/// One line for each exchange, without a secret in it. Source: gateway.md 10.
public struct AccessLog: Sendable {
    /// How a line looks: for people, or for machines.
    public enum Format: Sendable { case text, json }

    let format: Format
    private let buffer: LogBuffer
    private let clock: any WallClock

    public init(_ format: Format, buffer: LogBuffer, clock: any WallClock) {
        self.format = format
        self.buffer = buffer
        self.clock = clock
    }

    /// What of an exchange stands in the log.
    struct Entry {
        var method: String
        var target: String
        var note: ExchangeNote
        var status: Int
        var bytesIn: Int
        var bytesOut: Int
        var nanoseconds: UInt64
        var peer: String
    }

    func write(_ entry: Entry) {
        buffer.append(format == .json ? json(entry) : text(entry))
    }

    /// Target bytes that are shown.
    static let targetBytesMax = 1024

    private func json(_ entry: Entry) -> [UInt8] {
        var writer = JSONWriter(capacity: 320)
        writer.beginObject()
        writer.field("time", clock.now().description)
        writer.field("request_id", entry.note.requestID)
        writer.field("client", entry.note.client ?? entry.peer)
        writer.field("method", entry.method)
        writer.field("path", Self.redacted(entry.target))
        writer.field("route", entry.note.route)
        writer.field("key", entry.note.keyID)
        writer.field("status", entry.status)
        writer.field("bytes_in", entry.bytesIn)
        writer.field("bytes_out", entry.bytesOut)
        writer.field("duration_us", Int(clamping: entry.nanoseconds / 1000))
        if let fault = entry.note.fault { writer.field("fault", Self.clean(fault, least: 0x20)) }
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private func text(_ entry: Entry) -> [UInt8] {
        let microseconds = entry.nanoseconds / 1000
        let milliseconds = "\(microseconds / 1000).\(String(1000 + microseconds % 1000).dropFirst())ms"
        let key = entry.note.keyID.isEmpty ? "-" : entry.note.keyID
        let fault = entry.note.fault.map { " " + Self.clean($0, least: 0x20) } ?? ""
        let line =
            "\(clock.now()) \(entry.note.client ?? entry.peer) \(entry.method) \(Self.redacted(entry.target)) "
            + "\(entry.status) \(entry.bytesOut) \(milliseconds) \(key) \(entry.note.requestID)\(fault)\n"
        return Array(line.utf8)
    }

    /// Query names whose values are no secrets and help whoever reads the log.
    private static let shown: Set<String> = [
        "grant_type", "type", "provider", "page", "per_page", "scope", "flow_type", "response_type", "vsn",
        "should_soft_delete",
    ]

    /// A target in which only harmless query values are shown, without control bytes, cut to a bearable length.
    static func redacted(_ target: String) -> String {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return clean(target) }
        let query = target[target.utf8.index(after: mark)...]
        let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            guard let equals = pair.firstIndex(of: "=") else { return "…" }
            let name = pair[..<equals]
            return shown.contains(String(name)) ? String(pair) : name + "=…"
        }
        return clean(target[..<mark] + "?" + pairs.joined(separator: "&"))
    }

    private static func clean(_ text: some StringProtocol, least: UInt8 = 0x21) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8.prefix(targetBytesMax) {
            bytes.append(byte >= least && byte != 0x7F ? byte : UInt8(ascii: "?"))
        }
        if text.utf8.count > targetBytesMax { bytes += Array("…".utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What the handler knows of an exchange and the log and the metrics want to know at its end.
final class ExchangeNote: Sendable {
    /// A template: a bounded set.
    let route: String
    let requestID: String
    let keyID: String
    /// The client's address behind trusted proxies; nil: the peer's.
    let client: String?
    /// What was behind a status of 500 or more.
    let fault: String?

    init(route: String, requestID: String = "", keyID: String = "", client: String? = nil, fault: String? = nil) {
        self.route = route
        self.requestID = requestID
        self.keyID = keyID
        self.client = client
        self.fault = fault
    }

    func with(fault: String) -> ExchangeNote {
        ExchangeNote(route: route, requestID: requestID, keyID: keyID, client: client, fault: fault)
    }
}
