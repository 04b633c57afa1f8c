internal import CCurl
internal import Glibc

/// One transfer: its easy handle and everything libcurl reads from or writes to while it runs.
///
/// Belongs to the outgoing thread from its making to its end and is never touched elsewhere. libcurl holds an
/// unretained pointer to it, so the thread keeps it in its table until the handle has been cleaned up.
@safe final class CurlTransfer {
    let order: OutgoingQueue.Order
    let easy: UnsafeMutableRawPointer
    private var list: UnsafeMutablePointer<curl_slist>?
    private var upload: [UInt8] = []
    private var uploaded = 0
    private var responseBytesMax = 0
    private var isMail = false
    private(set) var isTooLarge = false
    private(set) var body: [UInt8] = []
    private(set) var headers: [(name: String, value: String)] = []
    private var headerBytes = 0

    /// The most bytes of header lines that are kept of one answer.
    private static let headerBytesMax = 64 * 1024
    /// How long a mail server may take to answer QUIT once the mail is accepted; libcurl waits for it on this thread.
    private static let quitSeconds = 1

    /// Prepares the handle, or returns nil where libcurl has no memory for one.
    init?(order: OutgoingQueue.Order, timeLeft: Duration, trustedAuthoritiesFile: String?) {
        guard let easy = unsafe ccurl_easy_init() else { return nil }
        unsafe self.easy = unsafe easy
        self.order = order
        unsafe list = nil
        setCommon(timeLeft: timeLeft, trustedAuthoritiesFile: trustedAuthoritiesFile)
        switch order.work {
        case .web(let request): set(request)
        case .mail(let mail): set(mail)
        }
    }

    deinit {
        unsafe ccurl_easy_cleanup(easy)
        unsafe ccurl_slist_free_all(list)
    }

    // MARK: Options

    private func set(_ option: CURLoption, _ value: String) {
        _ = unsafe ccurl_set_string(easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: Int) {
        _ = unsafe ccurl_set_long(easy, option, value)
    }

    private func append(_ line: String) {
        if let longer = unsafe ccurl_slist_append(list, line) { unsafe list = longer }
    }

    private func setCommon(timeLeft: Duration, trustedAuthoritiesFile: String?) {
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PROXY, "")
        set(CURLOPT_TIMEOUT_MS, milliseconds(timeLeft))
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        if let trustedAuthoritiesFile { set(CURLOPT_CAINFO, trustedAuthoritiesFile) }
        _ = unsafe ccurl_set_pointer(easy, CURLOPT_PRIVATE, me)
        _ = unsafe ccurl_set_pointer(easy, CURLOPT_WRITEDATA, me)
        _ = unsafe ccurl_set_pointer(easy, CURLOPT_HEADERDATA, me)
        _ = unsafe ccurl_set_pointer(easy, CURLOPT_READDATA, me)
        unsafe setCallbacks(easy)
    }

