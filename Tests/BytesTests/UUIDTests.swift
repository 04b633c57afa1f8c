import Bytes
import Testing

@Suite("UUIDs")
struct UUIDTests {
    @Test("the canonical form is read in either case and written in lower case")
    func text() throws {
        let uuid = try #require(UUID("00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(uuid.description == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(uuid.high == 0x0011_2233_4455_6677)
        #expect(uuid.low == 0x8899_AABB_CCDD_EEFF)
        #expect(UUID(bytes: uuid.bytes) == uuid)
        #expect(UUID(uuid.description) == uuid)
        var out = Array("x".utf8)
        uuid.append(to: &out)
        #expect(String(decoding: out, as: UTF8.self) == "x" + uuid.description)
    }

    @Test(
        "any other form is refused",
        arguments: [
            "", "0", "00112233445566778899aabbccddeeff", "{00112233-4455-6677-8899-aabbccddeeff}",
            "urn:uuid:00112233-4455-6677-8899-aabbccddeeff", "00112233-4455-6677-8899-aabbccddeef",
            "00112233-4455-6677-8899-aabbccddeeff0", "0011223-34455-6677-8899-aabbccddeeff",
            "g0112233-4455-6677-8899-aabbccddeeff", "00112233-4455-6677-8899-aabbccddee\u{E9}",
            " 0112233-4455-6677-8899-aabbccddeeff", "00112233_4455_6677_8899_aabbccddeeff",
        ])
    func refused(_ text: String) {
        #expect(UUID(text) == nil)
    }

    @Test("only 16 bytes make one")
    func bytes() {
        #expect(UUID(bytes: []) == nil)
        #expect(UUID(bytes: [UInt8](repeating: 1, count: 15)) == nil)
        #expect(UUID(bytes: [UInt8](repeating: 1, count: 17)) == nil)
        #expect(UUID(bytes: [UInt8](repeating: 0, count: 16)) == .zero)
    }

    @Test("random ones have version 4 and the RFC's variant, and differ")
    func random() {
        let source = SeededRandom(1)
        var seen: Set<UUID> = []
        for _ in 0..<200 {
            let uuid = UUID(random: source)
            let text = Array(uuid.description)
            #expect(text[14] == "4")
            #expect("89ab".contains(text[19]))
            #expect(UUID(uuid.description) == uuid)
            seen.insert(uuid)
        }
        #expect(seen.count == 200)
        #expect(UUID(random: SystemRandom()) != UUID(random: SystemRandom()))
    }

    @Test("they are ordered as their text is")
    func order() {
        let source = SeededRandom(2)
        let sorted = (0..<100).map { _ in UUID(random: source) }.sorted()
        #expect(sorted.map(\.description) == sorted.map(\.description).sorted())
        #expect(!(UUID.zero < UUID.zero))
    }
}
