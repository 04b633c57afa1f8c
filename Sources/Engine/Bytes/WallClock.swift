/// Tells the time of day; a parameter everywhere, so that rules are tested without waiting.
public protocol WallClock: Sendable {
    /// The time now.
    func now() -> Timestamp
}
