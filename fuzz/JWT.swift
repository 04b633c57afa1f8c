import Bytes
import Crypto

let verifier: JWTVerifier? = {
    guard let key = try? VerificationKey(secret: "a-test-secret-of-at-least-thirty-two-characters") else { return nil }
    return JWTVerifier(keys: [], secret: key)
}()

/// Any bytes as a token as they stand, and as header and claims (cut at the first line feed) of an unsigned one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let verifier else { return -1 }
    let now = Timestamp(unixSeconds: 1_800_000_000)
    let isTaken = (try? verifier.verify(bytes, now: now)) != nil
    precondition(!isTaken, "a token that nobody signed is taken")
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let header = Base64.encodeURL(Array(parts[0]))
    let claims = parts.count > 1 ? Base64.encodeURL(Array(parts[1])) : ""
    for signature in ["", Base64.encodeURL([UInt8](repeating: 1, count: 32))] {
        let isForged = (try? verifier.verify("\(header).\(claims).\(signature)", now: now)) != nil
        precondition(!isForged, "a forged token is taken")
    }
    return 0
}
