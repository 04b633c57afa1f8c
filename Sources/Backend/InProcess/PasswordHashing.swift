public import Backend
public import Crypto

/// Hashes and compares passwords, on threads of its own. Source: supabase-core.md 8.7, architecture.md "Threads".
public protocol PasswordHashing: Sendable {
    /// A new hash of the password in the format and at the cost of the policy.
    /// - Throws: `passwordQueueFull` at once when too many wait, `textHasNUL`.
    func hash(_ password: Password) async throws(AuthError) -> String
    /// Whether the password is the one behind the stored hash; false for a hash that nobody can read.
    /// - Throws: `passwordQueueFull` at once when too many wait.
    func matches(_ password: Password, hash: String) async throws(AuthError) -> Bool
}

extension PasswordHasher: PasswordHashing {
    /// A new bcrypt hash.
    public func hash(_ password: Password) async throws(AuthError) -> String {
        do {
            return try await hash(password.exposed)
        } catch {
            throw AuthError(password: error)
        }
    }

    /// Whether the password is the one that was hashed; false for a kind of hash that is not read here.
    public func matches(_ password: Password, hash: String) async throws(AuthError) -> Bool {
        do {
            return try await matches(password.exposed, hash)
        } catch PasswordError.unsupportedHash {
            // The same work as for any other account: how long it takes tells nothing.
            guard hash != BcryptShape.nobodys(cost: cost) else { return false }
            return try await matches(password, hash: BcryptShape.nobodys(cost: cost))
        } catch {
            throw AuthError(password: error)
        }
    }
}

extension AuthError {
    /// How long a caller should wait when the queue of passwords is full.
    private static let passwordRetry = Duration.seconds(1)

    fileprivate init(password error: PasswordError) {
        switch error {
        case .overloaded: self.init(.passwordQueueFull, retryAfter: Self.passwordRetry)
        case .cancelled: self.init(.timedOut, detail: "cancelled while a password waited")
        case .stopped: self.init(.unavailable, retryAfter: Self.passwordRetry, detail: "the hasher is stopped")
        case .invalidPassword: self.init(.textHasNUL)
        case .unsupportedHash, .failed: self.init(.unexpected, detail: "password: \(error)")
        }
    }
}
