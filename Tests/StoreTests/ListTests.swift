import Backend
import Bytes
import JSON
import Store
import TestKit
import Testing

@Suite struct ListTests {
    private let fixtures = Fixtures()

    private func query(
        _ filter: String? = nil, ascending: Bool = true, offset: Int = 0, limit: Int = 50
    ) -> UserQuery {
        UserQuery(
            audience: "authenticated", filter: filter, isAscending: ascending, offset: offset, limit: limit)
    }

    @Test("pages of a long list join without a gap or a double, both ways") func paging() async throws {
        try await TemporaryStore.use { store in
            var users: [UserRow] = []
            for number in 0..<1_003 {
                // Many share a time: the id decides then.
                if number % 10 == 0 { fixtures.clock.advance(by: .seconds(1)) }
                users.append(fixtures.user("u\(number)@example.com"))
            }
            users.append(fixtures.user("x@example.com", audience: "other"))
            let rows = users
            try await store.write { for row in rows { try await $0.insert(row) } }
            for isAscending in [true, false] {
                var seen: [UserID] = []
                for offset in stride(from: 0, to: 1_100, by: 100) {
                    let page = try await store.reader.users(
                        query(ascending: isAscending, offset: offset, limit: 100))
                    #expect(page.total == 1_003)
                    seen += page.rows.map(\.id)
                }
                #expect(seen.count == 1_003)
                #expect(Set(seen).count == 1_003)
                let times = try await store.reader.users(query(ascending: isAscending, limit: 2_000)).rows
                    .map(\.createdAt)
                #expect(times == (isAscending ? times.sorted() : times.sorted(by: >)))
            }
        }
    }

    @Test(
        "a list is walked from place to place without a gap or a double, both ways, with a filter or without",
        arguments: [true, false], [nil, "1@"])
    func places(isAscending: Bool, filter: String?) async throws {
        try await TemporaryStore.use { store in
            var users: [UserRow] = []
            for number in 0..<103 {
                if number % 10 == 0 { fixtures.clock.advance(by: .seconds(1)) }
                users.append(fixtures.user("u\(number)@example.com"))
            }
            users.append(fixtures.user("x1@example.com", audience: "other"))
            let rows = users
            try await store.write { for row in rows { try await $0.insert(row) } }
            let whole = try await store.reader.users(query(filter, ascending: isAscending, limit: 200)).rows.map(\.id)
            var seen: [UserID] = []
            var place = UserQuery.Place.start
            while true {
                var question = query(filter, ascending: isAscending, limit: 7)
                question.after = place
                let page = try await store.reader.users(question)
                #expect(page.total == 0)
                guard let last = page.rows.last else { break }
                seen += page.rows.map(\.id)
                place = .user(createdAt: last.createdAt, id: last.id)
            }
            #expect(seen == whole)
            #expect(seen.count == (filter == nil ? 103 : 11))
        }
    }

    @Test(
        "odd pages are empty or whole, never an error",
        arguments: [
            (-5, 10, 3), (0, -1, 0), (0, Int.max, 3), (Int.max, 10, 0), (3, 10, 0),
        ])
    func oddPages(offset: Int, limit: Int, count: Int) async throws {
        try await TemporaryStore.use { store in
            let rows = (0..<3).map { fixtures.user("u\($0)@example.com") }
            try await store.write { for row in rows { try await $0.insert(row) } }
            let page = try await store.reader.users(query(offset: offset, limit: limit))
            #expect(page.rows.count == count)
            #expect(page.total == 3)
        }
    }

    @Test(
        "the filter looks into address and full name as LIKE and ILIKE do",
        arguments: [
            ("ann", ["ann@example.com"]),
            ("ANN", []),
            ("BOB SM", ["bob@example.com"]),
            ("bob sm", ["bob@example.com"]),
            ("a%n@", ["ann@example.com"]),
            ("b_b@", ["bob@example.com"]),
            ("b_@", []),
            ("%", ["ann@example.com", "bob@example.com", "c*[d@example.com"]),
            ("100\\%", ["ann@example.com"]),
            ("1\\0", ["ann@example.com"]),
            ("*", ["c*[d@example.com"]),
            ("[d", ["c*[d@example.com"]),
            ("?", []),
            ("\\", ["c*[d@example.com"]),
            ("'", []),
            ("", ["ann@example.com", "bob@example.com", "c*[d@example.com"]),
        ])
    func filter(text: String, expected: [String]) async throws {
        try await TemporaryStore.use { store in
            var ann = fixtures.user("ann@example.com")
            ann.userMetadata = try JSONText(#"{"full_name":"It is 100% her"}"#)
            fixtures.clock.advance(by: .seconds(1))
            var bob = fixtures.user("bob@example.com")
            bob.userMetadata = try JSONText(#"{"full_name":"Bob Smith"}"#)
            fixtures.clock.advance(by: .seconds(1))
            var odd = fixtures.user("c*[d@example.com")
            odd.userMetadata = try JSONText(#"{"full_name":"back\\slash"}"#)
            let rows = [ann, bob, odd]
            try await store.write { for row in rows { try await $0.insert(row) } }
            let page = try await store.reader.users(query(text))
            #expect(page.rows.compactMap(\.email) == expected)
            #expect(page.total == expected.count)
        }
    }
}
