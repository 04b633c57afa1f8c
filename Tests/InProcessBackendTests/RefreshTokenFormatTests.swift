import Bytes
import Crypto
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Forms of refresh tokens")
struct RefreshTokenFormatTests {
    static let session = UUID("11111111-2222-4333-8444-555555555555")

    static func read(_ text: String) -> RefreshTokenFormat? {
        RefreshTokenFormat(text, digest: { SHA.sha256($0) })
    }

    @Test("a new token has twelve characters a-z2-7 and is read back")
    func fresh() {
        let random = SeededRandom()
        var seen: Set<String> = []
        for _ in 0..<200 {
            let token = RefreshTokenFormat.classic(random)
            #expect(token.utf8.count == 12)
            #expect(token.allSatisfy { ("a"..."z").contains($0) || ("2"..."7").contains($0) })
            #expect(Self.read(token) == .classic(token))
            seen.insert(token)
        }
        #expect(seen.count == 200)
    }

    @Test(
        "counter tokens of the test vectors",
        arguments: [
            ("ABEREREiIkMzhERVVVVVVVUAI-IcsaseXEKS7q68JAgmU-80L2M", UInt64(0)),
            ("ABEREREiIkMzhERVVVVVVVUBpozOYVM-sPhnYYTBWpQpN52uNiY", 1),
            ("ABEREREiIkMzhERVVVVVVVV_DoKMAtgL2BLkGnCN7zt03TRKutc", 127),
            ("ABEREREiIkMzhERVVVVVVVWAAe7PGNiO7NAJ0pIX0qyR-ysJW7oj", 128),
            ("ABEREREiIkMzhERVVVVVVVWsAg7ZC0vLuQzqLzMCy_Bbh8fZrB2g", 300),
        ])
    func vectors(_ text: String, _ counter: UInt64) throws {
        let session = try #require(Self.session)
        #expect(Self.read(text) == .counter(session: session, counter: counter))
    }

    @Test(
        "what can be no token is refused",
        arguments: [
            "", "short", "abcdefghijkl ", "ABCDEFGHIJKL", "abcdefghijk-", "abcdefghijké",
            "ABEREREiIkMzhERVVVVVVVUAI-IcsaseXEKS7q68JAgmU-80L2N",
            "BBEREREiIkMzhERVVVVVVVUAI-IcsaseXEKS7q68JAgmU-80L2M",
            "ABEREREiIkMzhERVVVVVVVUAI-IcsaseXEKS7q68JAgmU-80L2",
            "ABEREREiIkMzhERVVVVVVVUAI-IcsaseXEKS7q68JAgmU-80L2M=",
            "ABEREREiIkMzhERVVVVVVVUAI-IcsaseXEKS7q68JAgmU-80L2MABEREREiIkMz",
        ])
    func refused(_ text: String) {
        #expect(Self.read(text) == nil)
    }
}

@Suite("Hashes that nobody knows the password of")
struct BcryptShapeTests {
    @Test("they have the form of a hash and match nothing", arguments: [4, 5])
    func form(_ cost: Int) {
        for hash in [BcryptShape.nobodys(cost: cost), BcryptShape.unknowable(cost: cost, SeededRandom())] {
            #expect(PasswordHash(hash) == .bcrypt(text: hash, cost: cost))
            #expect(!Bcrypt.matches(Array("password".utf8), hash))
            #expect(!Bcrypt.matches([], hash))
        }
    }

    @Test("two are never the same")
    func differ() {
        let random = SeededRandom()
        #expect(BcryptShape.unknowable(cost: 10, random) != BcryptShape.unknowable(cost: 10, random))
    }
}
