internal import Bytes

extension HeadParser {
    /// A field name up to its colon, or the empty line that ends the head.
    mutating func parseName(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Bool {
        var index = position
        let count = bytes.count
        if index == mark {
            guard index < count else { return false }
            if bytes[index] == 0x0D {
                guard index + 1 < count else { return false }
                guard bytes[index + 1] == 0x0A else { throw .malformed("CR without LF") }
                position = index + 2
                head.byteCount = position
                try finish(bytes)
                phase = .complete
                return true
            }
        }
        // `Host:` at once: every request has it.
        if let word = Scan.word(bytes, at: mark), word & 0xFF_FFFF_FFFF == 0x3A_7473_6F48 {
            knownName = .host
            return try endName(at: mark + 4)
        }
        while index < count, Scan.isToken(bytes[index]) { index &+= 1 }
        position = index
        guard index - mark <= limits.fieldNameBytesMax else { throw HTTPFailure(.headTooLarge, "field name too long") }
        guard index < count else { return false }
        guard bytes[index] == 0x3A, index > mark else { throw .malformed("no valid field name") }
        knownName = KnownHeader.find(bytes.extracting(mark..<index))
        return try endName(at: index)
    }

    @inline(__always)
    private mutating func endName(at index: Int) throws(HTTPFailure) -> Bool {
        nameEnd = index
        fieldCount += 1
        guard fieldCount <= limits.fieldsMax else { throw HTTPFailure(.headTooLarge, "too many fields") }
        position = index + 1
        phase = .value
        return true
    }

    /// A field value up to its CRLF. Every byte but control characters may stand in it; HTAB may.
    mutating func parseValue(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Bool {
        let count = bytes.count
        var index = Scan.firstControl(in: bytes, from: position)
        while index < count, bytes[index] == 0x09 {
            index = Scan.firstControl(in: bytes, from: index + 1)
        }
        position = index
        guard index - mark <= limits.fieldBytesMax else { throw HTTPFailure(.headTooLarge, "field too long") }
        guard index - sectionStart <= limits.headBytesMax else { throw HTTPFailure(.headTooLarge, "head too large") }
        guard index < count else { return false }
        guard bytes[index] == 0x0D else { throw .malformed("control character in a field value") }
        guard index + 1 < count else { return false }
        guard bytes[index + 1] == 0x0A else { throw .malformed("CR without LF") }
        var start = nameEnd + 1
        var end = index
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start &+= 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end &-= 1 }
        try record(bytes, value: start..<end)
        position = index + 2
        mark = position
        phase = .name
        return true
    }

    private mutating func record(_ bytes: Span<UInt8>, value: Range<Int>) throws(HTTPFailure) {
        let field = HeaderField(
            id: knownName, nameStart: UInt32(truncatingIfNeeded: mark),
            nameCount: UInt32(truncatingIfNeeded: nameEnd - mark),
            valueStart: UInt32(truncatingIfNeeded: value.lowerBound),
            valueCount: UInt32(truncatingIfNeeded: value.count))
        if knownName != .other {
            let bit: UInt64 = 1 << UInt64(knownName.rawValue)
            if seen & bit != 0, knownName.isSingle { throw .malformed("field given twice that may come once") }
            seen |= bit
            switch knownName {
            case .host: head.hostPlace = Place(value.lowerBound, value.upperBound)
            case .contentLength: try readContentLength(bytes.extracting(value))
            case .transferEncoding: try readTransferEncoding(bytes.extracting(value))
            case .connection: readConnection(bytes.extracting(value))
            case .expect: try readExpect(bytes.extracting(value))
            default: break
            }
        } else if containsUnderscore(bytes.extracting(mark..<nameEnd)) {
            // Some servers read `X_Name` as `X-Name`: such fields are dropped, so that none ever is.
            return
        }
        keep(field)
    }

    private func containsUnderscore(_ name: Span<UInt8>) -> Bool {
        for index in 0..<name.count where name[index] == 0x5F { return true }
        return false
    }

    private mutating func readContentLength(_ value: Span<UInt8>) throws(HTTPFailure) {
        guard value.count > 0 else { throw .malformed("Content-Length is no number") }
        var number = 0
        for index in 0..<value.count {
            let digit = value[index] &- 0x30
            guard digit <= 9 else { throw .malformed("Content-Length is no number") }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(digit))
            guard !overflow, !carry else { throw .malformed("Content-Length is too large") }
            number = sum
        }
        head.contentLength = number
        head.hasContentLength = true
    }

