/// How far the body of the current request is.
struct BodyState {
    /// The head is complete and the body is awaited.
    var isReading = false
    /// When the head was complete, in nanoseconds of the loop's clock.
    var began: UInt64 = 0
    /// Bytes of the body that have come, framing included.
    var received = 0
    var decoder: ChunkDecoder?
    /// In a chunked body: where the decoded bytes end, and where the bytes begin that the decoder has not seen.
    var decodedEnd = 0
    var rawStart = 0
    var hasContinued = false
}

/// What is kept of a request while its answer is being made.
struct Flight {
    var head = RequestHead()
    var bytesIn = 0
    var began: UInt64 = 0
    /// The target, kept only for an observer.
    var target: [UInt8] = []
    /// Which flight of the connection it is: the answer of an earlier one is dropped.
    var number: UInt64 = 0
    /// When ``orElse`` answers; 0: never.
    var deadline: UInt64 = 0
    var orElse: (@Sendable () -> HTTPResponse)?
}
