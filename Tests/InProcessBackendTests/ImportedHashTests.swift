import Backend
import Crypto
import Store
import TestKit
import Testing

@testable import InProcessBackend

@Suite("Signing in with imported hashes")
struct ImportedHashTests {
    private static let argon2 =
        "$argon2id$v=19$m=4096,t=2,p=1$c2l4dGVlbi1zYWx0LWJ5dA$stnVkRRyVNNaiEfgnbknZatQu/ytuCHIiJ9aSZyBm5k"
    private static let password = "argon-password-1"

    private func withImport(_ hash: String, _ body: (TestWorld, UserID) async throws -> Void) async throws {
        try await inWorld { world in
            let user = try await world.account {
                $0.password = nil
                $0.passwordHash = hash
            }
            try await body(world, user.id)
        }
    }

    private func stored(_ user: UserID, in world: TestWorld) async throws -> String? {
        try await world.store.reader.user(user)?.encryptedPassword
    }

    @Test("the first good sign-in puts a bcrypt hash in its place; a wrong password leaves it")
    func rehash() async throws {
        try await withImport(Self.argon2) { world, user in
            #expect(
                await failure { () throws(AuthError) in try await world.signIn(password: "wrong") }
                    == .invalidCredentials)
            #expect(try await stored(user, in: world) == Self.argon2)
            _ = try await world.signIn(password: Self.password)
            let hash = try await stored(user, in: world) ?? ""
            #expect(PasswordHash(hash) == .bcrypt(text: hash, cost: 4))
            _ = try await world.signIn(password: Self.password)
            #expect(try await stored(user, in: world) == hash)
            #expect(
                await failure { () throws(AuthError) in try await world.signIn(password: "wrong") }
                    == .invalidCredentials)
        }
    }

    @Test("a password that bcrypt would cut off keeps the hash that looks at all of it")
    func longPasswords() async throws {
        // libargon2: argon2id of 80 times "p" with the salt "saltsalt", m=64, t=1, p=1.
        let hash = "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$94ljxl24PPB8ZOYOVwyW7A"
        try await withImport(hash) { world, user in
            _ = try await world.signIn(password: String(repeating: "p", count: 80))
            #expect(try await stored(user, in: world) == hash)
            #expect(
                await failure { () throws(AuthError) in
                    try await world.signIn(password: String(repeating: "p", count: 79))
                } == .invalidCredentials)
        }
    }

    @Test("many first sign-ins at once all get in")
    func race() async throws {
        try await withImport(Self.argon2) { world, user in
            let reasons = await withTaskGroup(of: AuthError.Reason?.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        await failure { () throws(AuthError) in try await world.signIn(password: Self.password) }
                    }
                }
                return await group.reduce(into: [AuthError.Reason?]()) { $0.append($1) }
            }
            #expect(reasons.allSatisfy { $0 == nil })
            let hash = try await stored(user, in: world)
            #expect(!PasswordHash(try #require(hash)).isImported)
        }
    }
}
