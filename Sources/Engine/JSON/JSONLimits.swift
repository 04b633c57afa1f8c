/// How much a JSON text may ask of the reader.
public struct JSONLimits: Sendable {
    /// Arrays and objects inside each other, at most; never above ``depthMax``.
    public let depth: Int
    /// The length of the text in bytes, at most.
    public let bytes: Int

    /// The deepest nesting any limit can allow: the reader and the writer recurse, and a loop's stack is finite.
    public static let depthMax = 512

    /// 128 levels and 1 MiB: more than any request of a Supabase client has.
    public static let standard = JSONLimits(depth: 128, bytes: 1 << 20)

    public init(depth: Int = 128, bytes: Int = 1 << 20) {
        self.depth = min(max(depth, 1), Self.depthMax)
        self.bytes = max(bytes, 0)
    }
}
