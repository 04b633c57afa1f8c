extension Span<UInt8> {
    /// An owned copy.
    @inlinable
    public var array: [UInt8] {
        unsafe withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    /// The bytes as text, invalid UTF-8 replaced.
    @inlinable
    public var text: String {
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
