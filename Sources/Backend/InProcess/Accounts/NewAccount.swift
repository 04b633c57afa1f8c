import Backend
import Bytes
import JSON
import Store

/// The rows of an account that signs up. Source: supabase-core.md 10.1, 12.
struct NewAccount: Sendable {
    var user: UserRow
    var identity: IdentityRow

    init(
        _ request: SignUpRequest, id: UserID, identityID: IdentityID, audience: String, passwordHash: String,
        _ policy: Policy, at now: Timestamp
    ) {
        user = UserRow(id: id, audience: audience, role: policy.defaultRole, createdAt: now)
        user.encryptedPassword = passwordHash
        let provider = request.provider
        user.appMetadata = Self.appMetadata(provider)
        let data = Self.identityData(request, id)
        user.userMetadata = JSONText(JSONObject().merging(data))
        identity = IdentityRow(
            id: identityID, providerID: id.description, userID: id, provider: provider, data: JSONText(data),
            lastSignInAt: now, createdAt: now)
        switch request.address {
        case .email(let email):
            user.email = email
            identity.email = email
        case .phone(let phone): user.phone = phone
        }
    }

    /// `app_metadata` of an account with one way to sign in.
    static func appMetadata(_ provider: String) -> JSONText {
        let metadata: JSONObject = ["provider": .string(provider), "providers": [.string(provider)]]
        return JSONText(metadata)
    }

    /// The data of the account's own identity: what the server knows comes before what the caller said.
    static func identityData(_ request: SignUpRequest, _ id: UserID) -> JSONObject {
        var data = request.metadata
        data["sub"] = .string(id.description)
        data["email_verified"] = false
        data["phone_verified"] = false
        if case .email(let email) = request.address { data["email"] = .string(email) }
        return data
    }

    /// Confirms the address at once.
    mutating func confirm(_ request: SignUpRequest, at now: Timestamp) {
        switch request.address {
        case .email: _ = user.confirmEmail(at: now)
        case .phone: _ = user.confirmPhone(at: now)
        }
    }

    /// The account as the answer of this request shows it: the identity with the account's own metadata, and the
    /// generated column not yet read back (supabase-core.md 4.1).
    func shown(_ user: UserRow) -> User {
        var identity = identity
        identity.data = user.userMetadata
        var answer = User(row: user, identities: [identity], factors: [])
        answer.confirmedAt = nil
        return answer
    }
}
