public import Backend

/// Hashes and compares passwords, on threads of its own. Source: supabase-core.md 8.7, architecture.md "Threads".
public protocol PasswordHashing: Sendable {
    /// A new hash of the password in the format and at the cost of the policy.
    /// - Throws: `passwordQueueFull` at once when too many wait.
    func hash(_ password: Password) async throws(AuthError) -> String
    /// Whether the password is the one behind the stored hash; false for a hash that nobody can read.
    /// - Throws: `passwordQueueFull` at once when too many wait.
    func matches(_ password: Password, hash: String) async throws(AuthError) -> Bool
    /// Whether a stored or imported text is a hash that ``matches(_:hash:)`` can read.
    func canRead(_ hash: String) -> Bool
}
