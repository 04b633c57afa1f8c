import Bytes
import Crypto
import Testing

/// The test cases of RFC 4231 (and one with nothing at all).
struct HMACCase: Sendable, CustomTestStringConvertible {
    let name: String
    let key: String
    let message: String
    let sha256: String
    let sha384: String
    let sha512: String

    var testDescription: String { name }

    static let all: [HMACCase] = [
        HMACCase(
            name: "short key",
            key: "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
            message: "4869205468657265",
            sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            sha384: "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
            sha512: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4"
                + "be9d914eeb61f1702e696c203a126854"),
        HMACCase(
            name: "key shorter than the block",
            key: "4a656665",
            message: "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            sha384: "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
            sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd"
                + "caeab1a34d4a6b4b636e070a38bce737"),
        HMACCase(
            name: "bytes above 0x7f",
            key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            message: "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
                + "dddd",
            sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            sha384: "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27",
            sha512: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807"
                + "b946a337bee8942674278859e13292fb"),
        HMACCase(
            name: "25 byte key",
            key: "0102030405060708090a0b0c0d0e0f10111213141516171819",
            message: "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
                + "cdcd",
            sha256: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
            sha384: "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e6801dd23c4a7d679ccf8a386c674cffb",
            sha512: "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3dba91ca5c11aa25eb4d679275cc5788063"
                + "a5f19741120c4f2de2adebeb10a298dd"),
        HMACCase(
            name: "key longer than the block",
            key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            message: "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579"
                + "204669727374",
            sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            sha384: "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
            sha512: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e52"
                + "95e64f73f63f0aec8b915a985d786598"),
        HMACCase(
            name: "key and data longer than the block",
            key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            message: "5468697320697320612074657374207573696e672061206c6172676572207468616e20626c6f636b2d73697a65206b65"
                + "7920616e642061206c6172676572207468616e20626c6f636b2d73697a6520646174612e20546865206b6579206e6565"
                + "647320746f20626520686173686564206265666f7265206265696e6720757365642062792074686520484d414320616c"
                + "676f726974686d2e",
            sha256: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            sha384: "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5a678cc31e799176d3860e6110c46523e",
            sha512: "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944b6022cac3c4982b10d5eeb55c3e4de15"
                + "134676fb6de0446065c97440fa8c6a58"),
        HMACCase(
            name: "no key, no data",
            key: "",
            message: "",
            sha256: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad",
            sha384: "6c1f2ee938fad2e24bd91298474382ca218c75db3d83e114b3d4367776d14d3551289e75e8209cd4b792302840234adc",
            sha512: "b936cee86c9f87aa5d3c6f2e84cb5a4239a5fe50480a6ec66b70ab5b1f4ac6730c6c515421b327ec1d69402e53dfb49a"
                + "d7381eb067b338fd7b0cb22247225d47"),
    ]
}

@Suite("HMAC")
struct HMACTests {
    @Test("gives the tags of RFC 4231, also when its context is used again", arguments: HMACCase.all)
    func vectors(_ vector: HMACCase) throws {
        let key = HMACKey(try #require(Hex.decode(vector.key)))
        let message = try #require(Hex.decode(vector.message))
        for (hash, expected) in [
            (HMACHash.sha256, vector.sha256), (.sha384, vector.sha384), (.sha512, vector.sha512),
        ] {
            let hmac = try HMAC(key, hash)
            for _ in 0..<3 { #expect(Hex.encode(try hmac.tag(message)) == expected) }
            let tag = try #require(Hex.decode(expected))
            #expect(hmac.isValid(tag, for: message))
            #expect(!hmac.isValid(tag, for: message + [0]))
            #expect(!hmac.isValid(Array(tag.dropLast()), for: message))
            #expect(!hmac.isValid([], for: message))
            for place in [0, tag.count / 2, tag.count - 1] {
                var wrong = tag
                wrong[place] ^= 1
                #expect(!hmac.isValid(wrong, for: message))
            }
        }
    }

    @Test("a key does not print its bytes and compares by value")
    func sealed() {
        let key = HMACKey(text: "top-secret")
        #expect("\(key)" == "HMACKey(redacted)")
        #expect(!String(reflecting: key).contains("top"))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("116"))
        #expect(key == HMACKey(Array("top-secret".utf8)))
        #expect(key != HMACKey(text: "top-secreT"))
    }

    @Test("many threads may share one instance")
    func shared() async throws {
        let hmac = try HMAC(HMACKey(text: "k"))
        let expected = try (0..<50).map { try hmac.tag(Array("message \($0)".utf8)) }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<50).allSatisfy { hmac.isValid(expected[$0], for: Array("message \($0)".utf8)) }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
