internal import Backend
internal import Bytes
internal import JSON

// Each initialiser takes the columns that `Columns` lists for it, from left to right.

extension UserRow {
    init(_ row: inout RowReader) throws(StoreError) {
        self.init(try Values(&row))
    }
}

extension UserRow.Values {
    fileprivate init(_ row: inout RowReader) throws(StoreError) {
        let id = UserID(try row.uuid())
        self.init(id: id, audience: row.text(), role: row.text(), createdAt: .epoch, updatedAt: .epoch)
        email = row.optionalText()
        encryptedPassword = row.optionalText()
        emailConfirmedAt = row.time()
        invitedAt = row.time()
        confirmationToken = row.text()
        confirmationSentAt = row.time()
        recoveryToken = row.text()
        recoverySentAt = row.time()
        emailChangeTokenNew = row.text()
        emailChange = row.text()
        emailChangeSentAt = row.time()
        emailChangeTokenCurrent = row.text()
        emailChangeConfirmStatus = Int(row.integer())
        lastSignInAt = row.time()
        appMetadata = row.object()
        userMetadata = row.object()
        phone = row.optionalText()
        phoneConfirmedAt = row.time()
        phoneChange = row.text()
        phoneChangeToken = row.text()
        phoneChangeSentAt = row.time()
        reauthenticationToken = row.text()
        reauthenticationSentAt = row.time()
        bannedUntil = row.time()
        deletedAt = row.time()
        isSSOUser = row.bool()
        isAnonymous = row.bool()
        createdAt = row.requiredTime()
        updatedAt = row.requiredTime()
    }
}

extension IdentityRow {
    init(_ row: inout RowReader) throws(StoreError) {
        let id = IdentityID(try row.uuid())
        let providerID = row.text()
        let userID = UserID(try row.uuid())
        self.init(
            id: id, providerID: providerID, userID: userID, provider: row.text(), data: row.object(),
            lastSignInAt: row.time(), createdAt: row.requiredTime())
        updatedAt = row.requiredTime()
        email = row.optionalText()
    }
}

extension SessionRow {
    init(_ row: inout RowReader) throws(StoreError) {
        self.init(try Values(&row))
    }
}

extension SessionRow.Values {
    fileprivate init(_ row: inout RowReader) throws(StoreError) {
        let id = SessionID(try row.uuid())
        self.init(
            id: id, userID: UserID(try row.uuid()), createdAt: row.requiredTime(), updatedAt: row.requiredTime())
        factorID = row.optionalUUID().map { FactorID($0) }
        aal = row.optionalText() ?? "aal1"
        notAfter = row.time()
        refreshedAt = row.time()
        userAgent = row.optionalText()
        ip = row.optionalText()
        tag = row.optionalText()
        oauthClientID = row.optionalUUID()
        refreshTokenHMACKey = row.optionalText()
        refreshTokenCounter = row.optionalInteger()
        scopes = row.optionalText()
    }
}

extension RefreshTokenRow {
    init(_ row: inout RowReader) throws(StoreError) {
        let id = row.integer()
        let token = row.text()
        let userID = UserID(try row.uuid())
        let isRevoked = row.bool()
        let parent = row.optionalText()
        let sessionID = row.optionalUUID().map { SessionID($0) }
        self.init(token: token, userID: userID, parent: parent, sessionID: sessionID, createdAt: row.requiredTime())
        self.id = id
        self.isRevoked = isRevoked
        updatedAt = row.requiredTime()
    }
}

extension AMRClaimRow {
    init(_ row: inout RowReader) {
        self.init(method: row.text(), createdAt: row.requiredTime(), updatedAt: row.requiredTime())
    }
}

extension OneTimeTokenRow {
    init(_ row: inout RowReader) throws(StoreError) {
        let id = try row.uuid()
        let userID = UserID(try row.uuid())
        let name = row.text()
        guard let type = OneTimeTokenType(rawValue: name) else {
            throw StoreError.failed("a one-time token is of a type that is not known: \(name)")
        }
        self.init(
            id: id, userID: userID, type: type, hash: row.text(), relatesTo: row.text(),
            createdAt: row.requiredTime())
    }
}

extension FactorRow {
    init(_ row: inout RowReader) throws(StoreError) {
        let id = FactorID(try row.uuid())
        let userID = UserID(try row.uuid())
        let name = row.text()
        self.init(id: id, userID: userID, type: row.text(), status: row.text(), createdAt: .epoch)
        friendlyName = name
        phone = row.optionalText()
        createdAt = row.requiredTime()
        updatedAt = row.requiredTime()
        lastChallengedAt = row.time()
        webAuthnAAGUID = row.optionalText()
        lastWebAuthnChallengeData = row.json()
    }
}

extension FlowStateRow {
    init(_ row: inout RowReader) throws(StoreError) {
        let id = FlowStateID(try row.uuid())
        let userID = row.optionalUUID().map { UserID($0) }
        let authCode = row.optionalText()
        let method = row.optionalText()
        let challenge = row.optionalText()
        let provider = row.text()
        let accessToken = row.text()
        let refreshToken = row.text()
        let authentication = row.text()
        let issuedAt = row.time()
        self.init(
            id: id, providerType: provider, authenticationMethod: authentication, createdAt: row.requiredTime())
        self.userID = userID
        self.authCode = authCode
        codeChallengeMethod = method
        codeChallenge = challenge
        providerAccessToken = accessToken
        providerRefreshToken = refreshToken
        authCodeIssuedAt = issuedAt
        updatedAt = row.requiredTime()
    }
}

extension AuditRow {
    init(_ row: inout RowReader) throws(StoreError) {
        self.init(id: try row.uuid(), payload: row.object(), createdAt: row.requiredTime())
        ipAddress = row.text()
    }
}

extension OutboxRow {
    init(_ row: inout RowReader) {
        let id = row.integer()
        self.init(
            channel: row.text(), recipient: row.text(), payload: row.object(), createdAt: row.requiredTime())
        self.id = id
        nextTryAt = row.requiredTime()
        tries = Int(row.integer())
    }
}

extension InboxRow {
    init(_ row: inout RowReader) {
        let id = row.integer()
        self.init(
            channel: row.text(), recipient: row.text(), sender: row.text(), subject: row.text(), html: row.text(),
            text: row.text(), code: row.optionalText(), link: row.optionalText(), createdAt: row.requiredTime())
        self.id = id
    }
}
