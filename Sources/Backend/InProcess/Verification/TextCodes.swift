import Backend
import Bytes
import Synchronization

/// What a text message's code is for, as the error about its sending says it. Source: supabase-admin.md 14.
enum TextPurpose: String, Sendable {
    /// A sign-up or sign-in.
    case confirmation
    case phoneChange = "phone_change"
    case reauthentication
}

/// A code that went to a number.
struct SentCode: Sendable {
    /// What is stored of it.
    let stored: String
    /// Told to the caller; nil where it is not (supabase-core.md 14 #8).
    let messageID: String?
}

extension InProcessBackend {
    /// What the reference tells in place of a message's id when nothing was sent.
    static let testMessageID = "test-otp"

    /// Makes a code for a number and sends it; no transaction is open. A number with a fixed code is sent nothing.
    /// Source: supabase-core.md 8.5, 9.2.
    /// - Throws: `smsProviderMissing`, `smsSendLimit`, `smsNotDelivered`.
    func sendCode(_ purpose: TextPurpose, to phone: String, channel: String) async throws(AuthError) -> SentCode {
        if let code = policy.testCode(for: phone, at: clock.now()) {
            return SentCode(stored: code.hash(for: phone), messageID: Self.testMessageID)
        }
        let code = OneTimeCode.random(length: policy.smsCodeLength, random)
        guard let messages else { throw AuthError(.smsProviderMissing) }
        let now = clock.now()
        guard textBudget.withLock({ $0.take(at: now) }) else { throw AuthError(.smsSendLimit) }
        do {
            _ = try await messages.send(TextMessage(phone: phone, code: code.exposed, channel: channel))
        } catch {
            throw AuthError(.smsNotDelivered, purpose.rawValue, error.description)
        }
        return SentCode(stored: code.hash(for: phone), messageID: nil)
    }
}
