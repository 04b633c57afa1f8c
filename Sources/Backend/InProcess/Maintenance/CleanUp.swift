public import Backend
public import Bytes
public import Store

/// Removes old rows while the server runs, a few at a time. Source: supabase-core.md 7.6, supabase-schema.md 10.
public struct CleanUp: Sendable {
    /// Rows of one step in one transaction: small enough that no request waits for it.
    static let rowsMax = 100
    /// Between two rounds.
    static let pause: Duration = .seconds(60)
    static let day: Duration = .seconds(86_400)

    private let policy: Policy
    private let store: any AuthStore
    private let wallClock: any WallClock
    private let clock: any Clock<Duration>
    private let logger: @Sendable (String) -> Void

    public init(
        policy: Policy, store: any AuthStore, wallClock: any WallClock, clock: any Clock<Duration>,
        logger: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.policy = policy
        self.store = store
        self.wallClock = wallClock
        self.clock = clock
        self.logger = logger
    }

    /// Works until the task is cancelled; returns at once where the policy does not clean up.
    public func run() async {
        guard policy.cleansUp else { return }
        while !Task.isCancelled {
            do {
                try await runOnce()
                try await clock.sleep(for: Self.pause)
            } catch is CancellationError {
                return
            } catch {
                logger("clean-up failed: \(type(of: error))")
                do { try await clock.sleep(for: Self.pause) } catch { return }
            }
        }
    }

    /// One round over all steps. Returns how many rows went.
    @discardableResult
    public func runOnce() async throws -> Int {
        var count = 0
        for step in CleanUpStep.allCases {
            guard let age = Self.age(step, policy) else { continue }
            let before = wallClock.now() - age
            count += try await store.transaction { try await $0.cleanUp(step, before: before, limit: Self.rowsMax) }
        }
        return count
    }

    /// How old rows of a step must be; nil leaves the step out.
    static func age(_ step: CleanUpStep, _ policy: Policy) -> Duration? {
        switch step {
        case .revokedRefreshTokens, .refreshTokensOfEndedSessions, .flowStates, .challenges, .unverifiedFactors: day
        case .endedSessions: day * 3
        case .anonymousUsers: policy.anonymousRetentionDays > 0 ? day * policy.anonymousRetentionDays : nil
        }
    }
}
