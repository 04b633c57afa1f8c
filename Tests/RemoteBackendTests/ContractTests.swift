import Backend
import Store
import TestKit
import Testing

@Suite("The contract of backends", .timeLimit(.minutes(2)))
struct ContractTests {
    @Test("in process, on SQLite", arguments: BackendContract.rules)
    func inProcess(_ rule: ContractRule) async throws {
        try await TemporaryStore.use { store in
            try await rule.body(OwnWorld(store, rule.policy))
        }
    }

    @Test("remote, with a second server behind it", arguments: BackendContract.rules)
    func remote(_ rule: ContractRule) async throws {
        try await TemporaryStore.use { store in
            let world = try RemoteWorld(OwnWorld(store, rule.policy))
            defer { world.stop() }
            try await rule.body(world)
        }
    }
}
