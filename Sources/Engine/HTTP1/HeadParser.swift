internal import Bytes

/// A strict, resumable parser of request heads (RFC 9112 sections 2 to 5).
///
/// It is fed the message's bytes from their beginning, each time with more of them, and goes on where it stopped. It
/// keeps places, not bytes. Whatever is wrong is reported as soon as it can be seen, without waiting for the rest of
/// the head.
public struct HeadParser: ~Copyable {
    /// What is known after a call of `parse`.
    public enum Outcome: Equatable, Sendable {
        case needsMore
        /// The head is complete.
        case complete
        case failed(HTTPFailure)
    }

    enum Phase: UInt8 {
        case start, method, path, query, version, name, value, complete
    }

    /// The head so far.
    public internal(set) var head = RequestHead()
    /// Storage for field lines, reused by the requests of a loop; the first `fieldsKept` are this request's.
    private var storage: [HeaderField] = []
    private var fieldsKept = 0
    let limits: SharedLimits
    var phase = Phase.start
    /// The next byte to look at.
    var position = 0
    /// Where the current token began.
    var mark = 0
    var nameEnd = 0
    var sectionStart = 0
    var fieldCount = 0
    var emptyLines = 0
    /// The known fields seen so far, one bit each.
    var seen: UInt64 = 0
    var knownName = KnownHeader.other
    var pathNeedsCheck = false
    /// The host that was found good last: most requests name it again. Kept by `reset`.
    var goodHost: HostWords?

