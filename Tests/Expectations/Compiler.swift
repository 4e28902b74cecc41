import CofferTestSupport
import Foundation
import Testing

/// The compiler of the toolchain whose runtime this process uses.
package struct Compiler {
  package static let found = Compiler()

  /// The folder with the objects of this build, a subfolder for each module.
  package let build: URL
  /// Those of the C libraries of this build.
  package let linkFlags: [String]
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
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent()  // Expectations
      .deletingLastPathComponent()  // Tests
      .deletingLastPathComponent()
    let modules = build.appendingPathComponent("Modules").path
    guard files.isExecutableFile(atPath: executable),
      files.fileExists(atPath: modules + "/Coffer.swiftmodule"),
      Self.flags("--cflags", of: "sqlcipher") != nil
    else { return nil }
    var arguments = ["-swift-version", "6", "-I", modules]
    for (module, library) in Self.libraries {
      let map = package.appendingPathComponent("Sources/\(module)/module.modulemap").path
      let options = ["-fmodule-map-file=" + map] + (Self.flags("--cflags", of: library) ?? [])
      arguments += options.flatMap { ["-Xcc", $0] }
    }
    self.arguments = arguments
    linkFlags = Self.libraries.flatMap { Self.flags("--libs", of: $0.library) ?? [] }
  }

  /// The C libraries that the package can be built with, which its modules ask the compiler for.
  private static let libraries: [(module: String, library: String)] = [
    ("CSQLCipher", "sqlcipher"), ("CCurl", "libcurl"),
    ("CSecret", "libsecret-1"),
  ]

  /// What pkg-config says of a library; nil where there is none.
  private static func flags(_ option: String, of library: String) -> [String]? {
    guard let result = Command.run("/usr/bin/env", ["pkg-config", option, library]),
      result.status == 0
    else { return nil }
    return result.output.split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Runs the compiler with the package's modules in its reach.
  package func run(_ options: [String]) -> (status: CInt, output: String)? {
    Command.run(executable, arguments + options)
  }

  /// The first error of each line of the source with errors; lines count from 1.
  package func errorsByLine(in source: String, options: [String]) throws -> [Int: String] {
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
