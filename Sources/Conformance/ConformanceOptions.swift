/// What a conformance run is asked to do: the options of `drawbridge conformance`.
public struct ConformanceOptions: Sendable {
    /// Where a server is to be found.
    public enum Place: Sendable {
        /// A server that runs already.
        case running(url: String)
        /// A shell command that starts one; it is started anew for each configuration.
        case launched(command: String)
    }

    /// Keys of the callers; nil are made with the secret.
    public struct Keys: Sendable {
        public var anonymous: String?
        public var service: String?

        public init(anonymous: String? = nil, service: String? = nil) {
            (self.anonymous, self.service) = (anonymous, service)
        }
    }

    /// Case files and folders of them.
    public var cases: [String]
    public var target: Place
    /// A second server that the target is compared with, in place of the recorded answers.
    public var reference: Place?
    /// In front of every endpoint, such as `/auth/v1`.
    public var prefix = ""
    /// The reference's prefix; nil is the target's.
    public var referencePrefix: String?
    /// Only the cases whose id contains this.
    public var only: String?
    /// Leaves out the cases whose id contains this.
    public var skip: String?
    /// A file of ids, one a line: only these cases.
    public var list: String?
    /// The kind of store the server has (`postgres`), for cases that need one.
    public var store: String?
    /// Path of libfaketime, for cases that move the clock.
    public var faketime: String?
    /// A shell command that runs the SQL on its input in the server's store.
    public var sql: String?
    /// On a running server also the cases that need other settings or an empty store.
    public var everyCase = false
    /// A line a case.
    public var isBrief = false
    /// Lets the started server's own output through.
    public var showsOutput = false
    /// A JSON list of known deviations.
    public var known: String?
    /// Known deviations alone do not make a case differ.
    public var acceptsKnown = false
    /// Where to write the report: `PATH.json` and `PATH.html`.
    public var report: String?
    /// Where to write the results as `{id: [lines]}`.
    public var summary: String?
    public var keys = Keys()
    public var referenceKeys = Keys()
    /// The secret that the servers sign with; nil is the base configuration's.
    public var secret: String?
    /// Ports of the peers; 0 takes a free one.
    public var mailPort = 0
    public var hookPort = 0
    public var openIDPort = 0

    public init(cases: [String], target: Place) {
        (self.cases, self.target) = (cases, target)
    }
}

/// How a run ended; the raw value is the exit status. Source: interface.md, commands.
public enum ConformanceOutcome: Int32, Sendable {
    /// Every case that was asked for was run, and every answer is as expected.
    case passed = 0
    case differs = 1
    /// Nothing differs, but something could not be run.
    case unable = 2
}

/// Why a run could not begin, in words for a person.
public struct ConformanceFailure: Error, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }
}
