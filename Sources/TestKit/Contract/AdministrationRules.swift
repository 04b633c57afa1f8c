import Backend
import Bytes
import JSON

/// Administration. Source: supabase-admin.md 4–8; FR-05, FR-41, FR-42.
extension BackendContract {
    static let administration: [ContractRule] = [
        ContractRule("An account is made, read, changed and deleted") { world in
            let user = try await world.account("a@example.com") {
                $0.userMetadata = ["name": "A"]
                $0.appMetadata = ["plan": "gold"]
                $0.role = "editor"
            }
            try expectEqual(user.role, "editor", "role")
            try expectEqual(user.appMetadata.object["plan"]?.string, "gold", "app_metadata")
            let read = try await world.asRoot { try await world.backend.adminUser(user.id, $0, $1) }
            try expectEqual(read.email, "a@example.com", "read")
            let changed = try await world.change(user.id) { $0.email = "b@example.com" }
            try expectEqual(changed.email, "b@example.com", "changed")
            try await world.asRoot { try await world.backend.adminDeleteUser(user.id, softly: false, $0, $1) }
            try await expectRefusal(.userNotFound, "deleted") {
                _ = try await world.asRoot { try await world.backend.adminUser(user.id, $0, $1) }
            }
        },
        ContractRule("What cannot be made is refused") { world in
            _ = try await world.account("a@example.com")
            try await expectRefusal(.emailExists, "twice") { _ = try await world.account("a@example.com") }
            try await expectRefusal(.adminAddressMissing, "no address") {
                _ = try await world.account("") { $0.email = nil }
            }
            try await expectRefusal(.adminPasswordAndHash, "password and hash") {
                _ = try await world.account("b@example.com") { $0.passwordHash = "$2a$04$x" }
            }
            let broken = try await expectRefusal(.banDurationMalformed, "ban") {
                _ = try await world.account("c@example.com") { $0.banDuration = "soon" }
            }
            try expect(broken.remote == nil || broken.remote?.code == "validation_failed", "its code")
        },
        ContractRule("Pages of accounts tell how many there are") { world in
            for number in 1...5 { _ = try await world.account("user-\(number)@example.com") }
            var query = UserListQuery()
            query.page = "2"
            query.perPage = "2"
            query.sort = ["created_at asc"]
            let wanted = query
            let page = try await world.asRoot { try await world.backend.adminUsers(wanted, $0, $1) }
            try expectEqual(page.total, 5, "total")
            try expectEqual(page.users.count, 2, "on the page")
            try expectEqual(page.page, 2, "page")
            try expectEqual(page.perPage, 2, "page length")
            try expect(page.users.allSatisfy { $0.identities == nil }, "identities are not shown in lists")
            query.perPage = "x"
            let broken = query
            try await expectRefusal(.paginationMalformed, "no number") {
                _ = try await world.asRoot { try await world.backend.adminUsers(broken, $0, $1) }
            }
            query = UserListQuery()
            query.filter = "user-3"
            let filtered = query
            let found = try await world.asRoot { try await world.backend.adminUsers(filtered, $0, $1) }
            try expectEqual(found.users.map(\.email), ["user-3@example.com"], "filtered")
        },
        ContractRule("A password that an administrator sets throws all sessions out") { world in
            let user = try await world.account("a@example.com")
            let session = try await world.signIn("a@example.com")
            _ = try await world.change(user.id) { $0.userMetadata = ["a": 1] }
            _ = try await world.user(session)
            _ = try await world.change(user.id) { $0.password = Password("another-horse-2") }
            try await expectRefusal(.sessionUnknown, "its session") { _ = try await world.user(session) }
            _ = try await world.signIn("a@example.com", "another-horse-2")
        },
        ContractRule("A softly deleted account keeps nothing, and its address is free") { world in
            let user = try await world.account("a@example.com")
            try await world.asRoot { try await world.backend.adminDeleteUser(user.id, softly: true, $0, $1) }
            try await expectRefusal(.invalidCredentials, "its password") { _ = try await world.signIn("a@example.com") }
            let second = try await world.account("a@example.com")
            try expect(second.id != user.id, "another account")
        },
        ContractRule("An invitation and a made link sign in") { world in
            var invitation = Invitation()
            invitation.email = "a@example.com"
            invitation.userMetadata = ["team": "red"]
            let wanted = invitation
            world.pass()
            let user = try await world.asRoot { try await world.backend.invite(wanted, $0, $1) }
            try expect(user.invitedAt != nil, "invited")
            try expect(try await world.isSignedIn(try await world.mail("a@example.com").link), "the invitation")
            var request = LinkRequest(type: "magiclink")
            request.email = "a@example.com"
            let magic = request
            world.pass()
            let link = try await world.asRoot { try await world.backend.generateLink(magic, $0, $1) }
            try expectEqual(link.user.id, user.id, "whose")
            try expectEqual(link.verificationType, "magiclink", "type")
            try expect(link.user.unknownMembers == nil, "the link's members are not the user's")
            try expect(try await world.isSignedIn(link.actionLink.exposed), "the link")
            request.type = "nonsense"
            let broken = request
            try await expectRefusal(.linkTypeInvalid, "type") {
                _ = try await world.asRoot { try await world.backend.generateLink(broken, $0, $1) }
            }
        },
        ContractRule("The audit log tells who signed in") { world in
            _ = try await world.member("a@example.com")
            _ = try await world.signIn("a@example.com")
            var query = AuditQuery()
            query.query = "action:login"
            let wanted = query
            let page = try await world.asRoot { try await world.backend.auditLog(wanted, $0, $1) }
            try expect(!page.entries.isEmpty, "entries")
            try expect(page.entries.allSatisfy { $0.payload.object["action"]?.string == "login" }, "their action")
            try expect(page.total >= page.entries.count, "total")
        },
    ]
}
