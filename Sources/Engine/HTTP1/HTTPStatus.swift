/// A status code (RFC 9110 section 15).
public struct HTTPStatus: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// 100 ... 999.
    public let code: UInt16

    /// The nearest code in 100 ... 999.
    public init(_ code: Int) {
        self.code = UInt16(min(999, max(100, code)))
    }

    public init(integerLiteral value: UInt16) {
        code = min(999, max(100, value))
    }

    public static let ok: HTTPStatus = 200
    public static let created: HTTPStatus = 201
    public static let noContent: HTTPStatus = 204
    public static let found: HTTPStatus = 302
    public static let seeOther: HTTPStatus = 303
    public static let badRequest: HTTPStatus = 400
    public static let unauthorized: HTTPStatus = 401
    public static let forbidden: HTTPStatus = 403
    public static let notFound: HTTPStatus = 404
    public static let methodNotAllowed: HTTPStatus = 405
    public static let requestTimeout: HTTPStatus = 408
    public static let contentTooLarge: HTTPStatus = 413
    public static let targetTooLong: HTTPStatus = 414
    public static let expectationFailed: HTTPStatus = 417
    public static let tooManyRequests: HTTPStatus = 429
    public static let headTooLarge: HTTPStatus = 431
    public static let internalServerError: HTTPStatus = 500
    public static let notImplemented: HTTPStatus = 501
    public static let badGateway: HTTPStatus = 502
    public static let serviceUnavailable: HTTPStatus = 503
    public static let gatewayTimeout: HTTPStatus = 504
    public static let versionNotSupported: HTTPStatus = 505

    /// Whether an answer with this status never has a body (RFC 9110 section 6.4.1).
    public var hasNoBody: Bool { code < 200 || code == 204 || code == 304 }

    /// The phrase of the status line; empty for codes without a common one.
    public var phrase: StaticString {
        switch code {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 425: "Too Early"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
