import Backend
import Store
import TestKit
import Testing

@Suite struct SmokeTests {
    @Test("a user that was written is read back") func roundTrip() async throws {
        let fixtures = Fixtures()
        try await TemporaryStore.use { store in
            let user = fixtures.user("a@example.com")
            try await store.write { try await $0.insert(user) }
            let found = try await store.reader.user(user.id)
            #expect(found?.email == "a@example.com")
            try await store.probe()
        }
    }
}
