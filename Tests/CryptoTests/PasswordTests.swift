import Bytes
import Crypto
import Synchronization
import Testing

@Suite("Passwords")
struct PasswordTests {
    @Test(
        "published bcrypt hashes match",
        arguments: [
            ("", "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s."),
            ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
            ("U*U", "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
            ("U*U", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ])
    func vectors(password: String, hash: String) {
        #expect(Bcrypt.matches(Array(password.utf8), hash))
        #expect(!Bcrypt.matches(Array((password + "x").utf8), hash))
    }

    @Test("any length of password is compared, by its first 72 bytes", arguments: [71, 72, 73, 512, 513, 100_000])
    func longPasswords(length: Int) throws {
        let password = [UInt8](repeating: 0x78, count: length)
        let hash = try Bcrypt.hash(password, cost: 4, random: SeededRandom(1))
        #expect(Bcrypt.matches(password, hash))
        #expect(Bcrypt.matches(password + [0x79], hash) == (length >= 72))
        #expect(!Bcrypt.matches([0x79] + password, hash))
    }

    @Test("a hash is $2a$ of the cost asked for, and salts differ")
    func hashing() throws {
        let password = Array("pässword".utf8)
        let hash = try Bcrypt.hash(password, cost: 4, random: SeededRandom(1))
        #expect(hash.hasPrefix("$2a$04$"))
        #expect(hash.utf8.count == 60)
        #expect(PasswordHash(hash) == .bcrypt(text: hash, cost: 4))
        #expect(Bcrypt.matches(password, hash))
        #expect(try Bcrypt.hash(password, cost: 4, random: SeededRandom(1)) == hash)
        #expect(try Bcrypt.hash(password, cost: 4, random: SeededRandom(2)) != hash)
        #expect(try Bcrypt.hash(password, cost: -5, random: SeededRandom(1)) == hash)
        #expect(!"\(PasswordHash(hash))".contains(hash))
    }

    @Test("72 bytes count, and no NUL byte is taken for an end")
    func limits() throws {
        let long = [UInt8](repeating: 0x61, count: 72)
        let hash = try Bcrypt.hash(long + [0x62], cost: 4, random: SeededRandom(1))
        #expect(Bcrypt.matches(long, hash))
        #expect(!Bcrypt.matches(Array(long.dropLast()), hash))
        #expect(throws: PasswordError.invalidPassword) {
            try Bcrypt.hash([0x61, 0, 0x62], cost: 4, random: SeededRandom(1))
        }
        let short = try Bcrypt.hash([0x61], cost: 4, random: SeededRandom(1))
        #expect(!Bcrypt.matches([0x61, 0], short))
        #expect(!Bcrypt.matches([0x61, 0, 0x62], short))
    }

    @Test(
        "what is no whole bcrypt hash is matched by nothing",
        arguments: [
            "", "plain", "$2a$10$short", "$1$abc$def",
            "$2a$99$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2a$05$CCCCCCCCCCCCCCCCCCCCC:E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        ])
    func unknownKinds(text: String) {
        #expect(PasswordHash(text) == .unknown)
        #expect(!PasswordHash(text).isImported)
        #expect(!Bcrypt.matches([], text))
    }

    @Test("the threads hash and compare, and refuse kinds they do not know")
    func pool() async throws {
        let hasher = PasswordHasher(threads: 2, queueMax: 8, cost: 4, random: SystemRandom())
        let hash = try await hasher.hash("secret")
        #expect(try await hasher.matches("secret", hash))
        #expect(try await !hasher.matches("Secret", hash))
        await #expect(throws: PasswordError.unsupportedHash) { try await hasher.matches("x", "$argon2id$") }
        await #expect(throws: PasswordError.invalidPassword) { try await hasher.hash("a\0b") }
    }

    @Test("more than the threads and the queue hold are refused at once, the others are served")
    func overload() async throws {
        let hasher = PasswordHasher(threads: 1, queueMax: 2, cost: 8, random: SystemRandom())
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    do throws(PasswordError) {
                        _ = try await hasher.hash("secret")
                        return true
                    } catch {
                        #expect(error == .overloaded)
                        return false
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 }.count >= 3)
        #expect(outcomes.contains(false))
        #expect(hasher.queueLength == 0)
    }

    @Test("a cancelled task gives its place up")
    func cancellation() async throws {
        let hasher = PasswordHasher(threads: 1, queueMax: 10, cost: 12, random: SystemRandom())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await hasher.hash("first") }
            while hasher.queueLength < 3 {
                group.addTask { _ = try? await hasher.hash("waiting") }
                await Task.yield()
            }
            group.cancelAll()
            await group.waitForAll()
        }
        #expect(hasher.queueLength == 0)
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                await #expect(throws: PasswordError.cancelled) { try await hasher.hash("late") }
            }
        }
    }

    @Test("after a stop whoever waits or comes is told so")
    func stopping() async throws {
        let hasher = PasswordHasher(threads: 1, queueMax: 10, cost: 12, random: SystemRandom())
        let stopped = Atomic(0)
        await withTaskGroup(of: PasswordError?.self) { group in
            while hasher.queueLength < 2 {
                group.addTask {
                    do throws(PasswordError) {
                        _ = try await hasher.hash("waiting")
                        return nil
                    } catch {
                        return error
                    }
                }
                await Task.yield()
            }
            hasher.stop()
            for await error in group where error == .stopped { stopped.add(1, ordering: .relaxed) }
        }
        #expect(stopped.load(ordering: .relaxed) >= 2)
        await #expect(throws: PasswordError.stopped) { try await hasher.hash("late") }
    }
}
