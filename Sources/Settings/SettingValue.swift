public import Backend
public import Bytes
import JSON

/// A judged value.
public enum SettingValue: Sendable, Equatable {
    case text(String)
    case flag(Bool)
    case whole(Int64)
    case decimal(Double)
    case duration(Duration)
    case list([String])
    case map([Pair])
    case rate(SendLimit)
    case bytes(Int)
    case address(ListenAddress)
    case networks([IPNetwork])

    /// One name with its value, in a setting that is a map.
    public struct Pair: Sendable, Equatable {
        public let key: String
        public let value: String
    }
}

extension SettingKind {
    /// Reads a value, or says nil when it is not one. An empty text is never passed here for kinds that refuse it.
    func value(of text: String) -> SettingValue? {
        switch self {
        case .text: return .text(text)
        case .flag: return ValueSyntax.flag(text).map { .flag($0) }
        case .whole(let range):
            guard let number = ValueSyntax.whole(text), range.contains(number) else { return nil }
            return .whole(number)
        case .decimal: return ValueSyntax.decimal(text).map { .decimal($0) }
        case .duration:
            guard let duration = GoDuration.parse(text), duration >= .zero else { return nil }
            return .duration(duration)
        case .positiveDuration:
            guard let duration = GoDuration.parse(text), duration > .zero else { return nil }
            return .duration(duration)
        case .list: return .list(ValueSyntax.list(text))
        case .map: return ValueSyntax.map(text).map { .map($0) }
        case .rate: return ValueSyntax.rate(text).map { .rate($0) }
        case .time: return Timestamp(rfc3339: text) == nil ? nil : .text(text)
        case .json(let shape): return ValueSyntax.isJSON(text, shape) ? .text(text) : nil
        case .url: return ValueSyntax.isWebURL(text) ? .text(text) : nil
        case .urls:
            let items = ValueSyntax.list(text)
            return items.allSatisfy(ValueSyntax.isWebURL) ? .list(items) : nil
        case .choice(let words): return words.contains(text) ? .text(text) : nil
        case .size: return ValueSyntax.size(text).map { .bytes($0) }
        case .address: return ListenAddress(text).map { .address($0) }
        case .networks:
            let networks = ValueSyntax.list(text).map(IPNetwork.init)
            guard networks.allSatisfy({ $0 != nil }) else { return nil }
            return .networks(networks.compactMap { $0 })
        case .host: return text.isEmpty || ValueSyntax.isHost(text) ? .text(text) : nil
        case .headerName: return ValueSyntax.isHeaderName(text) ? .text(text) : nil
        case .callingCodes:
            let codes = ValueSyntax.list(text)
            return codes.allSatisfy(ValueSyntax.isCallingCode) ? .list(codes) : nil
        case .hookURI: return ValueSyntax.isHookURI(text) ? .text(text) : nil
        }
    }

    /// Whether an empty value is a value (and not the same as none).
    var allowsEmpty: Bool {
        switch self {
        case .text, .host, .list, .map: true
        default: false
        }
    }

    /// What a value must be, to stand behind "is not".
    var wanted: String {
        switch self {
        case .text: "a text"
        case .flag: "true or false"
        case .whole(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .decimal: "a number of 0 or more"
        case .duration: "a duration such as 300ms, 10s, 5m or 24h"
        case .positiveDuration: "a duration above 0 such as 10s, 5m or 24h"
        case .list: "a list separated by commas"
        case .map: "a list of key:value pairs separated by commas"
        case .rate: "a number of events an hour, or N/duration such as 10/20s"
        case .time: "an instant such as 2030-01-31T12:00:00Z"
        case .json(.array): "a JSON array"
        case .json(.object): "a JSON object"
        case .url: "an absolute URL such as https://app.example.com"
        case .urls: "one or more URLs such as http://127.0.0.1:3000, separated by commas"
        case .choice(let words):
            words.count == 2 ? "\(words[0]) or \(words[1])" : "one of " + words.joined(separator: ", ")
        case .size: "a size such as 16KiB"
        case .address: "an address such as 127.0.0.1:8000"
        case .networks: "a list of networks such as 10.0.0.0/8,::1"
        case .host: "a host's name or address without a port"
        case .headerName: "the name of a header"
        case .callingCodes: "a list of calling codes such as +91,+882"
        case .hookURI: "an https URL, an http URL on this machine, or pg-functions://HOST/SCHEMA/FUNCTION"
        }
    }
}
