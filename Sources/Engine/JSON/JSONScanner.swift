public import Bytes

/// Finds a few members of an object in its bytes without building a tree: for the claims of a token, on every request.
///
/// The whole text is checked on the way (RFC 8259, UTF-8, depth), so nesting or escapes cannot hide or forge a member.
public struct JSONScanner: Sendable {
    /// How many keys one scanner can look for.
    public static let keysMax = 16

    private let keys: [[UInt8]]

    /// Makes a scanner for these keys; those beyond ``keysMax`` are never found.
    public init(_ keys: [String]) {
        self.keys = keys.prefix(Self.keysMax).map { Array($0.utf8) }
    }

    /// Where the values stand, in the order of the keys given to ``init(_:)``.
    public struct Found: Sendable {
        private var starts = InlineArray<16, Int32>(repeating: -1)
        private var ends = InlineArray<16, Int32>(repeating: -1)

        /// The bytes of the value (strings with their quotes); nil if the object has no such member.
        public subscript(_ key: Int) -> Range<Int>? {
            guard key >= 0, key < JSONScanner.keysMax, starts[key] >= 0 else { return nil }
            return Int(starts[key])..<Int(ends[key])
        }

        fileprivate mutating func set(_ key: Int, _ range: Range<Int>) {
            starts[key] = Int32(truncatingIfNeeded: range.lowerBound)
            ends[key] = Int32(truncatingIfNeeded: range.upperBound)
        }
    }

    /// Checks the text and says where the wanted values stand; of equal keys the last one counts.
    ///
    /// - Throws: what ``JSONValue/parse(_:limits:)-([UInt8],_)`` throws, and `.notAnObject`.
    public func scan(_ bytes: Span<UInt8>, limits: JSONLimits = .standard) throws(JSONError) -> Found {
        guard bytes.count <= limits.bytes, bytes.count < Int(Int32.max) else {
            throw JSONError(.tooLong, at: limits.bytes)
        }
        do {
            _ = try UTF8Span(validating: bytes)
        } catch {
            throw JSONError(.invalidUTF8, at: error.byteOffsets.lowerBound)
        }
        var reader = JSONReader(bytes, depth: limits.depth)
        guard try reader.peek(.valueStart) == UInt8(ascii: "{") else {
            try reader.skipValue(depth: 0)
            try reader.expectEnd()
            throw JSONError(.notAnObject, at: 0)
        }
        var found = Found()
        reader.index += 1
        if try reader.peek(.keyStart) == UInt8(ascii: "}") {
            reader.index += 1
            try reader.expectEnd()
            return found
        }
        while true {
            guard try reader.peek(.keyStart) == UInt8(ascii: "\"") else { throw reader.unexpected(.keyStart) }
            let key = place(of: try reader.string(), in: bytes)
            try reader.expect(UInt8(ascii: ":"), .afterKey)
            reader.skipSpace()
            let start = reader.index
            try reader.skipValue(depth: 1)
            if key >= 0 { found.set(key, start..<reader.index) }
            guard try reader.continues(UInt8(ascii: "}"), .afterMember) else { break }
        }
        try reader.expectEnd()
        return found
    }

    /// Checks the text and says where the wanted values stand.
    public func scan(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) -> Found {
        try scan(bytes.span, limits: limits)
    }

    /// The place of a key among the wanted ones, or -1.
    private func place(of token: JSONReader.StringToken, in bytes: Span<UInt8>) -> Int {
        if token.hasEscapes {
            let name = JSONStrings.unescape(bytes.extracting(token.range))
            return keys.firstIndex(of: name) ?? -1
        }
        let start = token.range.lowerBound
        let count = token.range.count
        candidates: for place in keys.indices where keys[place].count == count {
            for offset in 0..<count where keys[place][offset] != bytes[start + offset] { continue candidates }
            return place
        }
        return -1
    }
}

extension JSONScanner {
    /// The text of a found value, if it is a string.
    public static func string(_ range: Range<Int>?, in bytes: Span<UInt8>) -> String? {
        guard let content = content(range, in: bytes) else { return nil }
        let token = JSONReader.StringToken(range: content, hasEscapes: true)
        return try? JSONStrings.decode(token, in: bytes)
    }

    /// The text of a found value, if it is a string.
    public static func string(_ range: Range<Int>?, in bytes: [UInt8]) -> String? {
        string(range, in: bytes.span)
    }

    /// The place of a found string's content, its quotes left out (escapes are still in it).
    public static func content(_ range: Range<Int>?, in bytes: Span<UInt8>) -> Range<Int>? {
        guard let range, range.count >= 2, range.upperBound <= bytes.count,
            bytes[range.lowerBound] == UInt8(ascii: "\"")
        else { return nil }
        return range.lowerBound + 1..<range.upperBound - 1
    }

    /// A found value as a UUID, if it is a string that holds one.
    public static func uuid(_ range: Range<Int>?, in bytes: Span<UInt8>) -> UUID? {
        guard let content = content(range, in: bytes) else { return nil }
        return UUID(text: bytes.extracting(content))
    }

    /// A found value as a whole number of 64 bits; a fraction or exponent is cut off towards zero.
    public static func int64(_ range: Range<Int>?, in bytes: Span<UInt8>) -> Int64? {
        guard let range, range.upperBound <= bytes.count, !range.isEmpty else { return nil }
        var index = range.lowerBound
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var value: Int64 = 0
        while index < range.upperBound {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9, index - range.lowerBound < 18 else { return wide(range, in: bytes) }
            value = value * 10 + Int64(digit)
            index += 1
        }
        return isNegative ? -value : value
    }

    private static func wide(_ range: Range<Int>, in bytes: Span<UInt8>) -> Int64? {
        guard let text = try? JSONStrings.text(of: bytes.extracting(range), at: 0) else { return nil }
        if let whole = Int64(text) { return whole }
        guard let value = JSONNumber(text)?.double else { return nil }
        return Int64(exactly: value.rounded(.towardZero))
    }
}
