internal import Bytes

/// A strict, resumable decoder of chunked bodies (RFC 9112 section 7.1). Extensions are skipped, trailers are dropped.
///
/// Pure: it is shown the bytes that have not been taken yet and says what they are.
public struct ChunkDecoder: Sendable {
    /// What stands at the front of the bytes shown.
    public enum Step: Equatable, Sendable {
        /// All bytes shown are taken; none of them is data. More are needed.
        case needsMore
        /// The bytes of the range are data; everything up to the range's end is taken.
        case data(Range<Int>)
        /// The body ends before this offset.
        case end(Int)
        case failed(HTTPFailure)
    }

    private enum Phase: UInt8 {
        case size, sizeEnd, `extension`, lineFeed, data, dataEnd, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, lastLineFeed, done
    }

    private let limits: SharedLimits
    private let bodyBytesMax: Int
    private var phase = Phase.size
    private var left = 0
    private var digits = 0
    private var lineBytes = 0
    private var trailerBytes = 0
    private var trailers = 0
    private var isQuoted = false
    private var isEscaped = false
    private var total = 0
    private var overhead = 0

    /// - Parameter bodyBytesMax: bytes of data at most; a chunk that announces more fails at once (413).
    public init(bodyBytesMax: Int, limits: HTTPLimits = HTTPLimits()) {
        self.init(bodyBytesMax: bodyBytesMax, shared: SharedLimits(limits))
    }

    init(bodyBytesMax: Int, shared limits: SharedLimits) {
        self.bodyBytesMax = max(0, bodyBytesMax)
        self.limits = limits
    }

    /// Bytes of data so far.
    public var dataBytes: Int { total }

    /// Looks at `bytes` from `from` on and takes what it can. After `failed` or `end` the decoder is spent.
    public mutating func feed(_ bytes: Span<UInt8>, from: Int = 0) -> Step {
        do {
            return try advance(bytes, max(0, from))
        } catch {
            return .failed(error)
        }
    }

    private mutating func advance(_ bytes: Span<UInt8>, _ from: Int) throws(HTTPFailure) -> Step {
        var index = from
        while index < bytes.count {
            if phase == .data {
                let end = min(bytes.count, index &+ left)
                left -= end - index
                if left == 0 { phase = .dataEnd }
                return .data(index..<end)
            }
            if phase == .done { return .end(index) }
            try take(bytes[index])
            index += 1
            if phase == .done { return .end(index) }
        }
        return .needsMore
    }

    /// One byte of framing.
    private mutating func take(_ byte: UInt8) throws(HTTPFailure) {
        overhead += 1
        switch phase {
        case .size, .sizeEnd, .extension, .lineFeed: try takeSizeLine(byte)
        case .dataEnd:
            guard byte == 0x0D else { throw .malformed("no CRLF after a chunk") }
            phase = .dataLineFeed
        case .dataLineFeed:
            guard byte == 0x0A else { throw .malformed("no CRLF after a chunk") }
            phase = .size
            digits = 0
            left = 0
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .lastLineFeed: try takeTrailer(byte)
        case .data, .done: break
        }
    }

    private mutating func takeSizeLine(_ byte: UInt8) throws(HTTPFailure) {
        switch phase {
        case .size:
            if let digit = Scan.hexDigit(byte) {
                digits += 1
                guard digits <= limits.chunkSizeDigitsMax else { throw .malformed("chunk size too long") }
                guard left >> 58 == 0 else { throw HTTPFailure(.bodyTooLarge, "chunk too large") }
                left = left << 4 | Int(digit)
                return
            }
            guard digits > 0 else { throw .malformed("no chunk size") }
            lineBytes = 0
            isQuoted = false
            isEscaped = false
            try takeAfterSize(byte)
        case .extension:
            lineBytes += 1
            guard lineBytes <= limits.chunkExtensionBytesMax else { throw .malformed("chunk extension too long") }
            try takeAfterSize(byte)
        default:
            guard byte == 0x0A else { throw .malformed("CR without LF") }
            try beginChunk()
        }
    }

    private mutating func takeAfterSize(_ byte: UInt8) throws(HTTPFailure) {
        if byte == 0x0D {
            guard !isQuoted else { throw .malformed("line end in a quoted chunk extension") }
            phase = .lineFeed
        } else if phase == .size {
            guard byte == 0x3B else { throw .malformed("no valid chunk size") }
            phase = .extension
        } else {
            guard byte == 0x09 || (byte >= 0x20 && byte != 0x7F) else {
                throw .malformed("control byte in a chunk extension")
            }
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == 0x5C {
                isEscaped = true
            } else if byte == 0x22 {
                isQuoted.toggle()
            }
        }
    }

    private mutating func beginChunk() throws(HTTPFailure) {
        guard left > 0 else {
            phase = .trailerStart
            return
        }
        guard left <= bodyBytesMax - total else { throw HTTPFailure(.bodyTooLarge, "body too large") }
        total += left
        let allowed = max(
            limits.chunkOverheadBytesMin, total.multipliedReportingOverflow(by: limits.chunkOverheadFactor).partialValue
        )
        guard overhead <= allowed else { throw HTTPFailure(.bodyTooLarge, "too much chunk framing for the data") }
        phase = .data
    }

    private mutating func takeTrailer(_ byte: UInt8) throws(HTTPFailure) {
        trailerBytes += 1
        guard trailerBytes <= limits.headBytesMax else { throw HTTPFailure(.headTooLarge, "trailers too large") }
        switch phase {
        case .trailerStart:
            lineBytes = 0
            if byte == 0x0D {
                phase = .lastLineFeed
                return
            }
            trailers += 1
            guard trailers <= limits.fieldsMax else { throw HTTPFailure(.headTooLarge, "too many trailers") }
            guard Scan.isToken(byte) else { throw .malformed("no valid trailer name") }
            phase = .trailerName
        case .trailerName:
            lineBytes += 1
            if byte == 0x3A {
                phase = .trailerValue
            } else {
                guard Scan.isToken(byte) else { throw .malformed("no valid trailer name") }
                guard lineBytes < limits.fieldNameBytesMax else {
                    throw HTTPFailure(.headTooLarge, "trailer name too long")
                }
            }
        case .trailerValue:
            if byte == 0x0D {
                phase = .trailerLineFeed
            } else {
                guard byte == 0x09 || (byte >= 0x20 && byte != 0x7F) else {
                    throw .malformed("control byte in a trailer")
                }
            }
        case .trailerLineFeed:
            guard byte == 0x0A else { throw .malformed("CR without LF") }
            phase = .trailerStart
        default:
            guard byte == 0x0A else { throw .malformed("CR without LF") }
            phase = .done
        }
    }
}
