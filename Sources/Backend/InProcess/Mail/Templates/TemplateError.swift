/// Why a template cannot be read or rendered. The text names the place, never a value.
struct TemplateError: Error, Equatable, Sendable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// What keeps any template, however made, from costing much.
enum TemplateLimits {
    /// Bytes of the source.
    static let sourceBytesMax = 2_000_000
    /// Bytes of what is rendered.
    static let outputBytesMax = 4_000_000
    /// Blocks and parentheses inside one another.
    static let depthMax = 64
    /// Pieces of text and actions in one template.
    static let nodesMax = 20_000
    /// Pieces rendered in one go, rounds of `range` included.
    static let stepsMax = 200_000
    /// Words of one action.
    static let tokensMax = 500
}
