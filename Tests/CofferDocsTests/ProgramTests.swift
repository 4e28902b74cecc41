import Coffer
import Foundation
import Testing

/// The Swift blocks of the README and of the site's articles: each is a file that a reader can
/// copy.
@Suite(.enabled(if: Programs.compiler != nil, "no Swift compiler next to the runtime"))
struct ProgramTests {
  private static let guides: [String] = (try? Programs.extractor.guides()) ?? []

  /// The blocks of a document run in one folder, so that a block finds what an earlier one stored.
  @Test(arguments: guides)
  func `each block of a guide compiles in a file of its own, and runs after those before it`(
    _ guide: String
  ) throws {
    let programs = try Programs(guide)
    for block in try Programs.extractor.blocks(in: guide) where block.language == "swift" {
      if block.words.contains("sqlcipher4"), !Scene.hasAllOfSQLCipher4 { continue }
      let executable = try programs.build(block)
      guard let executable else { continue }
      let output = try programs.run(executable)
      #expect(output.status == 0, "\(block.title): \(output.text)")
      let missing = Programs.missing(Programs.expectedLines(block), in: output.text)
      #expect(missing == nil, "\(block.title) prints no such line, or not there; \(output.text)")
    }
  }

  @Test func `the declared mappings of doc comments compile at the top of a file`() throws {
    let compiler = try #require(Programs.compiler)
    let folder = Programs.extractor.root.appendingPathComponent("Sources/CofferRecords/Mapping")
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
      let url = folder.appendingPathComponent(file)
      let comments = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        .compactMap { $0.firstMatch(of: /^ *\/\/\/ ?(.*)$/).map { String($0.output.1) } }
      let text = comments.joined(separator: "\n")
      for block in SnippetExtractor.blocks(of: text, in: file) {
        guard let source = Programs.types(in: block), source.contains("Mapping(") else { continue }
        count += 1
        #expect(try compiler.errorsByLine(in: source, options: []) == [:], "\(block.title)")
      }
    }
    #expect(count >= 3)
  }

  @Test func `guides have programs`() throws {
    let counts = try Self.guides.map { guide in
      try Programs.extractor.blocks(in: guide).count { $0.language == "swift" }
    }
    #expect(counts.first ?? 0 > 0)
    #expect(counts.dropFirst().contains { $0 > 0 })
  }

  @Test func `the comment after a print is the line that it has to print`() {
    let block = SnippetExtractor.Block(
      title: "", language: "swift", words: [],
      lines: ["print(1 + 1)  // 2", "let x = 3  // three", "  print(x)  // 3", "print(x)"])
    let lines = Programs.expectedLines(block)
    #expect(lines == ["2", "3"])
    #expect(Programs.missing(lines, in: "2\nother\n3\n3\n") == nil)
    #expect(Programs.missing(lines, in: "3\n2\n") == "3")
  }
}
