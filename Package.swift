// swift-tools-version: 6.2
import PackageDescription

// Expressions that use unsafe constructs are marked with `unsafe`.
let librarySettings: [SwiftSetting] = [.strictMemorySafety()]

let testSupport: [Target.Dependency] = [
  "CofferTestSupport", "CofferExpectations", "CofferTestChild",
]

let package = Package(
  name: "Coffer",
  products: [
    .library(name: "Coffer", targets: ["Coffer"]),
    // Keys in the desktop's keyring; with the trait SecretService.
    .library(name: "CofferSecretService", targets: ["CofferSecretService"]),
    // Continuous archives; with the trait S3 also in object stores.
    .library(name: "CofferArchive", targets: ["CofferArchive"]),
    .executable(name: "coffer", targets: ["CofferTool"]),
  ],
  traits: [
    .trait(name: "Browse", description: "Pages in the browser, by GNU libmicrohttpd"),
    .trait(name: "LineEditing", description: "History and completion in the shell, by libedit"),
    .trait(name: "S3", description: "Archives in object stores, by libcurl"),
    .trait(name: "SecretService", description: "Keys in the desktop's keyring, by libsecret"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLCipher",
      pkgConfig: "sqlcipher",
      providers: [.apt(["libsqlcipher-dev"])]),
    // SQLite's handles, errors and memory.
    .target(
      name: "CofferSQLite", dependencies: ["CSQLCipher"], swiftSettings: librarySettings),
    // Keys and encrypted files, without rows.
    .target(
      name: "CofferVault", dependencies: ["CofferSQLite"], swiftSettings: librarySettings),
    .target(
      name: "CofferCore", dependencies: ["CofferVault", "CSQLCipher"],
      swiftSettings: librarySettings),
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
    .systemLibrary(
      name: "CSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
    .target(
      name: "CofferSecretService",
      dependencies: [
        "CofferVault", .target(name: "CSecret", condition: .when(traits: ["SecretService"])),
      ], swiftSettings: librarySettings),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(
      name: "CofferArchive",
      dependencies: [
        "Coffer", "CofferCore", .target(name: "CCurl", condition: .when(traits: ["S3"])),
      ],
      swiftSettings: librarySettings),
    .systemLibrary(
      name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    // Markup, diagrams and charts of values.
    .target(
      name: "CofferDrawing", dependencies: ["Coffer"], swiftSettings: librarySettings),
    // Pages of a database for the browser on this machine, on the public API alone.
    .target(
      name: "CofferBrowse",
      dependencies: [
        "Coffer", "CofferArchive", "CofferDrawing",
        .target(name: "CMicrohttpd", condition: .when(traits: ["Browse"])),
      ],
      resources: [.embedInCode("Assets/browse.css"), .embedInCode("Assets/browse.js")],
      swiftSettings: librarySettings),
    .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
    // The commands of the tool.
    .target(
      name: "CofferToolKit",
      dependencies: [
        "Coffer", "CofferArchive", "CofferBrowse", "CofferDrawing",
        .target(name: "CEdit", condition: .when(traits: ["LineEditing"])),
      ]),
    .executableTarget(name: "CofferTool", dependencies: ["CofferToolKit"]),
    // A program on the public API alone, as one outside of this package would be.
    .executableTarget(
      name: "Inventory", dependencies: ["Coffer"], path: "Examples/Inventory",
      packageAccess: false),
    .target(
      name: "CFloor",
      dependencies: ["CSQLCipher"],
      path: "Benchmarks/CFloor"),
    // Recorded figures as tables and as a picture, for the benchmarks and for tests.
    .target(name: "BenchmarkReport", path: "Benchmarks/Report"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["Coffer", "CofferArchive", "CSQLCipher", "CFloor", "BenchmarkReport"],
      path: "Benchmarks/Sources"),
    // Failing calls of SQLite's memory and files.
    .target(name: "CFaults", dependencies: ["CSQLCipher"], path: "Tests/CFaults"),
    // Files, keys, seeds and processes, for tests and for the programs below.
    .target(
      name: "CofferTestSupport", dependencies: ["Coffer", "CofferCore"], path: "Tests/Support"),
    // What of it needs the testing library, which the programs aren't linked to.
    .target(
      name: "CofferExpectations", dependencies: ["Coffer", "CofferTestSupport"],
      path: "Tests/Expectations"),
    // A process for tests to kill, or to let calls fail in.
    .executableTarget(
      name: "CofferTestChild",
      dependencies: [
        "Coffer", "CofferArchive", "CofferCore", "CofferQuery", "CofferSecretService",
        "CofferTestSupport", "CFaults",
      ],
      path: "Tests/Child"),
    // Power cuts: what a program does to files is recorded, and cut at each point.
    .target(name: "CRecorder", path: "Tests/CRecorder"),
    .executableTarget(
      name: "CofferFaults",
      dependencies: ["Coffer", "CofferArchive", "CofferCore", "CofferTestSupport", "CRecorder"],
      path: "Tests/Faults"),
    // Changed inputs for the parsers.
    .executableTarget(
      name: "CofferFuzz",
      dependencies: [
        "Coffer", "CofferArchive", "CofferCore", "CofferTestSupport", "CofferToolKit",
      ],
      path: "Tests/Fuzz",
      exclude: ["Regressions"]),
    // Random programs with a model in memory, and histories of several processes.
    .executableTarget(
      name: "CofferSimulator",
      dependencies: ["Coffer", "CofferArchive", "CofferTestSupport", "CFaults"],
      path: "Tests/Simulator",
      exclude: ["seeds.txt"]),
    .testTarget(
      name: "CofferCoreTests",
      dependencies: ["Coffer", "CSQLCipher", "CofferFaults", "CofferFuzz"] + testSupport),
    .testTarget(name: "CofferQueryTests", dependencies: ["Coffer"] + testSupport),
    .testTarget(name: "CofferRecordsTests", dependencies: ["Coffer"] + testSupport),
    .testTarget(name: "CofferObservationTests", dependencies: ["Coffer"] + testSupport),
    .testTarget(name: "CofferDocumentsTests", dependencies: ["Coffer"] + testSupport),
    // What compiles in Swift 5's mode with GRDB.
    .testTarget(
      name: "CofferSwift5Tests", dependencies: ["Coffer"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "CofferArchiveTests",
      dependencies: ["Coffer", "CofferCore", "CofferArchive"] + testSupport),
    .testTarget(
      name: "CofferDrawingTests", dependencies: ["Coffer", "CofferDrawing"] + testSupport),
    .testTarget(
      name: "CofferBrowseTests",
      dependencies: ["Coffer", "CofferArchive", "CofferBrowse", "CofferToolKit"] + testSupport),
    .testTarget(
      name: "CofferToolTests", dependencies: ["CofferTool", "CofferToolKit", "CofferTestSupport"]),
    .testTarget(
      name: "InventoryTests", dependencies: ["Coffer", "Inventory", "CofferTestSupport"]),
    .testTarget(
      name: "CofferDocsTests",
      dependencies: ["Coffer", "CofferArchive", "BenchmarkReport"] + testSupport),
  ],
  swiftLanguageModes: [.v6]
)
