internal import CSys
internal import Glibc

/// The address of one end of a TCP connection.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address in network order: 16 bytes, or 4 bytes in the low half of `low` for IPv4.
    private let high: UInt64
    private let low: UInt64
    public let isIPv6: Bool
    public let port: UInt16

    /// An IPv4 or IPv6 address in its usual notation, `localhost`, or `*` (any IPv4 address). Nil for anything else.
    public init?(host: String, port: UInt16) {
        let name =
            switch host {
            case "localhost": "127.0.0.1"
            case "*", "": "0.0.0.0"
            default: host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
            }
        var four = in_addr()
        var six = in6_addr()
        if unsafe inet_pton(AF_INET, name, &four) == 1 {
            high = 0
            low = UInt64(UInt32(bigEndian: four.s_addr))
            isIPv6 = false
        } else if unsafe inet_pton(AF_INET6, name, &six) == 1 {
            (high, low) = Self.words(six)
            isIPv6 = true
        } else {
            return nil
        }
        self.port = port
    }

    init(_ storage: sockaddr_storage) {
        var storage = storage
        if Int32(storage.ss_family) == AF_INET6 {
            let address = unsafe withUnsafePointer(to: &storage) {
                unsafe UnsafeRawPointer($0).loadUnaligned(as: sockaddr_in6.self)
            }
            let (high, low) = Self.words(address.sin6_addr)
            port = UInt16(bigEndian: address.sin6_port)
            let isMapped = high == 0 && low >> 32 == 0xFFFF
            self.high = isMapped ? 0 : high
            self.low = isMapped ? low & 0xFFFF_FFFF : low
            isIPv6 = !isMapped
        } else {
            let address = unsafe withUnsafePointer(to: &storage) {
                unsafe UnsafeRawPointer($0).loadUnaligned(as: sockaddr_in.self)
            }
            high = 0
            low = UInt64(UInt32(bigEndian: address.sin_addr.s_addr))
            port = UInt16(bigEndian: address.sin_port)
            isIPv6 = false
        }
    }

    private static func words(_ address: in6_addr) -> (UInt64, UInt64) {
        unsafe withUnsafeBytes(of: address) {
            unsafe (
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The address's 4 or 16 bytes in network order.
    public var bytes: [UInt8] {
        let all = [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
        return isIPv6 ? all : Array(all.suffix(4))
    }

    /// Whether it is 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        isIPv6 ? high == 0 && low == 1 : low >> 24 == 127
    }

    /// The address without the port, as it is usually written.
    public var host: String {
        if !isIPv6 { return Self.dotted(UInt32(truncatingIfNeeded: low)) }
        var address = in6_addr()
        let bytes = bytes
        var text = [UInt8](repeating: 0, count: 64)
        unsafe withUnsafeMutableBytes(of: &address) { unsafe $0.copyBytes(from: bytes) }
        unsafe text.withUnsafeMutableBytes { target in
            let characters = unsafe target.bindMemory(to: CChar.self)
            _ = unsafe inet_ntop(AF_INET6, &address, characters.baseAddress, 64)
        }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Four numbers; it is asked for on each request, and fits into a string that needs no memory of its own.
    private static func dotted(_ address: UInt32) -> String {
        unsafe String(unsafeUninitializedCapacity: 15) { text in
            var count = 0
            for shift in stride(from: UInt32(24), through: 0, by: -8) {
                let number = UInt8(truncatingIfNeeded: address >> shift)
                if shift < 24 {
                    unsafe text[count] = UInt8(ascii: ".")
                    count += 1
                }
                if number >= 100 {
                    unsafe text[count] = UInt8(ascii: "0") + number / 100
                    count += 1
                }
                if number >= 10 {
                    unsafe text[count] = UInt8(ascii: "0") + number / 10 % 10
                    count += 1
                }
                unsafe text[count] = UInt8(ascii: "0") + number % 10
                count += 1
            }
            return count
        }
    }

    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Calls `body` with the kernel's form of the address.
    func withKernelAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let bytes = bytes
        return unsafe withUnsafeMutableBytes(of: &storage) { raw in
            let size: Int
            if isIPv6 {
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = port.bigEndian
                unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
                unsafe raw.storeBytes(of: address, as: sockaddr_in6.self)
                size = MemoryLayout<sockaddr_in6>.size
            } else {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                address.sin_addr.s_addr = UInt32(truncatingIfNeeded: low).bigEndian
                unsafe raw.storeBytes(of: address, as: sockaddr_in.self)
                size = MemoryLayout<sockaddr_in>.size
            }
            guard let base = raw.baseAddress else {
                return unsafe body(UnsafePointer(bitPattern: 8).unsafelyUnwrapped, 0)
            }
            return unsafe body(UnsafePointer(base.assumingMemoryBound(to: sockaddr.self)), socklen_t(size))
        }
    }
}
