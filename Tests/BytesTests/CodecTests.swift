import Bytes
import Foundation
import Testing

@Suite("Base 64 and base 16")
struct CodecTests {
    @Test(
        "the vectors of RFC 4648",
        arguments: [
            ("", "", ""), ("f", "Zg==", "66"), ("fo", "Zm8=", "666f"), ("foo", "Zm9v", "666f6f"),
            ("foob", "Zm9vYg==", "666f6f62"), ("fooba", "Zm9vYmE=", "666f6f6261"),
            ("foobar", "Zm9vYmFy", "666f6f626172"),
        ])
    func vectors(text: String, base64: String, hex: String) {
        let bytes = Array(text.utf8)
        let bare = base64.replacing("=", with: "")
        #expect(Base64.encode(bytes) == base64)
        #expect(Base64.encodeURL(bytes) == bare)
        #expect(Base64.decode(base64) == bytes)
        #expect(Base64.decode(bare, .url, padding: .forbidden) == bytes)
        #expect(Base64.decode(bare, padding: .optional) == bytes)
        #expect(Base64.decode(base64, padding: .optional) == bytes)
        #expect(Hex.encode(bytes) == hex)
        #expect(Hex.decode(hex) == bytes)
        #expect(Hex.decode(hex.uppercased()) == bytes)
        if bare != base64 {
            #expect(Base64.decode(bare) == nil)
            #expect(Base64.decode(base64, padding: .forbidden) == nil)
        }
    }

    @Test(
        "malformed base 64 is refused",
        arguments: [
            "A", "A===", "AA=", "AAA==", "AAAA=", "AAAA====", "=", "==", "====", "A=AA", "AA=A", "AB==", "AAB=", "AA-_",
            "AA A", "AAA\n", "AA\u{E9}", "Zm9v=", "\0AAA", "AAAA AAA",
        ])
    func refused(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("each alphabet takes its own characters alone")
    func alphabets() {
        #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
        #expect(Base64.encode([0xFB, 0xFF], .url) == "-_8=")
        #expect(Base64.decode("-_8=", .url) == [0xFB, 0xFF])
        #expect(Base64.decode("+/8=", .url) == nil)
        #expect(Base64.decode("-_8=") == nil)
        #expect(Base64.decodeLenient(" -_8\n") == [0xFB, 0xFF])
        #expect(Base64.decodeLenient("+/8=") == [0xFB, 0xFF])
        #expect(Base64.decodeLenient("+/8!") == nil)
    }

    @Test("random bytes come back, and agree with Foundation", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) {
        let source = SeededRandom(seed)
        for length in 0..<100 {
            let bytes = source.fill(length)
            #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString(), "seed \(seed)")
            for alphabet in [Base64.Alphabet.standard, .url] {
                for padded in [true, false] {
                    let text = Base64.encode(bytes, alphabet, padded: padded)
                    let padding: Base64.Padding = padded ? .required : .forbidden
                    #expect(Base64.decode(text, alphabet, padding: padding) == bytes, "seed \(seed)")
                }
            }
            #expect(Hex.decode(Hex.encode(bytes)) == bytes, "seed \(seed)")
            let noise = String(decoding: bytes.map { $0 & 0x7F }, as: UTF8.self)
            if let decoded = Base64.decode(noise) { #expect(Base64.encode(decoded) == noise, "seed \(seed)") }
        }
    }

    @Test("malformed base 16 is refused", arguments: ["0", "0g", "g0", " 00", "0x00", "00 "])
    func refusedHex(_ text: String) {
        #expect(Hex.decode(text) == nil)
    }

    @Test("comparison in constant time is comparison of bytes")
    func constantTime() {
        #expect(ConstantTime.equals([UInt8](), []))
        #expect(ConstantTime.equals([1, 2], [1, 2]))
        #expect(!ConstantTime.equals([1, 2], [1, 3]))
        #expect(!ConstantTime.equals([1, 2], [1, 2, 3]))
        #expect(!ConstantTime.equals([1], []))
        #expect(ConstantTime.equals("é", "é"))
        #expect(!ConstantTime.equals("\u{E9}", "e\u{301}"))
    }
}

@Suite("Random numbers")
struct RandomSourceTests {
    @Test("below(n) stays below n and reaches everything")
    func below() {
        let source = SeededRandom(1)
        for bound in [0, 1, 2, 3, 7, 10] as [UInt64] {
            var seen: Set<UInt64> = []
            for _ in 0..<500 { seen.insert(source.below(bound)) }
            #expect(seen == Set(0..<max(bound, 1)))
        }
        for _ in 0..<100 { #expect(source.below(.max) < .max) }
    }

    @Test("words that would favour small numbers are thrown back")
    func unbiased() {
        // 2^64 mod (2^63 + 1) words are unfair: for this bound nearly every second word.
        let source = FixedWords([0, 5, 1 << 63, 3])
        #expect(source.below((1 << 63) + 1) == 1 << 63)
    }

    @Test("codes have their digits, leading zeros too")
    func digits() {
        let source = SeededRandom(4)
        var hasLeadingZero = false
        for _ in 0..<300 {
            let code = source.digits(6)
            #expect(code.utf8.count == 6)
            #expect(code.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            hasLeadingZero = hasLeadingZero || code.hasPrefix("0")
        }
        #expect(hasLeadingZero)
        #expect(source.digits(0).utf8.count == 1)
        #expect(source.digits(18).utf8.count == 18)
        #expect(source.digits(99).utf8.count == 18)
    }

    @Test("the system's bytes have the length asked for and differ")
    func system() {
        let source = SystemRandom()
        #expect(source.fill(0).isEmpty)
        #expect(source.fill(-1).isEmpty)
        #expect(source.fill(10_000).count == 10_000)
        #expect(source.fill(32) != source.fill(32))
        #expect(source.pair() != source.pair())
    }
}

/// Hands out the given words two by two.
private final class FixedWords: RandomSource, @unchecked Sendable {
    // Used by one test from one task.
    private var words: [UInt64]

    init(_ words: [UInt64]) {
        self.words = words
    }

    func fill(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    func pair() -> (UInt64, UInt64) {
        guard words.count >= 2 else { return (0, 0) }
        return (words.removeFirst(), words.removeFirst())
    }
}
