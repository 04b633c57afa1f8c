internal import Backend

/// One transaction's part of a batch of the writer. Used on the writer's thread only.
@safe final class WriteTicket {
    /// Users whose rows the body wrote: their stamps move when it is committed.
    var touched: [UserID] = []
    /// Whose refresh token was read or written last.
    var tokenOwner: (id: Int64, user: UserID)?
    /// Why nothing of it is kept, whatever its body says.
    var failure: StoreError?
    /// Where its caller goes on after the commit.
    var continuation: UnsafeContinuation<Void, Never>?
}
