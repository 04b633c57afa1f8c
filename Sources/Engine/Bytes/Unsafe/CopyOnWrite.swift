/// A value of many parts behind one reference: handing it on costs one count instead of one for each part, and a frame
/// that keeps it one word. Changing it while others hold it copies it first.
///
/// For values that many steps of an asynchronous operation hand on: each step's frame lies on the heap, and what it
/// holds is copied there (docs/decisions/0014-values-behind-references.md).
public struct CopyOnWrite<Value: Sendable>: Sendable {
    /// `@unchecked Sendable`: changed only while exactly one reference is left, which the changing value holds.
    @usableFromInline
    final class Storage: @unchecked Sendable {
        /// Not checked at run time: whoever changes it holds the only reference.
        @exclusivity(unchecked)
        @usableFromInline var value: Value

        @inlinable
        init(_ value: Value) {
            unsafe self.value = value
        }
    }

    @usableFromInline var storage: Storage

    @inlinable
    public init(_ value: Value) {
        storage = Storage(value)
    }

    @inlinable
    public var value: Value {
        _read { yield unsafe storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = unsafe Storage(storage.value) }
            yield unsafe &storage.value
        }
    }
}
