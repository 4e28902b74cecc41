// swift-tools-version: 6.2
import PackageDescription

// Expressions that use unsafe constructs are marked with `unsafe`.
let librarySettings: [SwiftSetting] = [.strictMemorySafety()]

let package = Package(
  name: "Coffer",
  products: [
    .library(name: "Coffer", targets: ["Coffer"]),
    .executable(name: "coffer", targets: ["CofferTool"]),
  ],
  traits: [
    .trait(name: "LineEditing", description: "History and completion in the shell, by libedit")
  ],
  targets: [
    .systemLibrary(
      name: "CSQLCipher",
      pkgConfig: "sqlcipher",
      providers: [.apt(["libsqlcipher-dev"])]),
    .target(
      name: "CofferCore", dependencies: ["CSQLCipher"], swiftSettings: librarySettings),
    .target(
      name: "CofferQuery", dependencies: ["CofferCore"], swiftSettings: librarySettings),
    .target(
      name: "CofferRecords", dependencies: ["CofferQuery"], swiftSettings: librarySettings),
    .target(
      name: "CofferObservation", dependencies: ["CofferRecords"],
      swiftSettings: librarySettings),
    .target(
      name: "CofferDocuments", dependencies: ["CofferRecords", "CofferObservation"],
      swiftSettings: librarySettings),
    .target(
      name: "Coffer",
      dependencies: [
        "CofferCore", "CofferQuery", "CofferRecords", "CofferObservation", "CofferDocuments",
      ], swiftSettings: librarySettings),
    .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
    .executableTarget(
      name: "CofferTool",
      dependencies: ["Coffer", .target(name: "CEdit", condition: .when(traits: ["LineEditing"]))]),
    .target(
      name: "CFloor",
      dependencies: ["CSQLCipher"],
      path: "Benchmarks/CFloor"),
    // Recorded figures as tables and as a picture, for the benchmarks and for tests.
    .target(name: "BenchmarkReport", path: "Benchmarks/Report"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["Coffer", "CSQLCipher", "CFloor", "BenchmarkReport"],
      path: "Benchmarks/Sources"),
    // A process for tests to kill.
    .executableTarget(
      name: "CofferTestChild", dependencies: ["Coffer", "CofferCore", "CofferQuery"],
      path: "Tests/Child"),
    .testTarget(
      name: "CofferCoreTests",
      dependencies: ["Coffer", "CSQLCipher", "CofferTestChild"]),
    .testTarget(name: "CofferQueryTests", dependencies: ["Coffer", "CofferTestChild"]),
    .testTarget(name: "CofferRecordsTests", dependencies: ["Coffer", "CofferTestChild"]),
    .testTarget(name: "CofferObservationTests", dependencies: ["Coffer", "CofferTestChild"]),
    .testTarget(name: "CofferDocumentsTests", dependencies: ["Coffer", "CofferTestChild"]),
    // What compiles in Swift 5's mode with GRDB.
    .testTarget(
      name: "CofferSwift5Tests", dependencies: ["Coffer"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "CofferToolTests", dependencies: ["CofferTool"]),
    .testTarget(name: "CofferDocsTests", dependencies: ["Coffer", "BenchmarkReport"]),
  ],
  swiftLanguageModes: [.v6]
)
