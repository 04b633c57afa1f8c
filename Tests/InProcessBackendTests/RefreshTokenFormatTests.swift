import Bytes
import Crypto
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Forms of refresh tokens")
struct RefreshTokenFormatTests {
    static let session = UUID("11111111-2222-4333-8444-555555555555")

    static func read(_ text: String) -> RefreshTokenFormat? {
        RefreshTokenFormat(text)
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
        let key = HMACKey(Array(0..<32))
        guard case .counter(let token)? = Self.read(text) else {
            Issue.record("not read")
            return
        }
        #expect(token.session == session)
        #expect(token.counter == counter)
        #expect(token.text == text)
        #expect(token.isGenuine(key))
        #expect(!token.isGenuine(HMACKey(Array(1..<33))))
        #expect(try CounterToken(session: session, counter: counter, key: key).text == text)
        #expect(!String(reflecting: token).contains(text.suffix(20)))
    }

    @Test("any counter is written and read back", arguments: [0, 1, 127, 128, 16_383, 16_384, UInt64.max >> 1, .max])
    func counters(_ counter: UInt64) throws {
        let key = HMACKey(random: SeededRandom())
        let token = try CounterToken(session: try #require(Self.session), counter: counter, key: key)
        #expect(token.text.utf8.count <= CounterToken.lengthMax)
        let read = try #require(CounterToken(token.text))
        #expect(read == token)
        #expect(read.isGenuine(key))
    }

    @Test("no change of one character leaves a token genuine")
    func tampering() throws {
        let key = HMACKey(random: SeededRandom())
        let text = try CounterToken(session: try #require(Self.session), counter: 300, key: key).text
        for place in text.indices {
            let other: Character = text[place] == "A" ? "B" : "A"
            let changed = text.replacingCharacters(at: place, with: other)
            #expect(CounterToken(changed).map { $0.isGenuine(key) } != true)
        }
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

extension String {
    fileprivate func replacingCharacters(at place: Index, with character: Character) -> String {
        String(self[..<place]) + String(character) + String(self[index(after: place)...])
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
