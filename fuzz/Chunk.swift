import HTTP1

/// What a decoder makes of the bytes when they come in pieces of this size: the data, and whether it ended or failed.
func decode(_ bytes: [UInt8], piece: Int) -> (data: [UInt8], isEnd: Bool, hasFailed: Bool) {
    var decoder = ChunkDecoder(bodyBytesMax: 1 << 20)
    var data: [UInt8] = []
    var start = 0
    while start < bytes.count {
        let part = Array(bytes[start..<min(bytes.count, start + piece)])
        start += part.count
        var from = 0
        piece: while from < part.count {
            switch decoder.feed(part.span, from: from) {
            case .needsMore: break piece
            case .data(let range):
                precondition(range.lowerBound >= from && range.upperBound <= part.count && !range.isEmpty)
                data += part[range]
                from = range.upperBound
            case .end(let offset):
                precondition(offset > from && offset <= part.count)
                return (data, true, false)
            case .failed: return (data, false, true)
            }
        }
    }
    return (data, false, false)
}

/// Any bytes as a chunked body: in one piece and byte by byte it must come to the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = decode(bytes, piece: max(1, count))
    let single = decode(bytes, piece: 1)
    precondition(whole == single, "pieces are decoded otherwise than the whole")
    precondition(whole.data.count <= count)
    return 0
}
