public import Bytes

extension JSONWriter {
    /// Writes a whole object: what the closure writes are its members.
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        beginObject()
        members(&self)
        endObject()
    }

    /// Writes a whole array: what the closure writes are its elements.
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        beginArray()
        elements(&self)
        endArray()
    }

    /// Writes a member with a string, escaped as needed.
    public mutating func field(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    /// Writes a member with `true` or `false`.
    public mutating func field(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    /// Writes a member with a whole number.
    public mutating func field(_ name: StaticString, _ value: some FixedWidthInteger) {
        key(name)
        int(value)
    }

    /// Writes a member with a UUID in lower case.
    public mutating func field(_ name: StaticString, _ value: UUID) {
        key(name)
        uuid(value)
    }

    /// Writes a member with a time, as RFC 3339 in UTC.
    public mutating func field(_ name: StaticString, _ value: Timestamp) {
        key(name)
        timestamp(value)
    }

    /// Writes a member with a JSON text as it stands.
    public mutating func field(_ name: StaticString, _ value: JSONText) {
        key(name)
        raw(value)
    }

    /// Writes a member with any JSON value.
    public mutating func field(_ name: StaticString, _ value: JSONValue) {
        key(name)
        self.value(value)
    }

    /// Writes the member only if there is a value.
    public mutating func field(_ name: StaticString, ifPresent value: String?) {
        if let value { field(name, value) }
    }

    /// Writes the member only if there is a value.
    public mutating func field(_ name: StaticString, ifPresent value: Timestamp?) {
        if let value { field(name, value) }
    }

    /// Writes the member only if there is a value.
    public mutating func field(_ name: StaticString, ifPresent value: UUID?) {
        if let value { field(name, value) }
    }
}
