/// A growable queue of bytes with one owner: bytes are appended at the end and consumed at the front.
///
/// Offsets count from the first readable byte. Growing and consuming move no more than they must; a buffer without
/// contents owns no memory until the first byte arrives. Not thread-safe: it belongs to one connection or one loop.
@safe
public struct ByteBuffer: ~Copyable {
    /// The smallest block that is allocated, in bytes; also the size of the blocks a `BlockPool` recycles.
    public static let blockBytes = 16 * 1024

    @usableFromInline var base: UnsafeMutablePointer<UInt8>?
    @usableFromInline var capacity = 0
    @usableFromInline var start = 0
    @usableFromInline var end = 0

    /// An empty buffer that owns no memory yet.
    @inlinable
    public init() {
        unsafe base = nil
    }

    @inlinable
    deinit {
        unsafe base?.deallocate()
    }

    /// Readable bytes.
    @inlinable
    public var count: Int { end &- start }

    @inlinable
    public var isEmpty: Bool { end == start }

    /// The readable bytes, valid while the buffer is not changed.
    @inlinable
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span: Span<UInt8>
            if let base = unsafe base {
                unsafe span = Span(_unsafeStart: UnsafePointer(base + start), count: end &- start)
            } else {
                span = Span()
            }
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Drops `count` bytes at the front (at most all).
    @inlinable
    public mutating func consume(_ count: Int) {
        start = min(end, start &+ max(0, count))
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Keeps the first `count` readable bytes and drops those behind them.
    @inlinable
    public mutating func truncate(to count: Int) {
        end = min(end, start &+ max(0, count))
    }

    /// Makes room for `count` more bytes.
    @inlinable
    public mutating func reserve(_ count: Int) {
        if capacity &- end < count { grow(count) }
    }

    /// Appends one byte.
    @inlinable
    public mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe base.unsafelyUnwrapped[end] = byte
        end &+= 1
    }

    /// Appends a copy of `bytes`.
    @inlinable
    public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(copying: $0) }
    }

    /// Appends a copy of `bytes`.
    @inlinable
    public mutating func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(copying: $0) }
    }

    /// Appends a literal.
    @inlinable
    public mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe append(copying: $0) }
    }

    /// Appends the UTF-8 form of `text`. (Literals go to the other overload, which makes no string of them.)
    @_disfavoredOverload
    @inlinable
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append(copying: $0) }
    }

    /// Appends `value` in decimal.
    @inlinable
    public mutating func append(decimal value: Int) {
        reserve(20)
        var rest = value.magnitude
        if value < 0 { append(UInt8(ascii: "-")) }
        var digits = 1
        var probe = rest
        while probe >= 10 {
            probe /= 10
            digits &+= 1
        }
        var index = end &+ digits
        end = index
        repeat {
            index &-= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            unsafe base.unsafelyUnwrapped[index] = UInt8(truncatingIfNeeded: digit) &+ 48
            rest = quotient
        } while rest != 0
    }

    /// Appends the canonical form of `uuid` in lower case.
    public mutating func append(_ uuid: UUID) {
        reserve(UUID.textLength)
        let digits = uuid.digits
        let text = unsafe UnsafeMutableRawPointer(base.unsafelyUnwrapped + end)
        unsafe text.storeBytes(of: digits.0.littleEndian, as: UInt64.self)
        unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: digits.1).littleEndian, toByteOffset: 9, as: UInt32.self)
        unsafe text.storeBytes(of: UInt32(digits.1 &>> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
        unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: digits.2).littleEndian, toByteOffset: 19, as: UInt32.self)
        unsafe text.storeBytes(of: UInt32(digits.2 &>> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
        unsafe text.storeBytes(of: digits.3.littleEndian, toByteOffset: 28, as: UInt64.self)
        unsafe text.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 8, as: UInt8.self)
        unsafe text.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 13, as: UInt8.self)
        unsafe text.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 18, as: UInt8.self)
        unsafe text.storeBytes(of: UInt8(ascii: "-"), toByteOffset: 23, as: UInt8.self)
        end &+= UUID.textLength
    }

    @inlinable
    mutating func append(copying source: UnsafeBufferPointer<UInt8>) {
        let count = source.count
        guard count > 0, let from = source.baseAddress else { return }
        reserve(count)
        unsafe (base.unsafelyUnwrapped + end).update(from: from, count: count)
        end &+= count
    }

    /// Puts `bytes` before the readable byte at `offset`, moving what follows.
    public mutating func insert(_ bytes: Span<UInt8>, at offset: Int) {
        let offset = min(max(0, offset), count)
        let added = bytes.count
        reserve(added)
        guard added > 0, let base = unsafe base else { return }
        let place = unsafe base + start + offset
        unsafe (place + added).update(from: place, count: count - offset)
        unsafe bytes.withUnsafeBufferPointer {
            if let from = $0.baseAddress { unsafe place.update(from: from, count: added) }
        }
        end += added
    }

    /// Moves `count` readable bytes from offset `from` to offset `to`; the ranges may overlap. Ranges are clamped.
    public mutating func move(from: Int, to: Int, count: Int) {
        guard let base = unsafe base, from >= 0, to >= 0, count > 0 else { return }
        guard from &+ count <= self.count, to &+ count <= self.count else { return }
        unsafe (base + start + to).update(from: base + start + from, count: count)
    }

    /// Lets `body` write into at least `count` free bytes; it returns how many it wrote (0 or less: none).
    @inlinable
    public mutating func appendWritten(
        atLeast count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Int {
        reserve(max(1, count))
        let room = capacity &- end
        let wrote = unsafe body(UnsafeMutableRawBufferPointer(start: base.unsafelyUnwrapped + end, count: room))
        if wrote > 0 { end &+= min(wrote, room) }
        return wrote
    }

    /// Empties the buffer and keeps its memory.
    @inlinable
    public mutating func removeAll() {
        start = 0
        end = 0
    }

    /// Slides the contents to the front or moves them to a larger block, so that `count` bytes fit behind them.
    @usableFromInline
    mutating func grow(_ count: Int) {
        let used = end - start
        if let base = unsafe base, capacity - used >= count, start >= used || start > capacity / 2 {
            unsafe base.update(from: base + start, count: used)
        } else {
            var size = max(Self.blockBytes, capacity)
            while size - used < count { size *= 2 }
            let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
            if let base = unsafe base {
                unsafe fresh.update(from: base + start, count: used)
                unsafe base.deallocate()
            }
            unsafe base = fresh
            capacity = size
        }
        start = 0
        end = used
    }

    /// An owned copy of the readable bytes at these offsets; what lies beyond the contents is left out.
    public func array(_ range: Range<Int>) -> [UInt8] {
        let all = bytes
        return all.extracting(range.clamped(to: 0..<all.count)).array
    }

    /// An owned copy of the readable bytes.
    public func array() -> [UInt8] {
        let span = bytes
        // Of no bytes, the standard library would write to the empty array that all threads share.
        guard !span.isEmpty else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: span.count) { target, count in
            for index in 0..<span.count { unsafe target[index] = span[index] }
            count = span.count
        }
    }
}

