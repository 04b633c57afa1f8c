import Bytes
import Crypto
import Testing

struct DigestCase: Sendable, CustomTestStringConvertible {
    let message: String
    let sha1: String
    let sha224: String
    let sha256: String
    let sha384: String
    let sha512: String

    var testDescription: String { String(message.prefix(20)) }

    static let all: [DigestCase] = [
        DigestCase(
            message: "",
            sha1: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            sha224: "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
            sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            sha384: "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
            sha512: "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f"
                + "63b931bd47417a81a538327af927da3e"),
        DigestCase(
            message: "abc",
            sha1: "a9993e364706816aba3e25717850c26c9cd0d89d",
            sha224: "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            sha384: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
            sha512: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
                + "454d4423643ce80e2a9ac94fa54ca49f"),
        DigestCase(
            message: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            sha1: "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
            sha224: "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525",
            sha256: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            sha384: "3391fdddfc8dc7393707a65b1b4709397cf8b1d162af05abfe8f450de5f36bc6b0455a8520bc4e6f5fe95b1fe3c8452b",
            sha512: "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c33596fd15c13b1b07f9aa1d3bea57789ca0"
                + "31ad85c7a71dd70354ec631238ca3445"),
        DigestCase(
            message: String(repeating: "x", count: 200),
            sha1: "94218caae9904e93a3d7bf578bf4791926fc5e82",
            sha224: "3ef8bae4a84311d748956ef862adec84a5745f44618cb3909def1e13",
            sha256: "aa20c23e3201834050679e1d88941b9a6fed0557c9a705cb2c315e2e63fd486d",
            sha384: "34c6d696dcbb86ee441ff110160cef6c192104b72fe208884fb0188d0085516f02214a16c913be2ba620fb6e7c9a4a54",
            sha512: "ef978e23dc520404ae16fd17bde9ee5945610d671551d6863a5ffbc99433fc726726e51f989b886191be9325b8f8b03b"
                + "1a63fe3e5eff23d126c2f41f07d2bf87"),
    ]
}

@Suite("SHA")
struct SHATests {
    @Test("gives the digests of FIPS 180-4", arguments: DigestCase.all)
    func vectors(_ vector: DigestCase) {
        let message = Array(vector.message.utf8)
        #expect(Hex.encode(SHA.sha1(message)) == vector.sha1)
        #expect(Hex.encode(SHA.sha224(message)) == vector.sha224)
        #expect(Hex.encode(SHA.sha256(message)) == vector.sha256)
        #expect(Hex.encode(SHA.sha384(message)) == vector.sha384)
        #expect(Hex.encode(SHA.sha512(message)) == vector.sha512)
        #expect(SHA.sha224Hex(vector.message) == vector.sha224)
        #expect(SHA.sha256Hex(vector.message) == vector.sha256)
    }
}
