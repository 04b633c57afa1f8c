internal import Backend

/// One transaction's part of a batch of the writer. Used on the writer's thread only.
@safe final class WriteTicket {
    /// Users whose rows the body wrote: their stamps move when it is committed.
    var touched: [UserID] = []
    /// Whether it wrote anything, so that there is something to undo when it fails.
    var hasWritten = false
    /// Whether a savepoint keeps what others of the batch wrote apart from it.
    let hasSavepoint: Bool
    /// Whether the batch was undone and its body has to run anew.
    var runsAgain = false
    /// Whose refresh token was read or written last.
    var tokenOwner: (id: Int64, user: UserID)?
    /// Why nothing of it is kept, whatever its body says.
    var failure: StoreError?
    /// Where its caller goes on after the commit.
    var continuation: UnsafeContinuation<Void, Never>?

    init(hasSavepoint: Bool) {
        self.hasSavepoint = hasSavepoint
    }
}
