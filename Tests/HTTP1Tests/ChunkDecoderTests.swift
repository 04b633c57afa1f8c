import Bytes
import Testing

@testable import HTTP1

struct ChunkCase: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    /// The data; nil when the body is refused.
    let data: String?
    let status: Int

    var testDescription: String { name }

    init(_ name: String, _ text: String, data: String) {
        self.name = name
        bytes = Array(text.utf8)
        self.data = data
        status = 200
    }

    init(_ name: String, _ text: String, refused: Int = 400) {
        self.name = name
        bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        data = nil
        status = refused
    }

    static let end = "0\r\n\r\n"
    static let all: [ChunkCase] = [
        ChunkCase("nothing", end, data: ""),
        ChunkCase("one chunk", "2\r\n{}\r\n" + end, data: "{}"),
        ChunkCase("two chunks", "a\r\n0123456789\r\n02\r\nab\r\n" + end, data: "0123456789ab"),
        ChunkCase("extensions", "2;a=b;c=\"d;\\\"e\"\r\n{}\r\n0;x\r\n\r\n", data: "{}"),
        ChunkCase("zeros", "0002\r\n{}\r\n0000\r\n\r\n", data: "{}"),
        ChunkCase("trailers", "2\r\n{}\r\n0\r\nX-T: v\r\nContent-Length: 9\r\n\r\n", data: "{}"),
        ChunkCase("request line in a trailer", "0\r\nX:GET / HTTP/1.1\r\nHost: a\r\n\r\n", data: ""),
        ChunkCase("hexadecimal prefix", "0x2\r\n{}\r\n" + end), ChunkCase("plus", "+2\r\n{}\r\n" + end),
        ChunkCase("minus", "-2\r\n{}\r\n" + end), ChunkCase("blank before", " 2\r\n{}\r\n" + end),
        ChunkCase("blank behind", "2 \r\n{}\r\n" + end), ChunkCase("underscore", "0_2\r\n{}\r\n" + end),
        ChunkCase("no digit", "2g\r\n{}\r\n" + end), ChunkCase("no size", "\r\n{}\r\n" + end),
        ChunkCase("17 digits", "00000000000000002\r\n{}\r\n" + end),
        ChunkCase("2^60", "1000000000000000\r\n{}\r\n" + end, refused: 413),
        ChunkCase("16 F", "FFFFFFFFFFFFFFFF\r\n{}\r\n" + end, refused: 413),
        ChunkCase("too large", "401\r\n", refused: 413),
        ChunkCase("too large together", "3ff\r\n" + String(repeating: "x", count: 1023) + "\r\n2\r\n", refused: 413),
        ChunkCase("not ASCII", "\u{D9}\u{A2}\r\n{}\r\n" + end),
        ChunkCase("long extension", "2;" + String(repeating: "a", count: 1100) + "\r\n{}\r\n" + end),
        ChunkCase("line end in a quoted extension", "2;a=\"\r\n\"\r\n{}\r\n" + end),
        ChunkCase("CR before the semicolon", "2\r\r;a\r\n{}\r\n" + end),
        ChunkCase("LF in an extension", "2;a=b\nX\r\n{}\r\n" + end), ChunkCase("LF behind the size", "2\n{}\r\n" + end),
        ChunkCase("LF behind the data", "2\r\n{}\n" + end), ChunkCase("two other bytes", "2\r\n{}XX" + end),
        ChunkCase("empty line between", "2\r\n{}\r\n\r\n" + end), ChunkCase("bad trailer", "0\r\n: x\r\n\r\n"),
        ChunkCase("blank before a trailer", "0\r\n X: x\r\n\r\n"), ChunkCase("CR in a trailer", "0\r\nX: a\rb\r\n\r\n"),
        ChunkCase("end by LF", "0\r\n\n"),
        ChunkCase(
            "many trailers", "0\r\n" + String(repeating: "X: y\r\n", count: 101) + "\r\n", refused: 431),
        ChunkCase(
            "large trailers", "0\r\n" + String(repeating: "X: \(String(repeating: "y", count: 1000))\r\n", count: 70),
            refused: 431),
        ChunkCase(
            "more framing than data", String(repeating: "1;aaaaaaaaaaaaaaaa\r\nx\r\n", count: 1000), refused: 413),
    ]
}

@Suite("Chunked bodies")
struct ChunkDecoderTests {
    /// Feeds `bytes` in the given pieces and returns the data, where the body ended, or the refusal.
    private func decode(_ bytes: [UInt8], cuts: [Int]) -> (data: [UInt8], end: Int?, failure: HTTPFailure?) {
        var decoder = ChunkDecoder(bodyBytesMax: 1024)
        var data: [UInt8] = []
        var start = 0
        for cut in cuts + [bytes.count] {
            var from = start
            feeding: while true {
                switch decoder.feed(bytes.span.extracting(0..<cut), from: from) {
                case .needsMore: break feeding
                case .data(let range):
                    data += bytes[range]
                    from = range.upperBound
                case .end(let end): return (data, end, nil)
                case .failed(let failure): return (data, nil, failure)
                }
            }
            start = cut
        }
        return (data, nil, nil)
    }

    private func check(_ body: ChunkCase, cuts: [Int]) {
        let found = decode(body.bytes, cuts: cuts)
        if let data = body.data {
            #expect(found.data == Array(data.utf8), "cuts \(cuts)")
            #expect(found.end == body.bytes.count, "cuts \(cuts)")
        } else {
            #expect(found.failure.map { Int($0.status.code) } == body.status, "cuts \(cuts)")
        }
    }

    @Test("is decoded or refused", arguments: ChunkCase.all)
    func whole(body: ChunkCase) {
        check(body, cuts: [])
    }

    @Test("is decoded alike wherever the bytes are split", arguments: ChunkCase.all.filter { $0.bytes.count < 3000 })
    func everySplit(body: ChunkCase) {
        for cut in 0...body.bytes.count { check(body, cuts: [cut]) }
        check(body, cuts: Array(0...body.bytes.count))
    }

    @Test("the next request's bytes are left alone")
    func rest() {
        let found = decode(Array("2\r\n{}\r\n0\r\n\r\nGET / HTTP/1.1\r\n".utf8), cuts: [])
        #expect(found.end == 12)
    }
}
