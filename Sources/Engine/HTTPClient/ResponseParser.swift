internal import Bytes
internal import HTTP1

/// How an answer's body ends. Source: RFC 9112 section 6.3.
enum BodyFraming: Equatable, Sendable {
    case none
    case length(Int)
    case chunked
    case untilClose
}

/// A strict, resumable parser of the head of an answer: CRLF alone, no folded lines, no doubtful framing.
///
/// Pure: it is shown everything that has come since the message began, and goes on where it stopped.
/// Source: RFC 9112; reliability-security A.1 ("upstream responses: same parser, same strictness").
struct ResponseParser {
    enum Step: Equatable {
        case needsMore
        case complete
        case failed(String)
    }

    private(set) var status = 0
    private(set) var minorVersion: UInt8 = 1
    private(set) var fields: [ResponseField] = []
    /// Bytes of the head with its empty line.
    private(set) var byteCount = 0
    private(set) var framing = BodyFraming.none
    /// Whether the server keeps the connection.
    private(set) var isKeptAlive = true
    /// `Keep-Alive: timeout=…`, in seconds.
    private(set) var idleSeconds: Int?

    private let headBytesMax: Int
    private let fieldsMax: Int
    private var position = 0
    private var lineStart = 0
    private var hasStatus = false
    private var contentLength: Int?
    private var isChunked = false
    private var closes = false
    private var keepsOpen = false

    init(headBytesMax: Int, fieldsMax: Int) {
        self.headBytesMax = headBytesMax
        self.fieldsMax = fieldsMax
    }

    /// Ready for another head; memory is kept.
    mutating func reset() {
        status = 0
        fields.removeAll(keepingCapacity: true)
        byteCount = 0
        framing = .none
        isKeptAlive = true
        idleSeconds = nil
        position = 0
        lineStart = 0
        hasStatus = false
        contentLength = nil
        isChunked = false
        closes = false
        keepsOpen = false
    }

    /// Looks at `bytes`, which begin where the answer does.
    mutating func parse(_ bytes: Span<UInt8>, method: HTTPMethod) -> Step {
        let count = bytes.count
        while true {
            let index = Scan.firstControl(in: bytes, from: position)
            position = index
            guard index <= headBytesMax else { return .failed("the head is too large") }
            guard index < count else { return hasStatus || isBegun(bytes) ? .needsMore : .failed("no status line") }
            if bytes[index] == 0x09 {
                guard hasStatus else { return .failed("no status line") }
                position = index + 1
                continue
            }
            guard bytes[index] == 0x0D else { return .failed("a control character in the head") }
            guard index + 1 < count else { return .needsMore }
            guard bytes[index + 1] == 0x0A else { return .failed("CR without LF") }
            let line = lineStart..<index
            position = index + 2
            lineStart = position
            if !hasStatus {
                guard takeStatus(bytes.extracting(line)) else { return .failed("no status line") }
                hasStatus = true
            } else if line.isEmpty {
                byteCount = position
                return finish(method)
            } else if let fault = takeField(bytes, line) {
                return .failed(fault)
            }
        }
    }

    /// Whether the bytes so far may be those of a status line.
    private func isBegun(_ bytes: Span<UInt8>) -> Bool {
        let wanted: StaticString = "HTTP/1."
        let count = min(bytes.count, wanted.utf8CodeUnitCount)
        guard count == wanted.utf8CodeUnitCount else {
            return count == 0 || bytes[0] == UInt8(ascii: "H")
        }
        return Scan.equals(bytes.extracting(..<count), wanted)
    }

    /// `HTTP/1.1 200 OK`; the phrase, and the blank before it, may be missing.
    private mutating func takeStatus(_ line: Span<UInt8>) -> Bool {
        guard line.count >= 12, Scan.equals(line.extracting(..<7), "HTTP/1."), line[8] == 0x20 else { return false }
        guard line[7] == 0x30 || line[7] == 0x31, line.count == 12 || line[12] == 0x20 else { return false }
        minorVersion = line[7] &- 0x30
        var code = 0
        for index in 9..<12 {
            let digit = line[index] &- 0x30
            guard digit <= 9 else { return false }
            code = code * 10 + Int(digit)
        }
        status = code
        return code >= 100
    }