    private mutating func readTransferEncoding(_ value: Span<UInt8>) throws(HTTPFailure) {
        if Scan.equalsIgnoringCase(value, "chunked") {
            head.isChunked = true
            return
        }
        for index in 0..<value.count where !Scan.isToken(value[index]) {
            throw .malformed("Transfer-Encoding is not chunked alone")
        }
        guard value.count > 0 else { throw .malformed("Transfer-Encoding is empty") }
        throw HTTPFailure(.transferCodingUnknown, "only the chunked transfer coding is known")
    }

    private mutating func readConnection(_ value: Span<UInt8>) {
        var index = 0
        while index < value.count {
            let end = Scan.first(0x2C, in: value, from: index)
            var first = index
            var last = end
            while first < last, value[first] == 0x20 || value[first] == 0x09 { first += 1 }
            while last > first, value[last - 1] == 0x20 || value[last - 1] == 0x09 { last -= 1 }
            let option = value.extracting(first..<last)
            if Scan.equalsIgnoringCase(option, "close") {
                head.isKeepAlive = false
                seen |= Self.closeBit
            } else if Scan.equalsIgnoringCase(option, "keep-alive") {
                // `close` wins over `keep-alive`, in whatever order they come.
                if seen & Self.closeBit == 0 { head.isKeepAlive = true }
            } else if Scan.equalsIgnoringCase(option, "upgrade") {
                head.wantsUpgrade = head.minorVersion == 1
            }
            index = end + 1
        }
    }

    private static let closeBit: UInt64 = 1 << 63

    private mutating func readExpect(_ value: Span<UInt8>) throws(HTTPFailure) {
        guard head.minorVersion == 1 else { return }
        guard Scan.equalsIgnoringCase(value, "100-continue") else {
            throw HTTPFailure(.expectationUnknown, "only 100-continue can be expected")
        }
        head.expectsContinue = true
    }

    /// What can be judged only when the whole head is known.
    private mutating func finish(_ bytes: Span<UInt8>) throws(HTTPFailure) {
        let hasHost = seen & (1 << UInt64(KnownHeader.host.rawValue)) != 0
        guard hasHost || head.minorVersion == 0 else { throw .malformed("no Host") }
        if hasHost {
            let host = bytes.extracting(head.hostRange)
            let words = HostWords(host)
            if words == nil || words != goodHost {
                try TargetCheck.host(host, limits)
                goodHost = words
            }
        }
        if head.isChunked {
            guard !head.hasContentLength else { throw .malformed("Content-Length beside Transfer-Encoding") }
            guard head.minorVersion == 1 else { throw .malformed("Transfer-Encoding in HTTP/1.0") }
        }
        if bytes[head.pathRange.lowerBound] != 0x2F { try readOtherForms(bytes, hasHost: hasHost) }
        if pathNeedsCheck, head.pathRange.count > 0 {
            let found = try TargetCheck.path(bytes.extracting(head.pathRange))
            head.hasPercent = found.hasPercent
            head.hasDotSegments = found.hasDotSegments
        }
        if !head.hasBody { head.expectsContinue = false }
    }

    /// The asterisk form and the absolute form (RFC 9112 section 3.2).
    private mutating func readOtherForms(_ bytes: Span<UInt8>, hasHost: Bool) throws(HTTPFailure) {
        let target = bytes.extracting(head.pathRange)
        if target.count == 1, target[0] == 0x2A {
            guard head.method == .options, head.queryRange.isEmpty else { throw .malformed("asterisk without OPTIONS") }
            return
        }
        let schemeCount: Int
        if target.count > 7, Scan.equalsIgnoringCase(target.extracting(0..<7), "http://") {
            schemeCount = 7
        } else if target.count > 8, Scan.equalsIgnoringCase(target.extracting(0..<8), "https://") {
            schemeCount = 8
        } else {
            throw .malformed("target of no known form")
        }
        let authority = schemeCount..<Scan.first(0x2F, in: target, from: schemeCount)
        try TargetCheck.host(target.extracting(authority), limits)
        let base = head.pathRange.lowerBound
        let authorityEnd = base + authority.upperBound
        if hasHost {
            let host = bytes.extracting(head.hostRange)
            guard Scan.equalsIgnoringCase(target.extracting(authority), host) else {
                throw .malformed("target and Host name different hosts")
            }
        }
        head.pathPlace = Place(authorityEnd, head.pathRange.upperBound)
    }
}
