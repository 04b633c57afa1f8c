// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled with the same walls: language mode 6, strict memory safety and warnings as errors.
let walls: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]

/// A module of the import table in docs/internals/architecture.md; a missing name here is a wall.
func module(_ name: String, at path: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(path)", swiftSettings: walls)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: walls)
}

func library(_ name: String, pkgConfig: String?, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let engine: [Target.Dependency] = ["Bytes", "JSON", "EventLoop", "HTTP1", "HTTPClient", "Crypto", "Outgoing"]

let package = Package(
    name: "drawbridge",
    products: [.executable(name: "drawbridge", targets: ["drawbridge"])],
    targets: [
        // C: module maps and one-line shims.
        library("CSys", pkgConfig: nil, apt: "libc6-dev"),
        library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        library("CCurl", pkgConfig: nil, apt: "libcurl4-openssl-dev"),
        library("CCrypt", pkgConfig: "libcrypt", apt: "libcrypt-dev"),
        library("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev"),
        library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),

        // Engine: knows nothing of auth.
        module("Bytes", at: "Engine/Bytes", ["CSys"]),
        module("JSON", at: "Engine/JSON", ["Bytes"]),
        module("EventLoop", at: "Engine/EventLoop", ["Bytes", "CSys"]),
        module("HTTP1", at: "Engine/HTTP1", ["Bytes", "EventLoop", "CSys"]),
        module("HTTPClient", at: "Engine/HTTPClient", ["Bytes", "EventLoop", "HTTP1", "CSys"]),
        module("Crypto", at: "Engine/Crypto", ["Bytes", "JSON", "CSys", "COpenSSL", "CCrypt", "CArgon2"]),
        module("Outgoing", at: "Engine/Outgoing", ["CCurl"]),

        // Backend: the protocol, what keeps rows, what holds the rules.
        module("Backend", at: "Backend/Core", ["Bytes", "JSON"]),
        module("Settings", at: "Settings", ["Backend", "Bytes", "JSON", "CSys"]),
        module("Store", at: "Backend/Store", ["Backend", "Bytes", "JSON", "EventLoop", "CSys", "CSQLite"]),
        module("InProcessBackend", at: "Backend/InProcess", ["Backend", "Store"] + engine),
        module("RemoteBackend", at: "Backend/Remote", ["Backend"] + engine),

        // Wire and door.
        module("Compat", at: "Compat", ["Backend", "Bytes", "JSON"]),
        module("Gateway", at: "Gateway", ["Compat", "Backend", "CSys"] + engine),
        .executableTarget(
            name: "drawbridge",
            dependencies: [
                "Gateway", "Compat", "Settings", "InProcessBackend", "RemoteBackend", "Store", "Backend", "CSys",
            ] + engine,
            path: "Sources/Drawbridge", swiftSettings: walls),

        module("TestKit", at: "TestKit", ["Backend", "Store"] + engine),
        tests("BytesTests", ["Bytes"]),
        tests("JSONTests", ["JSON", "Bytes"]),
        tests("EventLoopTests", ["EventLoop", "Bytes", "TestKit"]),
        tests("HTTP1Tests", ["HTTP1", "EventLoop", "Bytes", "TestKit"]),
        tests("CryptoTests", ["Crypto", "JSON", "Bytes", "TestKit"]),
        tests("OutgoingTests", ["Outgoing"]),
        tests("BackendTests", ["Backend", "JSON", "Bytes", "TestKit"]),
        tests("SettingsTests", ["Settings", "Backend", "JSON", "Bytes"]),
        tests("StoreTests", ["Store", "Backend", "JSON", "Bytes", "EventLoop", "TestKit"]),
        tests("InProcessBackendTests", ["InProcessBackend", "Backend", "Store", "TestKit"] + engine),
        tests("CompatTests", ["Compat", "Backend", "JSON", "Bytes", "TestKit"]),
        tests("GatewayTests", ["Gateway", "Compat", "Backend", "TestKit"] + engine),
        tests("TidyTests", []),
    ]
)
