public import Backend
public import Bytes
public import JSON
public import Store
import Synchronization

/// The auth server itself: the rules over a store of our own.
///
/// One value serves all loops; it holds no state but caches that are checked on each use, so several (with different
/// policies) may stand over one store. Clock, randomness, hashing and keys are parameters.
public final class InProcessBackend: Sendable {
    /// What the rules need from outside.
    public struct Dependencies: Sendable {
        public var store: any AuthStore
        public var clock: any WallClock
        public var random: any RandomSource
        public var passwords: any PasswordHashing
        public var tokens: AccessTokenKeys
        /// How mails leave; without one they wait in the outbox, or are refused where delivery comes first.
        public var mail: MailDesk?
        /// How text messages leave; nil where there is no provider.
        public var messages: (any MessageSender)?
        /// Who knows leaked passwords; nil asks nobody.
        public var leakedPasswords: (any LeakedPasswordSource)?
        /// What `GET /settings` tells when more is set than the policy knows (providers, passkeys); nil derives it.
        public var publicSettings: PublicSettings?

        public init(
            store: any AuthStore, clock: any WallClock, random: any RandomSource, passwords: any PasswordHashing,
            tokens: AccessTokenKeys, mail: MailDesk? = nil, messages: (any MessageSender)? = nil
        ) {
            self.store = store
            self.clock = clock
            self.random = random
            self.passwords = passwords
            self.tokens = tokens
            self.mail = mail
            self.messages = messages
        }
    }

    /// The rules' settings.
    public let policy: Policy
    let store: any AuthStore
    let clock: any WallClock
    let random: any RandomSource
    let passwords: any PasswordHashing
    let tokens: AccessTokenKeys
    let mail: MailDesk?
    let messages: (any MessageSender)?
    let leakedPasswords: (any LeakedPasswordSource)?
    let accounts: AccountCache
    let shownSettings: PublicSettings?
    let redirects: RedirectRules
    let links: LinkBuilder
    /// How many text messages may still leave.
    let textBudget: Mutex<SendBudget>
    /// To which addresses messages were asked for lately, with an account or without.
    let askedFor = Mutex(SendMemory())

    public init(policy: Policy, _ dependencies: Dependencies) {
        self.policy = policy
        store = dependencies.store
        clock = dependencies.clock
        random = dependencies.random
        passwords = dependencies.passwords
        tokens = dependencies.tokens
        mail = dependencies.mail
        messages = dependencies.messages
        leakedPasswords = dependencies.leakedPasswords
        shownSettings = dependencies.publicSettings
        accounts = AccountCache()
        redirects = RedirectRules(policy)
        links = LinkBuilder(policy)
        textBudget = Mutex(SendBudget(policy.smsLimit))
    }
}

extension InProcessBackend: AuthBackend {
    /// Nothing to do: ``authenticate(_:as:)`` has judged already.
    public func confirm(_ principal: Principal, _ context: RequestContext) async throws(AuthError) {}

    /// What sign-in offers, from the policy. Source: supabase-core.md 10.14.
    public func publicSettings(_ context: RequestContext) async throws(AuthError) -> PublicSettings {
        if let shownSettings { return shownSettings }
        var providers: Set<String> = []
        if policy.isEmailEnabled { providers.insert("email") }
        if policy.isPhoneEnabled { providers.insert("phone") }
        if policy.areAnonymousSignInsEnabled { providers.insert("anonymous_users") }
        return PublicSettings(
            enabledProviders: providers, isSignUpDisabled: policy.isSignUpDisabled,
            autoconfirmsEmail: policy.autoconfirmsEmail, autoconfirmsPhone: policy.autoconfirmsPhone)
    }

    /// The public keys of the key set; none where tokens are signed with a shared secret.
    public func publicKeys(_ context: RequestContext) async throws(AuthError) -> JSONText {
        tokens.publicKeySet
    }
}
