/// What was set where, before it is judged. Source: interface.md: defaults, env file, environment, flags.
public struct SettingLayers: Sendable {
    struct Layer: Sendable {
        let source: SettingSource
        var values: [String: String]
        /// Line numbers for env files.
        var lines: [String: Int] = [:]
    }

    /// The weakest first.
    private(set) var layers: [Layer] = []

    public init() {}

    /// Lays the process environment over what is there.
    public mutating func add(environment: [String: String]) {
        layers.append(Layer(source: .environment, values: environment))
    }

    /// Adds an env file's text below everything that was added later.
    /// - Throws: `SettingsError` with the file's name and line.
    public mutating func add(envFile text: String, path: String) throws(SettingsError) {
        layers.append(try Self.layer(text, path: path, source: .envFile(path)))
    }

    /// Adds the env file of one listener (`--listen PORT=ENVFILE`): a flag's value, so it counts most.
    public mutating func add(listenerFile text: String, path: String) throws(SettingsError) {
        layers.append(try Self.layer(text, path: path, source: .listenerFile(path)))
    }

    /// Adds what a flag of the command line says.
    public mutating func add(flag: String, name: String, value: String) {
        layers.append(Layer(source: .flag(flag), values: [name: value]))
    }

    private static func layer(_ text: String, path: String, source: SettingSource) throws(SettingsError) -> Layer {
        do {
            var layer = Layer(source: source, values: [:])
            for entry in try EnvFile.parse(text) {
                layer.values[entry.name] = entry.value
                layer.lines[entry.name] = entry.line
            }
            return layer
        } catch {
            throw SettingsError(["\(path), \(error)"])
        }
    }

    struct Found {
        let name: String
        let text: String
        let source: SettingSource
    }

    /// The strongest value of a setting: the last layer counts, within it the first of its names.
    func find(_ entry: SettingName) -> Found? {
        for layer in layers.reversed() {
            for name in [entry.name] + entry.aliases {
                if let text = layer.values[name] { return Found(name: name, text: text, source: layer.source) }
            }
        }
        return nil
    }

    /// Every name that is set anywhere.
    var names: Set<String> { layers.reduce(into: []) { $0.formUnion($1.values.keys) } }

    /// Every name that is set anywhere with a prefix, in order.
    func names(prefix: String) -> [(name: String, source: SettingSource)] {
        var found: [String: SettingSource] = [:]
        for layer in layers {
            for name in layer.values.keys where name.hasPrefix(prefix) { found[name] = layer.source }
        }
        return found.map { (name: $0.key, source: $0.value) }.sorted { $0.name < $1.name }
    }
}