    /// What is wrong with a field line; nil when it was taken.
    private mutating func takeField(_ bytes: Span<UInt8>, _ line: Range<Int>) -> String? {
        var colon = line.lowerBound
        while colon < line.upperBound, Scan.isToken(bytes[colon]) { colon &+= 1 }
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == 0x3A else {
            return "no valid field name"
        }
        guard fields.count < fieldsMax else { return "too many fields" }
        var start = colon + 1
        var end = line.upperBound
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start &+= 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end &-= 1 }
        fields.append(
            ResponseField(
                nameStart: UInt32(truncatingIfNeeded: line.lowerBound), nameEnd: UInt32(truncatingIfNeeded: colon),
                valueStart: UInt32(truncatingIfNeeded: start), valueEnd: UInt32(truncatingIfNeeded: end)))
        return takeMeaning(bytes.extracting(line.lowerBound..<colon), bytes.extracting(start..<end))
    }

    private mutating func takeMeaning(_ name: Span<UInt8>, _ value: Span<UInt8>) -> String? {
        switch name.count {
        case 10:
            if Scan.equalsIgnoringCase(name, "connection") {
                takeConnection(value)
            } else if Scan.equalsIgnoringCase(name, "keep-alive") {
                takeKeepAlive(value)
            }
        case 14 where Scan.equalsIgnoringCase(name, "content-length"):
            guard contentLength == nil else { return "Content-Length twice" }
            guard let number = Self.number(value) else { return "Content-Length is no number" }
            contentLength = number
        case 17 where Scan.equalsIgnoringCase(name, "transfer-encoding"):
            guard !isChunked, Scan.equalsIgnoringCase(value, "chunked") else {
                return "Transfer-Encoding is not chunked alone"
            }
            isChunked = true
        default: break
        }
        return nil
    }

    private static func number(_ value: Span<UInt8>) -> Int? {
        guard value.count > 0, value.count <= 18 else { return nil }
        var number = 0
        for index in 0..<value.count {
            let digit = value[index] &- 0x30
            guard digit <= 9 else { return nil }
            number = number * 10 + Int(digit)
        }
        return number
    }

    private mutating func takeConnection(_ value: Span<UInt8>) {
        Self.forEachElement(value) { option in
            if Scan.equalsIgnoringCase(option, "close") {
                closes = true
            } else if Scan.equalsIgnoringCase(option, "keep-alive") {
                keepsOpen = true
            }
        }
    }

    private mutating func takeKeepAlive(_ value: Span<UInt8>) {
        Self.forEachElement(value) { option in
            guard option.count > 8, Scan.equalsIgnoringCase(option.extracting(..<8), "timeout=") else { return }
            idleSeconds = Self.number(option.extracting(8...))
        }
    }

    /// The elements of a comma-separated list, trimmed.
    private static func forEachElement(_ value: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
        var index = 0
        while index < value.count {
            let end = Scan.first(0x2C, in: value, from: index)
            var first = index
            var last = end
            while first < last, value[first] == 0x20 || value[first] == 0x09 { first += 1 }
            while last > first, value[last - 1] == 0x20 || value[last - 1] == 0x09 { last -= 1 }
            body(value.extracting(first..<last))
            index = end + 1
        }
    }

    /// What can be judged only when the whole head is known.
    private mutating func finish(_ method: HTTPMethod) -> Step {
        isKeptAlive = !closes && (minorVersion == 1 || keepsOpen)
        guard status != 101 else { return .failed("a protocol switch that nobody asked for") }
        if isChunked {
            guard contentLength == nil else { return .failed("Content-Length beside Transfer-Encoding") }
            guard minorVersion == 1 else { return .failed("Transfer-Encoding in HTTP/1.0") }
        }
        if method == .head || status < 200 || status == 204 || status == 304 {
            framing = .none
        } else if isChunked {
            framing = .chunked
        } else if let contentLength {
            framing = .length(contentLength)
        } else {
            framing = .untilClose
            isKeptAlive = false
        }
        return .complete
    }
}
