import Foundation
import Testing

/// The compiler of the toolchain whose runtime this process uses.
struct Compiler {
  static let found = Compiler()

  /// The folder with the objects of this build, a subfolder for each module.
  let build: URL
  private let executable: String
  private let arguments: [String]

  private init?() {
    let files = FileManager.default
    // The runtime is …/usr/lib/swift/linux/libswiftCore.so, the compiler …/usr/bin/swiftc. The file
    // is read to its end, since it has no size: String(contentsOfFile:) would read one page.
    guard let file = FileHandle(forReadingAtPath: "/proc/self/maps"),
      case let maps = String(decoding: file.readDataToEndOfFile(), as: UTF8.self),
      let line = maps.split(separator: "\n").first(where: { $0.hasSuffix("/libswiftCore.so") }),
      let start = line.firstIndex(of: "/"),
      let end = line.range(of: "/lib/swift/linux/libswiftCore.so", options: .backwards)
    else { return nil }
    executable = line[start..<end.lowerBound] + "/bin/swiftc"
    build = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    // Targets link to this file, or to its folder: it isn't always as deep.
    var package = URL(fileURLWithPath: #filePath)
    while package.path != "/",
      !files.fileExists(atPath: package.appendingPathComponent("Package.swift").path)
    {
      package.deleteLastPathComponent()
    }
    let modules = build.appendingPathComponent("Modules").path
    let map = package.appendingPathComponent("Sources/CSQLCipher/module.modulemap").path
    guard files.isExecutableFile(atPath: executable), files.fileExists(atPath: map),
      files.fileExists(atPath: modules + "/Coffer.swiftmodule"),
      let flags = Command.run("/usr/bin/env", ["pkg-config", "--cflags", "sqlcipher"]),
      flags.status == 0
    else { return nil }
    arguments =
      ["-swift-version", "6", "-I", modules, "-Xcc", "-fmodule-map-file=" + map]
      + flags.output.split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
  }

  /// Runs the compiler with the package's modules in its reach.
  func run(_ options: [String]) -> (status: CInt, output: String)? {
    Command.run(executable, arguments + options)
  }

  /// The first error of each line of the source with errors; lines count from 1.
  func errorsByLine(in source: String, options: [String]) throws -> [Int: String] {
    let directory = try TemporaryDirectory()
    let path = directory.path("Snippet.swift")
    try source.write(toFile: path, atomically: true, encoding: .utf8)
    let result = run(["-typecheck", "-diagnostic-style=llvm"] + options + [path])
    let output = try #require(result?.output)
    let lines = output.split(separator: "\n").compactMap { line -> (Int, String)? in
      let parts = line.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false)
      guard parts.count == 5, parts[0] == path, parts[3] == " error" else { return nil }
      return Int(parts[1]).map { ($0, String(parts[4])) }
    }
    if lines.isEmpty { #expect(!output.contains("error:"), "\(output)") }
    return Dictionary(lines, uniquingKeysWith: { first, _ in first })
  }
}
