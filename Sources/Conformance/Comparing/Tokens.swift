import Bytes

/// Finds what stands for itself nowhere: ids, hashes, tokens and times inside texts.
///
/// Each finder answers where the thing that begins at an index ends, or nil.
enum Tokens {
    typealias Finder = ([UInt8], Int) -> Int?

    /// The text with every find replaced, from the left.
    static func rewrite(_ text: [UInt8], _ find: Finder, _ label: (ArraySlice<UInt8>) -> [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        var copied = 0
        var index = 0
        while index < text.count {
            if let end = find(text, index), end > index {
                out += text[copied..<index]
                out += label(text[index..<end])
                copied = end
                index = end
            } else {
                index += 1
            }
        }
        return copied == 0 ? text : out + text[copied...]
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isHex(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte) }

    /// Whether a word ends or begins between the byte before the index and the one at it.
    static func isWordBoundary(_ text: [UInt8], _ index: Int) -> Bool {
        isWord(text, before: index) != isWord(text, at: index)
    }

    static func isWord(_ text: [UInt8], at index: Int) -> Bool {
        guard index < text.count else { return false }
        if text[index] < 0x80 { return Base64.isURLCharacter(text[index]) && text[index] != UInt8(ascii: "-") }
        return String(decoding: text[index..<min(index + 4, text.count)], as: UTF8.self).unicodeScalars.first
            .map(ScalarSet.isWord) ?? false
    }

    static func isWord(_ text: [UInt8], before index: Int) -> Bool {
        guard index > 0 else { return false }
        var start = index - 1
        while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
        return isWord(text, at: start)
    }

    private static func starts(_ text: [UInt8], _ index: Int, _ part: StaticString) -> Int? {
        let count = part.utf8CodeUnitCount
        guard index + count <= text.count, Scan.equals(text.span.extracting(index..<(index + count)), part) else {
            return nil
        }
        return index + count
    }

    /// Matches a shape in which `h` is a small hexadecimal digit, `9` a digit, and anything else itself.
    private static func shape(_ text: [UInt8], _ index: Int, _ shape: StaticString) -> Int? {
        let count = shape.utf8CodeUnitCount
        guard index + count <= text.count else { return nil }
        let fits = shape.description.utf8.enumerated().allSatisfy { offset, wanted in
            let byte = text[index + offset]
            switch wanted {
            case UInt8(ascii: "h"): return isHex(byte)
            case UInt8(ascii: "9"): return isDigit(byte)
            default: return byte == wanted
            }
        }
        return fits ? index + count : nil
    }

    static func uuid(_ text: [UInt8], _ index: Int) -> Int? {
        guard isHex(text[index]) else { return nil }
        return shape(text, index, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh")
    }

    /// The hash of a one-time code: 56 hexadecimal digits, with or without `pkce_`.
    static func hash(_ text: [UInt8], _ index: Int) -> Int? {
        guard isHex(text[index]) || text[index] == UInt8(ascii: "p"), isWordBoundary(text, index) else { return nil }
        let start = starts(text, index, "pkce_") ?? index
        guard start + 56 <= text.count, text[start..<(start + 56)].allSatisfy(isHex), isWordBoundary(text, start + 56)
        else {
            return nil
        }
        return start + 56
    }

    /// A JSON web token inside a longer text.
    static func webToken(_ text: [UInt8], _ index: Int) -> Int? {
        guard text[index] == UInt8(ascii: "e"), let start = starts(text, index, "eyJ") else { return nil }
        func part(_ from: Int) -> Int {
            text[from...].firstIndex { !Base64.isURLCharacter($0) } ?? text.count
        }
        let dot = UInt8(ascii: ".")
        let first = part(start)
        guard first > start, first < text.count, text[first] == dot else { return nil }
        let second = part(first + 1)
        guard second > first + 1, second < text.count, text[second] == dot else { return nil }
        return part(second + 1)
    }

    /// RFC 3339, or the same with a blank.
    static func time(_ text: [UInt8], _ index: Int) -> Int? {
        guard isDigit(text[index]), let day = shape(text, index, "9999-99-99"), day < text.count,
            text[day] == UInt8(ascii: "T") || text[day] == 0x20, var end = shape(text, day + 1, "99:99:99")
        else { return nil }
        if end + 1 < text.count, text[end] == UInt8(ascii: "."), isDigit(text[end + 1]) {
            end = text[(end + 1)...].firstIndex { !isDigit($0) } ?? text.count
        }
        guard end < text.count else { return nil }
        if text[end] == UInt8(ascii: "Z") { return end + 1 }
        guard text[end] == UInt8(ascii: "+") || text[end] == UInt8(ascii: "-") else { return nil }
        return shape(text, end + 1, "99:99") ?? shape(text, end + 1, "9999")
    }

    /// The message that says when a code may be asked for again.
    static func interval(_ text: [UInt8], _ index: Int) -> Int? {
        guard text[index] == UInt8(ascii: "o"), isWordBoundary(text, index),
            let start = starts(text, index, "only request this after "), start < text.count, isDigit(text[start])
        else { return nil }
        let end = text[start...].firstIndex { !isDigit($0) } ?? text.count
        return starts(text, end, " seconds")
    }
}

/// A time by its distance from now.
enum TimeLabel {
    private static let tenYears = 10 * 365 * 86_400.0

    /// `<time:now>` within a minute, `<time:+3600>` in whole minutes, a far time as it stands, `<time>` for none.
    static func of(_ text: String, now: Double) -> String {
        guard let time = Timestamp(sql: text) else { return "<time>" }
        let away = Double(time.microseconds) / 1e6 - now
        if abs(away) < 60 { return "<time:now>" }
        return abs(away) < tenYears ? "<time:\(minutes(away))>" : text
    }

    static func ofUnix(_ seconds: Double, now: Double) -> String {
        let away = seconds - now
        return abs(away) < 60 ? "<unix:now>" : "<unix:\(minutes(away))>"
    }

    /// Seconds, rounded to a minute, with their sign.
    private static func minutes(_ away: Double) -> String {
        let rounded = (away / 60).rounded(.toNearestOrEven) * 60
        guard abs(rounded) < 1e15 else { return "far" }
        return rounded < 0 ? "\(Int64(rounded))" : "+\(Int64(rounded))"
    }
}