    public init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = SharedLimits(limits)
    }

    init(shared limits: SharedLimits) {
        self.limits = limits
    }

    /// The field lines so far.
    var fields: Span<HeaderField> {
        @_lifetime(borrow self)
        get { storage.span.extracting(0..<fieldsKept) }
    }

    mutating func keep(_ field: HeaderField) {
        if fieldsKept < storage.count {
            storage[fieldsKept] = field
        } else {
            storage.append(field)
        }
        fieldsKept &+= 1
    }

    /// Whether not a byte of a request has been seen (empty lines do not count).
    public var isAtStart: Bool { phase == .start }

    /// Parses a whole head in one call: for tests and fuzzers.
    public static func parse(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits()) -> Outcome {
        var parser = HeadParser(limits: limits)
        return parser.parse(bytes.span)
    }

    /// Bytes of the head with its closing empty line; 0 until it is complete.
    public var byteCount: Int { head.byteCount }

    /// Forgets the current head and begins another.
    public mutating func reset() {
        head = RequestHead()
        fieldsKept = 0
        phase = .start
        position = 0
        mark = 0
        fieldCount = 0
        emptyLines = 0
        seen = 0
        pathNeedsCheck = false
    }

    /// Goes on with `bytes`, which begin with the same bytes as in the call before.
    public mutating func parse(_ bytes: Span<UInt8>) -> Outcome {
        do {
            return try advance(bytes) ? .complete : .needsMore
        } catch {
            return .failed(error)
        }
    }

    /// True when the head is complete, false when more bytes are needed.
    mutating func advance(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Bool {
        if phase == .start, try !skipEmptyLines(bytes) { return false }
        if phase == .method, try !parseMethod(bytes) { return false }
        if phase == .path, try !parsePath(bytes) { return false }
        if phase == .query, try !parseQuery(bytes) { return false }
        if phase == .version, try !parseVersion(bytes) { return false }
        while phase != .complete {
            if phase == .name, try !parseName(bytes) { return false }
            if phase == .value, try !parseValue(bytes) { return false }
        }
        return true
    }

    private mutating func skipEmptyLines(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Bool {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x0D else {
                if byte == 0x0A { throw .malformed("line ended by LF alone") }
                phase = .method
                mark = position
                return true
            }
            guard position + 1 < bytes.count else { return false }
            guard bytes[position + 1] == 0x0A else { throw .malformed("CR without LF") }
            emptyLines += 1
            guard emptyLines <= limits.emptyLinesMax else { throw .malformed("too many empty lines") }
            position += 2
        }
        return false
    }

    private mutating func parseMethod(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Bool {
        // `GET ` at once: most requests.
        if let word = Scan.word(bytes, at: mark), word & 0xFFFF_FFFF == 0x2054_4547 {
            head.methodPlace = Place(mark, mark + 3)
            head.method = .get
            beginPath(at: mark + 4)
            return true
        }
        var index = position
        let count = bytes.count
        while index < count, Scan.isToken(bytes[index]) { index &+= 1 }
        position = index
        guard index - mark <= limits.methodBytesMax else { throw HTTPFailure(.methodUnknown, "method too long") }
        guard index < count else { return false }
        guard bytes[index] == 0x20, index > mark else { throw .malformed("no valid method") }
        head.methodPlace = Place(mark, index)
        head.method = HTTPMethod(bytes.extracting(mark..<index))
        guard head.method != .connect else { throw HTTPFailure(.methodUnknown, "CONNECT is not served") }
        beginPath(at: index + 1)
        return true
    }

    private mutating func beginPath(at index: Int) {
        position = index
        mark = index
        phase = .path
    }

    /// The target up to its question mark; visible ASCII but `#`.
    private mutating func parsePath(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Bool {
        var index = position
        let count = bytes.count
        while true {
            // Letters, digits, / _ and ~ are skipped eight at a time: nearly every byte of every path.
            index = Scan.firstPathMark(in: bytes, from: index)
            guard index < count else { break }
            let byte = bytes[index]
            if byte == 0x20 || byte == 0x3F { break }
            if byte == 0x25 || byte == 0x2E {
                pathNeedsCheck = true
            } else if byte == 0x5C {
                throw .malformed("backslash in path")
            } else if byte < 0x20 || byte == 0x23 || byte >= 0x7F {
                throw .malformed("byte not allowed in target")
            }
            index &+= 1
        }
        position = index
        guard index - mark <= limits.targetBytesMax else { throw HTTPFailure(.targetTooLong, "target too long") }
        guard index < count else { return false }
        guard index > mark else { throw .malformed("no target") }
        head.pathPlace = Place(mark, index)
        head.targetPlace = head.pathPlace
        position = index + 1
        if bytes[index] == 0x3F {
            phase = .query
        } else {
            phase = .version
            mark = position
        }
        return true
    }

    private mutating func parseQuery(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Bool {
        var index = position
        let count = bytes.count
        while index < count {
            let byte = bytes[index]
            if byte <= 0x23 || byte >= 0x7F {
                if byte == 0x20 { break }
                if byte < 0x20 || byte == 0x23 || byte >= 0x7F { throw .malformed("byte not allowed in target") }
            }
            index &+= 1
        }
        position = index
        guard index - mark <= limits.targetBytesMax else { throw HTTPFailure(.targetTooLong, "target too long") }
        guard index < count else { return false }
        head.queryPlace = Place(head.pathRange.upperBound + 1, index)
        head.targetPlace = Place(mark, index)
        position = index + 1
        mark = position
        phase = .version
        return true
    }

    private mutating func parseVersion(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Bool {
        // `HTTP/1.1` at once: nearly every request.
        if Scan.word(bytes, at: mark) == 0x312E_312F_5054_5448, mark + 10 <= bytes.count, bytes[mark + 8] == 0x0D,
            bytes[mark + 9] == 0x0A
        {
            beginFields(minorVersion: 1)
            return true
        }
        return try parseOtherVersion(bytes)
    }

    private mutating func beginFields(minorVersion: UInt8) {
        head.minorVersion = minorVersion
        head.isKeepAlive = minorVersion == 1
        position = mark + 10
        mark = position
        sectionStart = position
        phase = .name
    }

    @inline(never)
    private mutating func parseOtherVersion(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Bool {
        let available = min(10, bytes.count - mark)
        for offset in 0..<min(5, available) where bytes[mark + offset] != Self.protocolName(at: offset) {
            throw .malformed("no valid version")
        }
        if available > 5, bytes[mark + 5] &- 0x30 > 9 { throw .malformed("no valid version") }
        if available > 6, bytes[mark + 6] != 0x2E { throw .malformed("no valid version") }
        if available > 7, bytes[mark + 7] &- 0x30 > 9 { throw .malformed("no valid version") }
        if available > 8, bytes[mark + 8] != 0x0D { throw .malformed("no CRLF after the version") }
        if available > 9, bytes[mark + 9] != 0x0A { throw .malformed("no CRLF after the version") }
        guard available == 10 else { return false }
        guard bytes[mark + 5] == 0x31, bytes[mark + 7] <= 0x31 else {
            throw HTTPFailure(.versionUnsupported, "only HTTP/1.0 and HTTP/1.1 are spoken")
        }
        beginFields(minorVersion: bytes[mark + 7] & 1)
        return true
    }

    /// The bytes of `HTTP/`.
    private static func protocolName(at index: Int) -> UInt8 {
        switch index {
        case 0: 0x48
        case 1, 2: 0x54
        case 3: 0x50
        default: 0x2F
        }
    }
}