    private func set(_ request: WebRequest) {
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        set(CURLOPT_URL, request.url)
        set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(request.connectTimeout))
        set(CURLOPT_FOLLOWLOCATION, request.redirectsMax > 0 ? 1 : 0)
        set(CURLOPT_MAXREDIRS, max(0, min(request.redirectsMax, 20)))
        responseBytesMax = max(0, request.responseBytesMax)
        if let body = request.body {
            _ = unsafe ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            unsafe body.withUnsafeBytes { bytes in
                // An empty array has no address, and without one libcurl would ask the read callback.
                var nothing: UInt8 = 0
                unsafe withUnsafeMutablePointer(to: &nothing) { empty in
                    let start =
                        unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress) ?? UnsafeMutableRawPointer(empty)
                    _ = unsafe ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start)
                }
            }
            set(CURLOPT_CUSTOMREQUEST, request.method)
        } else if request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if request.method != "GET" {
            set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        var names = Set<String>()
        for header in request.headers {
            names.insert(header.name.lowercased())
            append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        append("Expect:")
        if request.body != nil, !names.contains("content-type") { append("Content-Type:") }
        if !names.contains("user-agent") { append("User-Agent: Drawbridge") }
        _ = unsafe ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, list)
    }

    private func set(_ mail: MailOrder) {
        isMail = true
        upload = mail.message
        let server = mail.server
        let isImplicit = server.security == .implicitTLS
        let host = server.host.contains(":") && !server.host.hasPrefix("[") ? "[\(server.host)]" : server.host
        set(CURLOPT_PROTOCOLS_STR, isImplicit ? "smtps" : "smtp")
        set(CURLOPT_URL, "\(isImplicit ? "smtps" : "smtp")://\(host):\(server.port)/\(server.heloName)")
        set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(server.connectTimeout))
        let level: curl_usessl =
            switch server.security {
            case .implicitTLS, .startTLSRequired: CURLUSESSL_ALL
            case .startTLSWhenOffered: server.needsTLSForPassword ? CURLUSESSL_ALL : CURLUSESSL_TRY
            case .none: CURLUSESSL_NONE
            }
        set(CURLOPT_USE_SSL, Int(level.rawValue))
        if !server.user.isEmpty {
            set(CURLOPT_SASL_IR, 1)
            set(CURLOPT_USERNAME, server.user)
            set(CURLOPT_PASSWORD, server.password)
        }
        set(CURLOPT_MAIL_FROM, "<\(mail.sender)>")
        append("<\(mail.recipient)>")
        _ = unsafe ccurl_set_pointer(easy, CURLOPT_MAIL_RCPT, list)
        set(CURLOPT_UPLOAD, 1)
        _ = unsafe ccurl_set_size(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(mail.message.count))
        // One connection a mail, as the reference does; a server that hung up on an idle one cannot cost a mail.
        set(CURLOPT_FRESH_CONNECT, 1)
        set(CURLOPT_FORBID_REUSE, 1)
    }

    // MARK: What libcurl calls

    /// Takes a piece of the answer's body; false ends the transfer.
    fileprivate func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if isMail { return true }
        guard bytes.count <= responseBytesMax - body.count else {
            isTooLarge = true
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Takes a header line, or a line of a mail server's replies.
    fileprivate func receiveLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if isMail {
            if uploaded == upload.count { set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Self.quitSeconds) }
            return true
        }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            headers = []
            headerBytes = 0
            return true
        }
        headerBytes += bytes.count
        guard headerBytes <= Self.headerBytesMax else {
            isTooLarge = true
            return false
        }
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let isBlank = { (character: Character) in
            character == " " || character == "\t" || character == "\r\n" || character == "\n" || character == "\r"
        }
        let value = line[line.index(after: colon)...].drop(while: isBlank)
        let end = value.lastIndex { !isBlank($0) }.map { value.index(after: $0) } ?? value.startIndex
        headers.append((line[..<colon].lowercased(), String(value[..<end])))
        return true
    }

    /// Gives the next piece of the mail.
    fileprivate func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, upload.count - uploaded)
        guard count > 0 else { return 0 }
        unsafe upload.withUnsafeBytes { bytes in
            unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[uploaded..<uploaded + count]))
        }
        uploaded += count
        return count
    }

    // MARK: The end

    /// What the transfer came to, once libcurl is done with it.
    func outcome(_ result: CURLcode) -> OutgoingQueue.Outcome {
        var code = 0
        _ = unsafe ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &code)
        if result == CURLE_OK {
            return .success(WebResponse(status: code, headers: headers, body: body))
        }
        if isTooLarge { return .failure(OutgoingError(.tooLarge, "the answer is too large")) }
        if isMail, code >= 400, result != CURLE_OPERATION_TIMEDOUT {
            return .failure(OutgoingError(.mailReply(code), "the mail server answered \(code)"))
        }
        let text = unsafe String(cString: ccurl_easy_strerror(result))
        return .failure(OutgoingError(kind(of: result), text))
    }

    private func kind(of result: CURLcode) -> OutgoingError.Kind {
        switch result {
        case CURLE_COULDNT_CONNECT: .refused
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_USE_SSL_FAILED, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE:
            .tls
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_PARTIAL_FILE,
            CURLE_UNSUPPORTED_PROTOCOL:
            result == CURLE_UNSUPPORTED_PROTOCOL ? .invalid : .closed
        case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirects
        case CURLE_LOGIN_DENIED: .mailReply(535)
        case CURLE_URL_MALFORMAT: .invalid
        default: .failed
        }
    }
}

/// A duration for libcurl: at least 1 ms, because 0 means no limit at all there.
private func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    let whole = min(max(seconds, 0), 86_400) * 1000
    return max(1, Int(whole) + Int(attoseconds / 1_000_000_000_000_000))
}

/// The callbacks are formed here, in a nonisolated function: elsewhere they could be taken for the main actor's.
nonisolated private func setCallbacks(_ easy: UnsafeMutableRawPointer) {
    _ = unsafe ccurl_set_data(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
        guard let transfer = unsafe transfer(context) else { return 0 }
        let total = size &* count
        return unsafe transfer.receive(UnsafeRawBufferPointer(start: bytes, count: total)) ? total : 0
    }
    _ = unsafe ccurl_set_data(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
        guard let transfer = unsafe transfer(context) else { return 0 }
        let total = size &* count
        return unsafe transfer.receiveLine(UnsafeRawBufferPointer(start: bytes, count: total)) ? total : 0
    }
    _ = unsafe ccurl_set_data(easy, CURLOPT_READFUNCTION) { bytes, size, count, context in
        guard let transfer = unsafe transfer(context) else { return 0 }
        return unsafe transfer.fill(UnsafeMutableRawBufferPointer(start: bytes, count: size &* count))
    }
}

nonisolated private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
}
