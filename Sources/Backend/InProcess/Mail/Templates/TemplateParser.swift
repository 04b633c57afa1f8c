import JSON

/// Reads the template language of Go's `html/template` as far as mails need it: fields, variables, pipelines,
/// `if`/`else if`/`else`, `range`, `with`, comments, white-space trimming, and the functions of ``TemplateFunction``.
/// Source: supabase-admin.md 13.1.
struct TemplateParser {
    private enum Piece {
        case text(String)
        case action(tokens: [TemplateLexer.Token], spaced: [Bool])
    }

    private var pieces: [Piece] = []
    private var position = 0

    static func parse(_ source: String) throws(TemplateError) -> [TemplateNode] {
        let bytes = Array(source.utf8)
        guard bytes.count <= TemplateLimits.sourceBytesMax else { throw TemplateError("the template is too long") }
        var parser = TemplateParser(pieces: try pieces(of: bytes))
        let nodes = try parser.list(depth: 0)
        guard parser.position == parser.pieces.count else { throw TemplateError("an end or else without a beginning") }
        return nodes
    }

    private init(pieces: [Piece]) { self.pieces = pieces }

    private static func pieces(of bytes: [UInt8]) throws(TemplateError) -> [Piece] {
        var pieces: [Piece] = []
        var index = 0
        var trimsNext = false
        while index < bytes.count {
            let open = findPair(of: UInt8(ascii: "{"), in: bytes, from: index)
            var text = bytes[index..<(open ?? bytes.count)]
            if trimsNext { text = text.drop { isBlank($0) } }
            guard let open else {
                if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
                break
            }
            var start = open + 2
            if start + 1 < bytes.count, bytes[start] == UInt8(ascii: "-"), isBlank(bytes[start + 1]) {
                start += 1
                while let last = text.last, isBlank(last) { text = text.dropLast() }
            }
            if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
            guard let close = actionEnd(in: bytes, from: start) else { throw TemplateError("an action does not end") }
            var inner = bytes[start..<close]
            trimsNext = inner.count > 1 && inner.last == UInt8(ascii: "-") && isBlank(inner[inner.endIndex - 2])
            if trimsNext { inner = inner.dropLast() }
            if !isComment(inner) {
                let (tokens, spaced) = try TemplateLexer.tokens(of: inner)
                guard !tokens.isEmpty else { throw TemplateError("an action is empty") }
                pieces.append(.action(tokens: tokens, spaced: spaced))
            }
            guard pieces.count <= TemplateLimits.nodesMax else {
                throw TemplateError("the template has too many parts")
            }
            index = close + 2
        }
        return pieces
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isComment(_ inner: ArraySlice<UInt8>) -> Bool {
        let body = inner.drop { isBlank($0) }
        return body.starts(with: "/*".utf8)
    }

    /// Where two of the brace stand next to each other.
    private static func findPair(of brace: UInt8, in bytes: [UInt8], from: Int) -> Int? {
        var index = from
        while index + 1 < bytes.count {
            if bytes[index] == brace, bytes[index + 1] == brace { return index }
            index += 1
        }
        return nil
    }

    /// Where `}}` closes the action that begins here; braces inside texts and comments do not count.
    private static func actionEnd(in bytes: [UInt8], from: Int) -> Int? {
        var index = from
        while index < bytes.count, isBlank(bytes[index]) { index += 1 }
        if index + 1 < bytes.count, bytes[index] == UInt8(ascii: "/"), bytes[index + 1] == UInt8(ascii: "*") {
            while index + 1 < bytes.count, !(bytes[index] == UInt8(ascii: "*") && bytes[index + 1] == UInt8(ascii: "/"))
            {
                index += 1
            }
            return findPair(of: UInt8(ascii: "}"), in: bytes, from: index)
        }
        var quote: UInt8?
        while index + 1 < bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == UInt8(ascii: "\\"), open == UInt8(ascii: "\"") {
                    index += 1
                } else if byte == open {
                    quote = nil
                }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`") {
                quote = byte
            } else if byte == UInt8(ascii: "}"), bytes[index + 1] == UInt8(ascii: "}") {
                return index
            } else if byte == UInt8(ascii: "{"), bytes[index + 1] == UInt8(ascii: "{") {
                return nil
            }
            index += 1
        }
        return nil
    }

    /// Nodes up to `end`, `else` or the end of the template.
    private mutating func list(depth: Int) throws(TemplateError) -> [TemplateNode] {
        guard depth <= TemplateLimits.depthMax else { throw TemplateError("blocks are nested too deeply") }
        var nodes: [TemplateNode] = []
        while position < pieces.count {
            switch pieces[position] {
            case .text(let text):
                nodes.append(.text(text))
                position += 1
            case .action(let tokens, let spaced):
                if tokens.first == .word("end") || tokens.first == .word("else") { return nodes }
                position += 1
                nodes.append(try action(tokens, spaced, depth: depth))
            }
        }
        return nodes
    }

    private mutating func action(
        _ tokens: [TemplateLexer.Token], _ spaced: [Bool], depth: Int
    ) throws(TemplateError) -> TemplateNode {
        var reader = TemplateExpressionReader(tokens, spaced)
        switch tokens.first {
        case .word("if"):
            reader.skip(1)
            return try condition(try reader.whole(), depth: depth)
        case .word("range"):
            reader.skip(1)
            let names = try reader.loopNames()
            let over = try reader.whole()
            let (body, otherwise) = try block(depth: depth)
            return .loop(key: names.key, element: names.element, over, body: body, otherwise: otherwise)
        case .word("with"):
            reader.skip(1)
            let value = try reader.whole()
            let (body, otherwise) = try block(depth: depth)
            return .scope(value, body: body, otherwise: otherwise)
        default:
            if let name = reader.assignedName() { return .assignment(name: name, try reader.whole()) }
            return .value(try reader.whole())
        }
    }

    private mutating func condition(
        _ test: TemplateExpression, depth: Int
    ) throws(TemplateError) -> TemplateNode {
        let then = try list(depth: depth + 1)
        let (tokens, spaced) = try closing()
        if tokens == [.word("end")] { return .condition(test, then: then, otherwise: []) }
        guard tokens.count > 2, tokens[1] == .word("if") else {
            guard tokens == [.word("else")] else { throw TemplateError("an else is malformed") }
            let otherwise = try list(depth: depth + 1)
            try end()
            return .condition(test, then: then, otherwise: otherwise)
        }
        var reader = TemplateExpressionReader(tokens, spaced)
        reader.skip(2)
        let next = try condition(try reader.whole(), depth: depth + 1)
        return .condition(test, then: then, otherwise: [next])
    }

    private mutating func block(depth: Int) throws(TemplateError) -> (body: [TemplateNode], otherwise: [TemplateNode]) {
        let body = try list(depth: depth + 1)
        let (tokens, _) = try closing()
        if tokens == [.word("end")] { return (body, []) }
        guard tokens == [.word("else")] else { throw TemplateError("an else is malformed") }
        let otherwise = try list(depth: depth + 1)
        try end()
        return (body, otherwise)
    }

    private mutating func closing() throws(TemplateError) -> (tokens: [TemplateLexer.Token], spaced: [Bool]) {
        guard position < pieces.count, case .action(let tokens, let spaced) = pieces[position] else {
            throw TemplateError("a block does not end")
        }
        position += 1
        return (tokens, spaced)
    }

    private mutating func end() throws(TemplateError) {
        guard try closing().tokens == [.word("end")] else { throw TemplateError("a block does not end") }
    }
}
