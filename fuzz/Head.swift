import HTTP1

/// Any bytes as a request head: parsed whole and in two pieces, the verdict must be the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = HeadParser.parse(bytes)
    let cut = bytes.isEmpty ? 0 : Int(bytes[count - 1]) % count
    var parser = HeadParser()
    var parts = parser.parse(bytes.span.extracting(0..<cut))
    if parts == .needsMore { parts = parser.parse(bytes.span) }
    precondition(parts == whole, "two pieces are judged otherwise than one")
    return 0
}
