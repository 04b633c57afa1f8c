/// One call to an HTTP server outside: a hook, a template, a token exchange, a key set, an SMS provider.
public struct WebRequest: Sendable {
    /// The method, such as `GET`; a token of RFC 9110, 5.6.2.
    public var method: String
    /// An absolute `http` or `https` URL.
    public var url: String
    /// Header lines in the order in which they are sent. A line break in one refuses the request.
    public var headers: [(name: String, value: String)]
    /// The body, or none. Its content type is whatever `headers` says.
    public var body: [UInt8]?
    /// How long name look-up, connecting and the TLS handshake may take together.
    public var connectTimeout: Duration = .seconds(5)
    /// How long everything may take, waiting in the queue included.
    public var totalTimeout: Duration = .seconds(10)
    /// The largest body that is taken as an answer, in bytes.
    public var responseBytesMax = 1 << 20
    /// How many redirects are followed. With 0 a redirect is an answer like any other.
    public var redirectsMax = 0

    /// A request with the default limits.
    public init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// Refuses what must not reach the wire.
    func validate() throws(OutgoingError) {
        guard isToken(method) else { throw OutgoingError(.invalid, "the method is not a token") }
        let scheme = url.prefix(8).lowercased()
        guard scheme.hasPrefix("http://") || scheme.hasPrefix("https://") else {
            throw OutgoingError(.invalid, "the URL is neither http nor https")
        }
        guard !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw OutgoingError(.invalid, "the URL holds a blank or control character")
        }
        for header in headers {
            guard isToken(header.name) else { throw OutgoingError(.invalid, "a header's name is not a token") }
            guard isHeaderText(header.value) else {
                throw OutgoingError(.invalid, "a header's value holds a control character")
            }
        }
    }
}

/// What an HTTP server answered, whatever the status.
public struct WebResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header lines of the final answer, names in lower case, in their order.
    public var headers: [(name: String, value: String)]
    /// The body, at most `responseBytesMax` bytes.
    public var body: [UInt8]

    /// An answer with these parts; what a scripted peer in a test returns.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header of that name (given in lower case).
    public func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

/// Whether the text is a token of RFC 9110, 5.6.2.
func isToken(_ text: String) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
}

/// Whether the text can stand in one header line: no control characters but the tab.
func isHeaderText(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
}
