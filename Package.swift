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
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
]

/// The same for what is shipped. The library of regular expressions is 1 MB of code that `String.contains(String)` alone
/// would link, so that it is not imported: `contains(text:)` of Bytes does it. Functions get sections of their own, so
/// that the linker can leave out unused ones and put those of a start together.
let shippedWalls =
    walls + [
        .unsafeFlags([
            "-Xfrontend", "-disable-implicit-string-processing-module-import", "-Xfrontend", "-function-sections",
        ])
    ]

/// How the release is linked, for less memory and a faster start (docs/decisions/0007-linking.md): packed relocations,
/// the C++ runtime inside, and the functions of the hot paths and of a start side by side.
let linking: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-L", "\(Context.packageDirectory)/scripts/link", "-Xclang-linker", "-static-libgcc",
            "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-warn-symbol-ordering",
            "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/scripts/link/function-order.txt",
        ], .when(configuration: .release))
]

/// A module of the import table in docs/internals/architecture.md; a missing name here is a wall.
func module(_ name: String, at path: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(path)", swiftSettings: shippedWalls)
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
        module("TLS", at: "Engine/TLS", ["Bytes", "EventLoop", "COpenSSL"]),
        module("HTTPClient", at: "Engine/HTTPClient", ["Bytes", "EventLoop", "HTTP1", "TLS", "CSys"]),
        module("Crypto", at: "Engine/Crypto", ["Bytes", "JSON", "CSys", "COpenSSL", "CCrypt", "CArgon2"]),
        module("Outgoing", at: "Engine/Outgoing", ["Bytes", "CCurl"]),

        // Backend: the protocol, what keeps rows, what holds the rules.
        module("Backend", at: "Backend/Core", ["Bytes", "JSON"]),
        module("Settings", at: "Settings", ["Backend", "Bytes", "JSON", "CSys"]),
        module("Store", at: "Backend/Store", ["Backend", "Bytes", "JSON", "EventLoop", "CSys", "CSQLite"]),
        module("InProcessBackend", at: "Backend/InProcess", ["Backend", "Store"] + engine),
        module("RemoteBackend", at: "Backend/Remote", ["Backend"] + engine),

        // Wire and door.
        module("Compat", at: "Compat", ["Backend", "Bytes", "JSON"]),
        module("Gateway", at: "Gateway", ["Compat", "Backend", "CSys"] + engine),
        // A tool beside the server: nothing of it is on a request's way.
        module("Conformance", at: "Conformance", ["Bytes", "JSON", "Crypto", "CSys"]),
        .executableTarget(
            name: "drawbridge",
            dependencies: [
                "Conformance", "Gateway", "Compat", "Settings", "InProcessBackend", "RemoteBackend", "Store", "Backend",
                "CSys",
            ] + engine,
            path: "Sources/Drawbridge", swiftSettings: shippedWalls, linkerSettings: linking),

        module("TestKit", at: "TestKit", ["Backend", "Store"] + engine),
        tests("BytesTests", ["Bytes"]),
        tests("JSONTests", ["JSON", "Bytes"]),
        tests("EventLoopTests", ["EventLoop", "Bytes", "TestKit"]),
        tests("HTTP1Tests", ["HTTP1", "EventLoop", "Bytes", "TestKit"]),
        tests("HTTPClientTests", ["HTTPClient", "HTTP1", "EventLoop", "Bytes", "TestKit"]),
        tests(
            "RemoteBackendTests",
            ["RemoteBackend", "InProcessBackend", "Gateway", "Compat", "Backend", "Store", "TestKit"] + engine),
        tests("CryptoTests", ["Crypto", "JSON", "Bytes", "TestKit"]),
        tests("OutgoingTests", ["Outgoing"]),
        tests("BackendTests", ["Backend", "JSON", "Bytes", "TestKit"]),
        tests("SettingsTests", ["Settings", "Backend", "JSON", "Bytes"]),
        tests("StoreTests", ["Store", "Backend", "JSON", "Bytes", "EventLoop", "TestKit"]),
        tests("InProcessBackendTests", ["InProcessBackend", "Backend", "Store", "TestKit"] + engine),
        tests("CompatTests", ["Compat", "Backend", "JSON", "Bytes", "TestKit"]),
        tests("GatewayTests", ["Gateway", "Compat", "Backend", "TestKit"] + engine),
        tests("ConformanceTests", ["Conformance", "JSON", "Bytes"]),
        tests("TidyTests", []),
    ]
)