/// A free list of blocks, so that idle connections hold no buffers and busy ones share those that are warm.
///
/// Not thread-safe: one per loop.
@safe
public struct BlockPool: ~Copyable {
    /// Blocks kept at most; more are given back to the allocator.
    public let blocksMax: Int
    /// The two blocks given back last (an input and an output, as a rule), before the list of the others.
    var warm: UnsafeMutablePointer<UInt8>?
    var warmer: UnsafeMutablePointer<UInt8>?
    var blocks: [UnsafeMutablePointer<UInt8>]

    public init(blocksMax: Int = 256) {
        self.blocksMax = blocksMax
        unsafe blocks = []
    }

    deinit {
        unsafe warm?.deallocate()
        unsafe warmer?.deallocate()
        unsafe blocks.forEach { unsafe $0.deallocate() }
    }

    /// Gives `buffer` a block if it has none.
    public mutating func fill(_ buffer: inout ByteBuffer) {
        guard unsafe buffer.base == nil else { return }
        if let block = unsafe warmer {
            unsafe warmer = nil
            unsafe buffer.base = block
        } else if let block = unsafe warm {
            unsafe warm = nil
            unsafe buffer.base = block
        } else if let block = unsafe blocks.popLast() {
            unsafe buffer.base = block
        } else {
            buffer.reserve(ByteBuffer.blockBytes)
            return
        }
        buffer.capacity = ByteBuffer.blockBytes
    }

    /// Takes the memory of `buffer`, which must be empty; blocks of the standard size are kept for the next `fill`.
    public mutating func recycle(_ buffer: inout ByteBuffer) {
        guard buffer.isEmpty, let block = unsafe buffer.base else { return }
        if buffer.capacity != ByteBuffer.blockBytes {
            unsafe block.deallocate()
        } else if unsafe warm == nil {
            unsafe warm = block
        } else if unsafe warmer == nil {
            unsafe warmer = block
        } else if unsafe blocks.count < blocksMax {
            unsafe blocks.append(block)
        } else {
            unsafe block.deallocate()
        }
        unsafe buffer.base = nil
        buffer.capacity = 0
        buffer.start = 0
        buffer.end = 0
    }
}
