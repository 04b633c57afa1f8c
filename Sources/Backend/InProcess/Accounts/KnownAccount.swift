import Backend
import Store

/// What is there already when an address signs up. Source: supabase-core.md 10.1 #11, #13.
enum KnownAccount: Sendable {
    case none
    case unconfirmed(UserRow)
    case confirmed(UserRow)

    static func find(
        _ address: SignUpRequest.Address, audience: String, in reader: any StoreReader
    ) async throws -> KnownAccount {
        switch address {
        case .email(let email):
            for identity in try await reader.identities(email: email) {
                guard let user = try await reader.user(identity.userID), user.audience == audience, !user.isSSOUser
                else {
                    continue
                }
                return user.emailConfirmedAt == nil ? .unconfirmed(user) : .confirmed(user)
            }
            // Addresses are unique over all audiences: another audience's account counts as taken.
            guard let user = try await reader.user(email: email) else { return .none }
            return user.emailConfirmedAt == nil && user.audience == audience ? .unconfirmed(user) : .confirmed(user)
        case .phone(let phone):
            guard let user = try await reader.user(phone: phone) else { return .none }
            return user.phoneConfirmedAt == nil && user.audience == audience ? .unconfirmed(user) : .confirmed(user)
        }
    }
}
