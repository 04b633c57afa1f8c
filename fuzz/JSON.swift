import JSON

/// Any bytes as JSON: what is taken must survive writing and reading again, and the scanner must agree with the parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let value = try? JSONValue.parse(bytes)
    if let value {
        let again = try? JSONValue.parse(value.compact)
        precondition(again == value, "written and read again it is something else")
        precondition(again?.compact == value.compact)
    }
    let found = try? JSONScanner(["sub", "exp", "a"]).scan(bytes)
    if let value, value.object != nil { precondition(found != nil, "the scanner refuses what the parser takes") }
    if found != nil { precondition(value != nil, "the scanner takes what the parser refuses") }
    return 0
}
