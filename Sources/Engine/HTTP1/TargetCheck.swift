internal import Bytes

/// Judgements on hosts and paths that need more than one byte at a time.
enum TargetCheck {
    /// A host with an optional port (RFC 9110 section 7.2): a name, an IPv4 address or a bracketed IPv6 address.
    static func host(_ host: Span<UInt8>, _ limits: SharedLimits) throws(HTTPFailure) {
        guard host.count > 0, host.count <= limits.hostBytesMax else { throw .malformed("no valid Host") }
        var index = 0
        if host[0] == 0x5B {
            index = 1
            while index < host.count, isAddressByte(host[index]) { index += 1 }
            guard index > 1, index < host.count, host[index] == 0x5D else { throw .malformed("no valid Host") }
            index += 1
        } else {
            while index < host.count, isNameByte(host[index]) { index += 1 }
            guard index > 0 else { throw .malformed("no valid Host") }
        }
        guard index < host.count else { return }
        guard host[index] == 0x3A else { throw .malformed("no valid Host") }
        var port = 0
        for place in index + 1..<host.count {
            let digit = host[place] &- 0x30
            guard digit <= 9 else { throw .malformed("no valid port in Host") }
            port = port * 10 + Int(digit)
            guard port <= 65535 else { throw .malformed("no valid port in Host") }
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        // Bit n of the masks: is byte n (64 + n) one of - . _ ~, a digit or a letter.
        let mask: UInt64 = byte < 64 ? 0x03FF_6000_0000_0000 : 0x47FF_FFFE_87FF_FFFE
        return byte < 128 && mask &>> (UInt64(byte) & 63) & 1 == 1
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        Scan.hexDigit(byte) != nil || byte == 0x3A || byte == 0x2E
    }

    /// Percent triplets and dot segments of a path. What decoding would turn into structure is refused.
    static func path(_ path: Span<UInt8>) throws(HTTPFailure) -> (hasPercent: Bool, hasDotSegments: Bool) {
        var hasPercent = false
        var hasDotSegments = false
        var decoded: [UInt8] = []
        var segment = Segment()
        var index = 0
        while index < path.count {
            let byte = path[index]
            if byte == 0x2F {
                hasDotSegments = try segment.end() || hasDotSegments
                decoded.append(byte)
                index += 1
            } else if byte == 0x25 {
                guard index + 2 < path.count, let high = Scan.hexDigit(path[index + 1]),
                    let low = Scan.hexDigit(path[index + 2])
                else { throw .malformed("broken percent triplet in path") }
                let value = high << 4 | low
                guard value != 0x2F, value != 0x5C, value != 0 else { throw .malformed("encoded separator in path") }
                hasPercent = true
                segment.add(value, isEncoded: true)
                decoded.append(value)
                index += 3
            } else {
                segment.add(byte, isEncoded: false)
                decoded.append(byte)
                index += 1
            }
        }
        hasDotSegments = try segment.end() || hasDotSegments
        if hasPercent, String(validating: decoded, as: UTF8.self) == nil { throw .malformed("path is not UTF-8") }
        return (hasPercent, hasDotSegments)
    }

    /// Watches one path segment for being `.` or `..`.
    private struct Segment {
        var count = 0
        var isDots = true
        var isEncoded = false

        mutating func add(_ byte: UInt8, isEncoded: Bool) {
            count += 1
            if byte != 0x2E { isDots = false }
            if isEncoded { self.isEncoded = true }
        }

        /// Whether the segment was a dot segment; one that only decoding reveals is refused.
        mutating func end() throws(HTTPFailure) -> Bool {
            let isDotSegment = isDots && (count == 1 || count == 2)
            if isDotSegment, isEncoded { throw .malformed("encoded dot segment in path") }
            self = Segment()
            return isDotSegment
        }
    }

    /// The path without `.` and `..` segments (RFC 3986 section 5.2.4), as bytes that are still percent-encoded.
    static func normalized(_ path: Span<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        var index = 0
        while index < path.count {
            // Each step takes one `/segment`.
            let start = path[index] == 0x2F ? index + 1 : index
            let end = Scan.first(0x2F, in: path, from: start)
            let count = end - start
            let isLast = end == path.count
            if count == 1, path[start] == 0x2E {
                if isLast { out.append(0x2F) }
            } else if count == 2, path[start] == 0x2E, path[start + 1] == 0x2E {
                while let last = out.popLast(), last != 0x2F {}
                if isLast { out.append(0x2F) }
            } else {
                for place in index..<end { out.append(path[place]) }
            }
            index = end
        }
        return out.isEmpty ? [0x2F] : out
    }
}

/// A host of 8 to 24 bytes as numbers, so that two can be compared at once. The words overlap where it is shorter.
struct HostWords: Equatable {
    private let count: Int
    private let first, middle, last: UInt64

    /// nil for a host of another length.
    @inline(__always)
    init?(_ host: Span<UInt8>) {
        count = host.count
        guard count <= 24, let first = Scan.word(host, at: 0), let last = Scan.word(host, at: count &- 8),
            let middle = Scan.word(host, at: min(8, count &- 8))
        else { return nil }
        self.first = first
        self.middle = middle
        self.last = last
    }
}
