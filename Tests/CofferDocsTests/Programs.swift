import CofferExpectations
import CofferTestSupport
import Foundation
import Testing

/// The programs of a document: built against the modules of this build, run in one folder.
struct Programs {
  static let compiler = Compiler.found
  static let extractor = SnippetExtractor(
    root: URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent()  // CofferDocsTests
      .deletingLastPathComponent()  // Tests
      .deletingLastPathComponent())

  private let folder: TemporaryDirectory

  /// An empty folder for the programs of a document.
  init(_ document: String) throws {
    folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: folder.path("files"), withIntermediateDirectories: false)
  }

  /// Compiles a block as it stands.
  ///
  /// - Returns: The path of the program; nil where it doesn't compile without warnings, which is
  ///   recorded.
  func build(_ block: SnippetExtractor.Block) throws -> String? {
    let library = try Library.shared.get()
    let compiler = try #require(Self.compiler)
    let source = folder.path("main.swift")
    var sources = [source]
    try (block.lines.joined(separator: "\n") + "\n")
      .write(toFile: source, atomically: true, encoding: .utf8)
    if block.lines.contains("import Testing") {
      // Tests of a reader's package: what SwiftPM adds is the entry point.
      try FileManager.default.moveItem(atPath: source, toPath: folder.path("Tests.swift"))
      try "import Testing\nawait Testing.__swiftPMEntryPoint() as Never\n"
        .write(toFile: source, atomically: true, encoding: .utf8)
      sources.append(folder.path("Tests.swift"))
    }
    let program = folder.path("program")
    let result = compiler.run(
      sources + [
        "-o", program, "-module-name", "Program", "-warnings-as-errors",
        "-L", library.folder.path, "-lPrograms", "-Xlinker", "-rpath", "-Xlinker",
        library.folder.path,
      ] + compiler.linkFlags)
    let isBuilt = result?.status == 0
    #expect(isBuilt, "\(block.title): \(result?.output ?? "")")
    return isBuilt ? program : nil
  }

  /// Runs a program in the document's folder, without a terminal that it could ask.
  func run(_ program: String) throws -> (status: CInt, text: String) {
    let script = "cd \"$1\" && exec \"$2\" </dev/null"
    let result = Command.run("/bin/sh", ["-c", script, "sh", folder.path("files"), program])
    let (status, output) = try #require(result)
    return (status, output)
  }

  /// What the comments after `print` say that it prints, such as `print(count)  // 3`.
  static func expectedLines(_ block: SnippetExtractor.Block) -> [String] {
    block.lines.compactMap { line in
      line.firstMatch(of: /^\s*print\(.*\)  \/\/ (.*)$/).map { String($0.output.1) }
    }
  }

  /// The types that a block declares, as a file; nil where there are none.
  static func types(in block: SnippetExtractor.Block) -> String? {
    var lines: [String] = []
    var isInside = false
    for line in block.lines {
      if line.hasPrefix("struct ") { isInside = true }
      if isInside { lines.append(line) }
      if line.hasPrefix("}") { isInside = false }
    }
    return lines.isEmpty ? nil : "import Coffer\n" + lines.joined(separator: "\n") + "\n"
  }

  /// The first line that an output doesn't have, or not after the ones before it.
  static func missing(_ lines: [String], in output: String) -> String? {
    var rest = output.split(separator: "\n", omittingEmptySubsequences: false)[...]
    for line in lines {
      guard let index = rest.firstIndex(where: { $0 == line }) else { return line }
      rest = rest[(index + 1)...]
    }
    return nil
  }
}

/// Coffer's modules as one shared library, which makes linking a program quick.
private struct Library {
  static let shared = Result { try Library() }
  let folder: TemporaryDirectory
  private init() throws {
    folder = try TemporaryDirectory()
    let compiler = try #require(Compiler.found)
    let modules = [
      "CofferSQLite", "CofferVault", "CofferCore", "CofferQuery", "CofferRecords",
      "CofferObservation", "CofferDocuments", "Coffer", "CofferArchive",
    ]
    // What the tests are linked from; the modules' folders can have objects of files that are gone.
    let list = compiler.build.appendingPathComponent(
      "CofferPackageTests.product/Objects.LinkFileList")
    let objects = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
      .map { $0.trimmingCharacters(in: ["'", "\""]) }
      .filter { path in modules.contains { path.contains("/\($0).build/") } }
    let result = compiler.run(
      ["-emit-library", "-o", folder.path("libPrograms.so")] + objects + compiler.linkFlags)
    if result?.status != 0 { Issue.record("\(result?.output ?? "")") }
  }
}
