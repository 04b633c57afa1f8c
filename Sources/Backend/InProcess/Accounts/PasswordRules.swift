import Backend

/// What a new password must be. Source: supabase-core.md 8.6.
struct PasswordRules: Sendable {
    /// bcrypt looks at no more bytes than these.
    static let bytesMax = 72
    /// No setting goes below this.
    static let lengthFloor = 6

    /// Bytes.
    let lengthMin: Int
    /// Of each of these sets a password needs one character.
    let characterSets: [String]

    /// The password at hand is known to the world.
    let isLeaked: Bool

    init(_ policy: Policy, isLeaked: Bool = false) {
        self.isLeaked = isLeaked
        lengthMin = max(policy.passwordLengthMin, Self.lengthFloor)
        characterSets = policy.passwordCharacterSets.filter { !$0.isEmpty }
    }

    /// Refuses a password that breaks a rule.
    /// - Throws: `passwordTooLong`, or `passwordWeak` with one sentence for each broken rule in its argument.
    func check(_ password: Password) throws(AuthError) {
        guard password.exposed.utf8.count <= Self.bytesMax else { throw AuthError(.passwordTooLong) }
        let faults = faults(of: password)
        guard !faults.isEmpty else { return }
        throw AuthError(
            .passwordWeak, faults.map(\.sentence).joined(separator: " "), weakPasswordReasons: faults.map(\.reason))
    }

    /// What the rules say of a password that was just used; longer ones than can be set are no news here.
    func judge(_ password: Password) -> PasswordJudgement {
        let faults = faults(of: password)
        guard !faults.isEmpty, password.exposed.utf8.count <= Self.bytesMax else { return .fine }
        return .weak(message: faults.map(\.sentence).joined(separator: " "), reasons: faults.map(\.reason))
    }

    private func faults(of password: Password) -> [(reason: String, sentence: String)] {
        var faults: [(reason: String, sentence: String)] = []
        if password.exposed.utf8.count < lengthMin {
            faults.append(("length", "Password should be at least \(lengthMin) characters."))
        }
        let scalars = Set(password.exposed.unicodeScalars)
        if !characterSets.allSatisfy({ $0.unicodeScalars.contains { scalars.contains($0) } }) {
            let list = characterSets.joined(separator: ", ")
            faults.append(("characters", "Password should contain at least one character of each: \(list)."))
        }
        if isLeaked {
            faults.append(
                ("pwned", "Password is known to be weak and easy to guess, please choose a different one."))
        }
        return faults
    }
}
