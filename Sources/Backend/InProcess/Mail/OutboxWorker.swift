import Backend
public import Bytes
public import Store

/// Delivers what transactions put into the outbox, and goes on where it was after a restart.
///
/// A mail that a server refuses for good is dropped and logged; any other failure is tried again with growing pauses.
/// A mail is deleted only after it was taken over, so it may in rare cases (a crash in between) go out twice.
public struct OutboxWorker: Sendable {
    /// How long a taken message belongs to the worker that took it; longer than any delivery.
    static let lease: Duration = .seconds(120)
    /// The longest sleep: messages of another process, or postponed ones, are found after it at the latest.
    static let sleepMax: Duration = .seconds(15)
    /// The pause after the store failed.
    static let faultPause: Duration = .seconds(2)

    private let desk: MailDesk
    private let store: any AuthStore
    private let wallClock: any WallClock
    private let clock: any Clock<Duration>

    public init(_ desk: MailDesk, store: any AuthStore, wallClock: any WallClock, clock: any Clock<Duration>) {
        self.desk = desk
        self.store = store
        self.wallClock = wallClock
        self.clock = clock
    }

    /// Works until the task is cancelled; what is on its way then is finished first.
    public func run() async {
        while !Task.isCancelled {
            do {
                if try await deliverDue() > 0 { continue }
                await desk.outboxSignal.wait(upTo: Self.sleepMax, clock)
            } catch {
                desk.logger("the outbox cannot be read: \(type(of: error))")
                await desk.outboxSignal.wait(upTo: Self.faultPause, clock)
            }
        }
    }

    /// Delivers one batch of what is due and returns how many messages were in it.
    @discardableResult
    public func deliverDue() async throws -> Int {
        let now = wallClock.now()
        let limit = max(desk.configuration.deliveriesInFlightMax, 1)
        let rows = try await store.transaction { tx in
            try await tx.takeDueOutbox(at: now, until: now + Self.lease, limit: limit)
        }
        await withTaskGroup(of: Void.self) { group in
            for row in rows { group.addTask { await deliver(row) } }
        }
        return rows.count
    }

    private func deliver(_ row: OutboxRow) async {
        guard row.channel == MailDraft.channel else { return }
        guard let draft = MailDraft(row) else { return await drop(row, "it cannot be read") }
        let mail = await desk.renderer.render(draft)
        do throws(MailError) {
            try await desk.mailer.deliver(mail)
            await settle { try await $0.delete(outbox: row.id) }
        } catch {
            let tries = row.tries &+ 1
            if error.isPermanent { return await drop(row, error.description) }
            if tries >= desk.configuration.triesMax { return await drop(row, "tried \(tries) times: \(error)") }
            let next = wallClock.now() + pause(after: tries)
            desk.logger("mail \(row.id) is tried again later: \(error)")
            await settle { try await $0.postpone(outbox: row.id, to: next, tries: tries) }
        }
    }

    private func drop(_ row: OutboxRow, _ why: String) async {
        desk.logger("mail \(row.id) is given up: \(why)")
        await settle { try await $0.delete(outbox: row.id) }
    }

    private func pause(after tries: Int) -> Duration {
        var pause = desk.configuration.retryPause
        for _ in 1..<max(tries, 1) where pause < desk.configuration.retryPauseMax { pause = pause * 2 }
        return min(pause, desk.configuration.retryPauseMax)
    }

    private func settle(_ body: @escaping @Sendable (any StoreTransaction) async throws -> Void) async {
        do {
            try await store.transaction(body)
        } catch {
            desk.logger("the outbox cannot be written: \(type(of: error))")
        }
    }
}
