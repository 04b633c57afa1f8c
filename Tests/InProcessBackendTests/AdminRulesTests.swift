import Backend
import Bytes
import JSON
import Store
import Testing

@testable import InProcessBackend

@Suite("What administrators write")
struct AdminRulesTests {
    @Test(
        "ban durations",
        arguments: [
            ("", BanDuration.unchanged), ("none", .lifted), ("0", .lifted), ("0s", .lifted),
            ("2h45m30s", .lasts(.seconds(9930))), ("1.5h", .lasts(.seconds(5400))), ("-1h", .lasts(.seconds(-3600))),
            ("876000h", .lasts(.seconds(3_153_600_000))),
        ])
    func bans(_ text: String, _ expected: BanDuration) throws {
        #expect(try BanDuration(text) == expected)
    }

    @Test(
        "malformed ban durations are told as Go tells them",
        arguments: [
            ("100", "time: missing unit in duration \"100\""), ("7d", "time: unknown unit \"d\" in duration \"7d\""),
            ("NONE", "time: invalid duration \"NONE\""), ("1h ", "time: unknown unit \"h \" in duration \"1h \""),
            ("9999999999999h", "time: invalid duration \"9999999999999h\""), ("h", "time: invalid duration \"h\""),
        ])
    func badBans(_ text: String, _ complaint: String) {
        #expect { try BanDuration(text) } throws: { error in
            (error as? AuthError)?.reason == .banDurationMalformed && (error as? AuthError)?.arguments == [complaint]
        }
    }

    @Test("a ban is from now")
    func appliedBan() {
        let now = Timestamp(unixSeconds: 1000)
        var until: Timestamp? = Timestamp(unixSeconds: 5)
        #expect(!BanDuration.unchanged.apply(to: &until, at: now))
        #expect(until == Timestamp(unixSeconds: 5))
        #expect(BanDuration.lasts(.seconds(60)).apply(to: &until, at: now))
        #expect(until == Timestamp(unixSeconds: 1060))
        #expect(BanDuration.lifted.apply(to: &until, at: now))
        #expect(until == nil)
    }

    @Test(
        "sort and page faults, the sort first",
        arguments: [
            ("x", "", ["name"], "bad field for sort 'name'"),
            ("", "", [""], "bad field for sort ''"),
            ("", "", ["created_at up"], "bad direction for sort 'up', only 'asc' and 'desc' allowed"),
            ("", "", ["created_at  asc"], "bad direction for sort ' asc', only 'asc' and 'desc' allowed"),
            ("", "", ["created_at asc", "email asc"], "bad field for sort 'email'"),
            ("x", "", [], "strconv.ParseUint: parsing \"x\": invalid syntax"),
            ("-1", "", [], "strconv.ParseUint: parsing \"-1\": invalid syntax"),
            ("", "1.5", [], "strconv.ParseUint: parsing \"1.5\": invalid syntax"),
            (
                "99999999999999999999", "", [],
                "strconv.ParseUint: parsing \"99999999999999999999\": value out of range"
            ),
            ("", "0", [], "per_page must be greater than 0"),
        ])
    func badPaging(_ page: String, _ perPage: String, _ sort: [String], _ complaint: String) {
        var query = UserListQuery()
        query.page = page
        query.perPage = perPage
        query.sort = sort
        #expect { try UserListPaging(query) } throws: { ($0 as? AuthError)?.arguments == [complaint] }
    }

    @Test(
        "pages become offsets",
        arguments: [
            (nil, nil, 0, 50), ("", "", 0, 50), ("0", "2", 0, 2), ("1", "2", 0, 2), ("3", "2", 4, 2),
            ("18446744073709551615", "10", Int.max, 10), ("1", "99999999", 0, UserListPaging.perPageMax),
        ])
    func paging(_ page: String?, _ perPage: String?, _ offset: Int, _ limit: Int) throws {
        var query = UserListQuery()
        query.page = page
        query.perPage = perPage
        let paging = try UserListPaging(query)
        #expect(paging.offset == offset)
        #expect(paging.perPage == limit)
        #expect(!paging.isAscending)
    }

    @Test(
        "faults of a list that is walked by cursors",
        arguments: [
            ("0", "", "limit must be greater than 0"),
            ("x", "", "strconv.ParseUint: parsing \"x\": invalid syntax"),
            ("", "!!", "invalid cursor encoding: illegal base64 data at input byte 0"),
            ("", "e30=", "invalid cursor encoding: illegal base64 data at input byte 3"),
            ("", "e", "invalid cursor encoding: illegal base64 data at input byte 1"),
            ("", "W10", "invalid cursor: not an object"),
            ("", "e30", "invalid cursor: missing id"),
            ("", "eyJpZCI6IjExMTExMTExLTExMTEtMTExMS0xMTExLTExMTExMTExMTExMSJ9", "invalid cursor: missing created_at"),
        ])
    func badCursors(limit: String, cursor: String, complaint: String) {
        var query = UserListQuery()
        query.limit = limit
        query.cursor = cursor
        #expect { try UserListCursor(query) } throws: { ($0 as? AuthError)?.arguments == [complaint] }
    }

    @Test("a cursor is read back as the place it was made of, and limits are held to their bound")
    func cursors() throws {
        let id = try #require(UserID("11111111-1111-1111-1111-111111111111"))
        let user = UserRow(id: id, audience: "", role: "", createdAt: Timestamp(microseconds: 1_700_000_000_123_456))
        var query = UserListQuery()
        query.cursor = UserListCursor.text(after: user)
        query.limit = "5000"
        let cursor = try UserListCursor(query)
        #expect(cursor.place == .user(createdAt: user.createdAt, id: id))
        #expect(cursor.limit == UserListCursor.limitMax)
        #expect(try UserListCursor(UserListQuery()).place == .start)
        query.perPage = "2"
        #expect(!UserListCursor.isAsked(query))
    }

    @Test("softly deleted values are those of the reference")
    func softDeletion() throws {
        let id = try #require(UserID("11111111-1111-1111-1111-111111111111"))
        #expect(SoftDeletion.obfuscated("a@example.com", of: id) == "XAm5Bm63v7DHcLPuxlU8QNxTf2Ak5rGHnyc8vDbpBRY")
        #expect(SoftDeletion.obfuscatedPhone("15551234567", of: id) == "t_Jic2IjCqfP_xM")
        #expect(SoftDeletion.obfuscated("", of: id) == "uv3onAQeF1YIK5M6rxbK2OZd7EjedIR5NS9lfondbaU")
        let now = Timestamp(unixSeconds: 1)
        var identity = IdentityRow(
            id: IdentityID(.zero), providerID: id.description, userID: id, provider: "email", data: .emptyObject,
            lastSignInAt: nil, createdAt: now)
        SoftDeletion.apply(to: &identity, at: now)
        #expect(identity.providerID == "L3HHkSS0oleqlAdt5TyP5UOBxL_OujQndxedhTXLXCs")
    }

    @Test("audit payloads are in alphabetical order, with the name only when there is one")
    func audit() throws {
        let id = try #require(UserID("11111111-1111-1111-1111-111111111111"))
        var user = UserRow(id: id, audience: "authenticated", role: "", createdAt: .epoch)
        user.email = "a@example.com"
        #expect(
            InProcessBackend.auditPayload(.login, by: AuditActor(user), [("provider", "email")]).description
                == #"{"action":"login","actor_id":"11111111-1111-1111-1111-111111111111","#
                + #""actor_username":"a@example.com","actor_via_sso":false,"log_type":"account","#
                + #""traits":{"provider":"email"}}"#)
        user.phone = "15550001111"
        user.userMetadata = try JSONText(#"{"full_name":"Ann \"A\" Abel","x":{"full_name":1}}"#)
        #expect(
            InProcessBackend.auditPayload(.tokenRefreshed, by: AuditActor(user), []).description
                == #"{"action":"token_refreshed","actor_id":"11111111-1111-1111-1111-111111111111","#
                + #""actor_name":"Ann \"A\" Abel","actor_username":"15550001111","actor_via_sso":false,"#
                + #""log_type":"token"}"#)
    }
}
