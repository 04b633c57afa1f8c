import JSON

/// A piece of a parsed template.
indirect enum TemplateNode: Sendable {
    case text(String)
    case value(TemplateExpression)
    /// `{{ $name := … }}` and `{{ $name = … }}`: prints nothing.
    case assignment(name: String, TemplateExpression)
    case condition(TemplateExpression, then: [TemplateNode], otherwise: [TemplateNode])
    case loop(key: String?, element: String?, TemplateExpression, body: [TemplateNode], otherwise: [TemplateNode])
    /// `with`: the value becomes the dot when it is not empty.
    case scope(TemplateExpression, body: [TemplateNode], otherwise: [TemplateNode])
}

/// What an action computes.
indirect enum TemplateExpression: Sendable {
    case dot
    /// `$` (the empty name) or `$name`.
    case variable(String)
    case field(TemplateExpression, String)
    case literal(JSONValue)
    case call(TemplateFunction, [TemplateExpression])
}

/// The functions of Go's templates that need no code of the server.
enum TemplateFunction: String, Sendable {
    case and, or, not, eq, ne, lt, le, gt, ge, len, index, print, printf, println, html, urlquery
}
