import Bytes
import Crypto
import Testing

@Suite("Imported password hashes")
struct ImportedHashTests {
    /// Hashes with the passwords behind them; the last one is Firebase's own published example.
    static let vectors = [
        (
            "argon-password-1",
            "$argon2id$v=19$m=4096,t=2,p=1$c2l4dGVlbi1zYWx0LWJ5dA$stnVkRRyVNNaiEfgnbknZatQu/ytuCHIiJ9aSZyBm5k"
        ),
        ("argon-password-1", "$argon2i$v=19$m=4096,t=3,p=1$c2l4dGVlbi1zYWx0LWJ5dA$Dp+PUHMimA8oDt7g7Y1jRug99NxgrwN+"),
        (
            "user1password",
            "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKb"
                + "m0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqA"
                + "jTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
        ),
    ]

    @Test("a password matches the hash that another system made of it, and no other does", arguments: vectors)
    func matching(password: String, hash: String) async throws {
        let hasher = PasswordHasher(threads: 1, cost: 4, random: SystemRandom())
        #expect(PasswordHash(hash).isImported)
        #expect(try await hasher.matches(password, hash))
        #expect(try await !hasher.matches(password + "x", hash))
        #expect(try await !hasher.matches(password + "\0", hash))
        #expect(try await !hasher.matches("", hash))
        #expect(!"\(PasswordHash(hash))".contains("="))
    }

    @Test("several lanes are worked on by one thread, and a password may be of any length")
    func lanes() async throws {
        // Made with libargon2 on four threads.
        let hash = "$argon2id$v=19$m=64,t=1,p=4$c2FsdHNhbHQ$tq5j12Nft1+Hh91dY5IUcA"
        let hasher = PasswordHasher(threads: 1, cost: 4, random: SystemRandom())
        #expect(try await hasher.matches("password", hash))
        #expect(try await !hasher.matches(String(repeating: "p", count: 100_000), hash))
    }

    @Test(
        "a text that is not wholly of its kind, or asks for too much work, is no hash",
        arguments: [
            "$argon2d$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g", "$argon2id$v=16$m=64,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$m=64,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g", "$argon2id$v=19$m=64,t=1$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=64,t=1,p=1,keyid=a$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=64,t=1,p=1,data=a$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=1048577,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=64,t=21,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=640,t=1,p=17$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=0,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=64,t=0,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=7,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=-64,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=99999999999999999999,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ=$aGFzaGhhc2g", "$argon2id$v=19$m=64,t=1,p=1$$aGFzaGhhc2g",
            "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$", "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ", "$argon2id$",
            "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g$",
            "argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2g",
            "$fbscrypt$", "$fbscrypt$v=1,n=14", "$fbscrypt$v=2,n=1,r=1,p=1,sk=c2s=$c2FsdA==$aGE=",
            "$fbscrypt$v=1,n=31,r=1,p=1,sk=c2s=$c2FsdA==$aGE=", "$fbscrypt$v=1,n=30,r=1,p=1,sk=c2s=$c2FsdA==$aGE=",
            "$fbscrypt$v=1,n=20,r=9,p=1,sk=c2s=$c2FsdA==$aGE=", "$fbscrypt$v=1,n=1,r=1,p=17,sk=c2s=$c2FsdA==$aGE=",
            "$fbscrypt$v=1,n=0,r=1,p=1,sk=c2s=$c2FsdA==$aGE=", "$fbscrypt$v=1,n=1,r=1,p=1$c2FsdA==$aGE=",
            "$fbscrypt$v=1,n=1,r=1,p=1,sk=c2s=,ss=c2s=$c2FsdA==$aGE=",
            "$fbscrypt$v=1,n=1,r=1,p=1,sk=c2s$c2FsdA==$aGE=",
            "$fbscrypt$v=1,n=1,r=1,p=1,sk=c2s=$c2FsdA==$aGFzaA==",
            "$fbscrypt$v=1,n=1,r=4294967296,p=1,sk=c2s=$c2FsdA==$aGE=",
        ])
    func refused(text: String) {
        #expect(PasswordHash(text) == .unknown)
    }
}
