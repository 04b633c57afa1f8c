import Bytes
import Testing

@Suite("Scanning bytes")
struct ScanTests {
    /// A small generator, so that failures can be repeated from their seed.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test("the first control byte is found as a plain loop finds it", arguments: 1...40)
    func controls(seed: UInt64) {
        var random = Seeded(state: seed)
        let bytes = (0..<200).map { _ in
            UInt8.random(in: 0...255, using: &random) | (Bool.random(using: &random) ? 0x40 : 0)
        }
        for from in 0...bytes.count {
            let wanted = bytes[from...].firstIndex { $0 < 0x20 || $0 == 0x7F } ?? bytes.count
            let found = Scan.firstControl(in: bytes.span, from: from)
            #expect(found == wanted, "seed \(seed), from \(from)")
        }
    }

    @Test("every byte is a control byte or is not, wherever it stands in a word")
    func everyByte() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<17 {
                var bytes = [UInt8](repeating: 0x61, count: 17)
                bytes[place] = byte
                let isControl = byte < 0x20 || byte == 0x7F
                let control = Scan.firstControl(in: bytes.span, from: 0)
                #expect(control == (isControl ? place : 17))
                let same = Scan.first(byte, in: bytes.span, from: 0)
                #expect(same == (byte == 0x61 ? 0 : place))
            }
        }
    }

    @Test("the first mark of a path is found wherever it stands in a word", arguments: UInt8.min...UInt8.max)
    func pathMarks(byte: UInt8) {
        let isMark = byte < 0x2F || byte == 0x3F || byte == 0x5C || byte >= 0x7F
        for place in 0..<19 {
            var bytes = [UInt8](repeating: 0x7E, count: 19)
            bytes[place] = byte
            let found = Scan.firstPathMark(in: bytes.span, from: 0)
            #expect(found == (isMark ? place : 19))
        }
    }

    @Test("a difference of one bit is seen wherever it is", arguments: [1, 7, 8, 9, 16, 43, 64, 65])
    func differences(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let isSame = Scan.equals(bytes.span, bytes.span) && ConstantTime.equals(bytes, bytes)
        #expect(isSame)
        for place in 0..<count {
            var other = bytes
            other[place] ^= 0x80
            let seems = Scan.equals(bytes.span, other.span) || ConstantTime.equals(bytes, other)
            #expect(!seems)
        }
        let isShorter = Scan.equals(bytes.span, bytes.span.extracting(..<(count - 1)))
        #expect(!isShorter)
    }

    @Test("token bytes are those of RFC 9110 section 5.6.2")
    func tokens() {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        for byte in UInt8.min...UInt8.max { #expect(Scan.isToken(byte) == allowed.contains(byte), "byte \(byte)") }
    }

    @Test("comparison without case leaves bytes beyond letters alone")
    func comparison() {
        let pairs: [(String, StaticString, Bool)] = [
            ("Content-LENGTH", "content-length", true), ("content_length", "content-length", false), ("@", "`", false),
            ("", "a", false),
        ]
        for (text, name, wanted) in pairs {
            let isEqual = Scan.equalsIgnoringCase([UInt8](text.utf8).span, name)
            #expect(isEqual == wanted)
        }
        let exact = Scan.equals([UInt8]("GET".utf8).span, "GET")
        let other = Scan.equals([UInt8]("get".utf8).span, "GET")
        #expect(exact && !other)
    }

    @Test("hexadecimal digits have their values and nothing else has one")
    func hex() {
        for byte in UInt8.min...UInt8.max {
            let wanted = Character(UnicodeScalar(byte)).isASCII ? Character(UnicodeScalar(byte)).hexDigitValue : nil
            #expect(Scan.hexDigit(byte).map(Int.init) == wanted)
        }
    }
}

@Suite("Byte buffers")
struct ByteBufferTests {
    @Test("what is appended comes out in order, whatever is consumed between")
    func queue() {
        var buffer = ByteBuffer()
        var wanted: [UInt8] = []
        for round in 0..<2000 {
            let chunk = (0..<(round * 7 % 90)).map { UInt8(truncatingIfNeeded: $0 &+ round) }
            buffer.append(chunk)
            wanted += chunk
            let taken = round * 13 % 70
            buffer.consume(taken)
            wanted.removeFirst(min(taken, wanted.count))
            let count = buffer.count
            #expect(count == wanted.count)
        }
        let bytes = buffer.array()
        #expect(bytes == wanted)
    }

    @Test("numbers are written in decimal", arguments: [0, 7, 10, 99, 100, -1, 1_234_567, Int.max, Int.min])
    func decimal(value: Int) {
        var buffer = ByteBuffer()
        buffer.append(decimal: value)
        let text1 = String(decoding: buffer.array(), as: UTF8.self)
        #expect(text1 == String(value))
    }

    @Test("bytes can be put in front of others and moved down")
    func insertAndMove() {
        var buffer = ByteBuffer()
        buffer.append("HeadBody")
        buffer.insert([UInt8](" and ".utf8).span, at: 4)
        let text2 = String(decoding: buffer.array(), as: UTF8.self)
        #expect(text2 == "Head and Body")
        buffer.move(from: 9, to: 0, count: 4)
        buffer.truncate(to: 4)
        let text3 = String(decoding: buffer.array(), as: UTF8.self)
        #expect(text3 == "Body")
        buffer.move(from: 2, to: 0, count: 400)
        let text4 = String(decoding: buffer.array(), as: UTF8.self)
        #expect(text4 == "Body")
    }

    @Test("a pool hands the same memory out again and takes only empty buffers")
    func pool() {
        var pool = BlockPool(blocksMax: 1)
        var first = ByteBuffer()
        pool.fill(&first)
        first.append("x")
        pool.recycle(&first)
        let kept = first.count
        #expect(kept == 1)
        first.consume(1)
        for _ in 0..<5 {
            pool.recycle(&first)
            pool.fill(&first)
        }
        var others = [0, 1, 2].map { _ in Box() }
        for box in others { pool.fill(&box.buffer) }
        for box in others { pool.recycle(&box.buffer) }
        others.removeAll()
        first.append([UInt8](repeating: 1, count: 100_000))
        first.consume(100_000)
        pool.recycle(&first)
        let isEmpty = first.isEmpty
        #expect(isEmpty)
    }

    private final class Box {
        var buffer = ByteBuffer()
    }
}
