extension JSONText {
    /// Beyond so many members of a change, a tree finds them faster.
    private static let searchedMax = 24

    /// This object with a change applied, as ``JSONObject/merge(_:)`` applies it. What stays is copied as it stands.
    public func merging(_ patch: JSONObject) -> JSONText {
        if patch.count <= Self.searchedMax, let merged = try? spliced(patch) { return JSONText(trusted: merged) }
        return JSONText(object.merging(patch))
    }

    /// - Returns: nil when only a tree can tell keys apart.
    /// - Throws: when the text is no object after all.
    private func spliced(_ patch: JSONObject) throws(JSONError) -> [UInt8]? {
        var reader = JSONReader(bytes.span, depth: JSONLimits.depthMax)
        guard try reader.peek(.valueStart) == UInt8(ascii: "{") else { return nil }
        reader.index += 1
        var writer = JSONWriter(capacity: bytes.count + 64)
        writer.beginObject()
        var written: UInt32 = 0
        var hasMembers = try reader.peek(.keyStart) != UInt8(ascii: "}")
        if !hasMembers { reader.index += 1 }
        while hasMembers {
            guard try reader.peek(.keyStart) == UInt8(ascii: "\"") else { throw reader.unexpected(.keyStart) }
            let start = reader.index
            let key = try reader.string()
            guard !key.hasEscapes else { return nil }
            try reader.expect(UInt8(ascii: ":"), .afterKey)
            reader.skipSpace()
            try reader.skipValue(depth: 1)
            let end = reader.index
            hasMembers = try reader.continues(UInt8(ascii: "}"), .afterMember)
            if let place = patch.members.firstIndex(where: { isSame($0.key, key.range) }) {
                guard written & 1 << UInt32(place) == 0 else { continue }
                written |= 1 << UInt32(place)
                writer.changed(patch.members[place])
            } else {
                writer.raw(member: bytes[start..<end])
            }
        }
        try reader.expectEnd()
        for (place, member) in patch.members.enumerated() where written & 1 << UInt32(place) == 0 {
            writer.changed(member)
        }
        writer.endObject()
        return writer.bytes
    }

    private func isSame(_ key: String, _ range: Range<Int>) -> Bool {
        key.utf8.count == range.count && key.utf8.elementsEqual(bytes[range])
    }
}

extension JSONWriter {
    /// Writes a member of a change; null is the removal of one.
    fileprivate mutating func changed(_ member: JSONObject.Member) {
        guard !member.value.isNull else { return }
        key(dynamic: member.key)
        value(member.value)
    }
}
