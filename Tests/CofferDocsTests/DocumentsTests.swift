import Coffer
import Foundation
import Testing

@Suite struct DocumentsTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent()  // CofferDocsTests
    .deletingLastPathComponent()  // Tests
    .deletingLastPathComponent()
  private let extractor = SnippetExtractor(root: root)

  @Test func `the compiled code blocks are those of the documents`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let committed = try String(
      contentsOf: folder.appendingPathComponent("Snippets.swift"), encoding: .utf8)
    let isCurrent = try committed == extractor.source()
    #expect(isCurrent, "Run Scripts/extract-snippets, and commit what it writes.")
  }

  @Test func `every code block names a language, and every Swift block is compiled`() throws {
    let blocks = try extractor.blocks()
    let known: Set = ["swift", "text", "sh", "sql", "ini"]
    let contexts: Set = [
      "queue", "db", "library", "store", "archive", "configuration", "throws", "sqlcipher4",
    ]
    for block in blocks {
      #expect(known.contains(block.language), "\(block.title): \(block.language)")
      let unknown = Set(block.words).subtracting(contexts)
      #expect(block.language == "swift" ? unknown.isEmpty : block.words.isEmpty, "\(block.title)")
    }
    let programs = try extractor.guides().flatMap { try extractor.blocks(in: $0) }
    #expect(
      blocks.filter { $0.language == "swift" && !programs.contains($0) }.map(\.title)
        == snippets.map(\.title))
  }

  @Test(arguments: snippets)
  func `a code block does what its document says`(_ snippet: Snippet) async throws {
    if snippet.words.contains("sqlcipher4"), !Scene.hasAllOfSQLCipher4 { return }
    let scene = try Scene()
    if snippet.words.contains("throws") {
      await #expect(throws: (any Error).self) { try await snippet.run(scene) }
    } else {
      try await snippet.run(scene)
    }
  }

  @Test func `links between documents lead to files and headings`() throws {
    var count = 0
    for document in try extractor.documents() {
      let url = Self.root.appendingPathComponent(document)
      let text = try String(contentsOf: url, encoding: .utf8)
      for match in text.matches(of: /\]\(([^):#]*)(#[^)]*)?\)/) {
        count += 1
        let (path, anchor) = (String(match.output.1), match.output.2.map(String.init))
        let target =
          path.isEmpty ? url : url.deletingLastPathComponent().appendingPathComponent(path)
        let exists = FileManager.default.fileExists(atPath: target.path)
        #expect(exists, "\(document): \(match.output.0)")
        guard exists, let anchor else { continue }
        let headings = try anchors(in: String(contentsOf: target, encoding: .utf8))
        #expect(headings.contains(anchor), "\(document): \(match.output.0)")
      }
    }
    #expect(count > 0)
  }

  /// The anchors of headings: lowercase, hyphens for blanks, punctuation left out.
  private func anchors(in text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
        let heading = line.drop { $0 == "#" }.dropFirst().lowercased()
        return "#"
          + heading.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
          .replacing(" ", with: "-")
      })
  }

  @Test func `the architecture names each folder of the sources, and fits a short hour`() throws {
    let url = Self.root.appendingPathComponent("Docs/Architecture.md")
    let lines = try String(contentsOf: url, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 300)
    var named: [String: Set<String>] = [:]
    var target: String?
    for line in lines {
      if let match = line.wholeMatch(of: /`([A-Za-z]+)`:/) {
        target = String(match.output.1)
      } else if line.hasPrefix("## ") {
        target = nil
      } else if let target, let match = line.prefixMatch(of: /\| `([A-Za-z]+)` \|/) {
        named[target, default: []].insert(String(match.output.1))
      }
    }
    let sources = Self.root.appendingPathComponent("Sources")
    func folders(_ url: URL) throws -> Set<String> {
      let files = FileManager.default
      return try Set(
        files.contentsOfDirectory(atPath: url.path).filter { name in
          let path = url.appendingPathComponent(name).path
          return try !name.hasSuffix(".docc")
            && files.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeDirectory
        })
    }
    for target in try folders(sources) {
      let found = try folders(sources.appendingPathComponent(target))
      #expect(named[target] ?? [] == found, "\(target)")
    }
  }

  @Test func `what is there for SQLCipher 3 alone is listed`() throws {
    let url = Self.root.appendingPathComponent("Docs/Internals/SQLCipher3.md")
    let page = try String(contentsOf: url, encoding: .utf8)
    let listed = Set(page.matches(of: /`([A-Za-z0-9+]+\.swift)`/).map { String($0.output.1) })
    let sources = Self.root.appendingPathComponent("Sources")
    let question =
      /SQLiteFeatures\.linked\.[a-z]|features\.(has|require)|SQLCipherGeneration\.linked|generation: SQLCipherGeneration/
    var asking: Set<String> = ["SQLiteFeatures.swift", "SQLCipherGeneration.swift"]
    var all: Set<String> = []
    for case let file as URL in try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    where file.pathExtension == "swift" {
      all.insert(file.lastPathComponent)
      let text = try String(contentsOf: file, encoding: .utf8)
      if text.contains(question) { asking.insert(file.lastPathComponent) }
    }
    #expect(asking.subtracting(listed).isEmpty)
    #expect(listed.subtracting(all).isEmpty)
  }

  @Test func `the manifest that the README shows names a product that there is`() throws {
    let manifest = try String(
      contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
    let readme = try #require(try extractor.blocks().first { $0.language == "text" })
    #expect(readme.lines.contains { $0.contains(#".product(name: "Coffer", package: "coffer")"#) })
    #expect(manifest.contains(#".library(name: "Coffer","#))
  }

  @Test func `the tool, the changelog and the manifests to copy have the same version`() throws {
    func versions(_ path: String, _ pattern: Regex<(Substring, Substring)>) throws -> [String] {
      let url = Self.root.appendingPathComponent(path)
      return try String(contentsOf: url, encoding: .utf8).matches(of: pattern)
        .map { String($0.output.1) }
    }
    let tool = "Sources/CofferToolKit/CommandLine/Tool.swift"
    let version = try #require(try versions(tool, /version = "([0-9.]+)"/).first)
    #expect(try versions("CHANGELOG.md", /(?m)^## ([0-9.]+) – \d{4}-\d\d-\d\d$/).first == version)
    for guide in ["README.md", "Sources/Coffer/Coffer.docc/GettingStarted.md"] {
      #expect(try versions(guide, /from: "([0-9.]+)"/) == [version], "\(guide)")
    }
  }

  @Test func `blocks are distinguished from text, and counted under their headings`() {
    let text = """
      # Title
      ```swift db throws
      let x = 1
      ```
      words
      ```sh
      make test
      ```
      ## Next
      ```
      """
    typealias Block = SnippetExtractor.Block
    #expect(
      SnippetExtractor.blocks(of: text, in: "A.md") == [
        Block(
          title: "A.md, Title, 1", language: "swift", words: ["db", "throws"], lines: ["let x = 1"]),
        Block(title: "A.md, Title, 2", language: "sh", words: [], lines: ["make test"]),
        Block(title: "A.md, Next, 1", language: "unclosed", words: [], lines: []),
      ])
  }
}
