import Foundation

/// Takes the Swift code blocks out of the documents.
///
/// Blocks of the README and of the site's articles are programs: each is a file of its own. Those
/// of the other documents become functions of a Swift file. Such a block begins with ```` ```swift
/// ````, and may have more words on that line, a program's in a comment such as `<!-- sqlcipher4
/// -->` on the line before it:
///
/// - nothing: the block is the body of a function;
/// - `queue`: there is a `queue`, a `DatabaseQueue` with the table `player`;
/// - `db`: the block stands inside `queue.write { db in … }`;
/// - `library`: the same, with the tables `author` and `book`;
/// - `store`: there are a `store` and its collection `books`, with types `Book` and `Author`;
/// - `archive`: there are an `archive` of a database, and its `key`;
/// - `configuration`: there is a `var configuration`, with which a queue is opened afterwards;
/// - `throws`: running the block has to throw;
/// - `sqlcipher4`: the block is run on SQLCipher 4 only.
///
/// File names such as `"vault.db"` become paths in the block's folder.
struct SnippetExtractor {
  /// A code block.
  struct Block: Equatable {
    /// Such as `README.md, Opening, 1`: headings outlive the lines above them.
    var title: String
    var language: String
    var words: [String]
    var lines: [String]
  }

  /// The root of the package.
  let root: URL

  /// The documents whose Swift blocks are programs.
  func guides() throws -> [String] {
    try ["README.md"] + markdown(in: "Sources/Coffer/Coffer.docc")
  }

  /// All documents, in their order.
  func documents() throws -> [String] {
    try guides() + markdown(in: "Docs") + markdown(in: "Docs/Internals")
  }

  private func markdown(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
      .filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
  }

  /// The code blocks of a document.
  func blocks(in document: String) throws -> [Block] {
    let url = root.appendingPathComponent(document)
    return SnippetExtractor.blocks(of: try String(contentsOf: url, encoding: .utf8), in: document)
  }

  /// All code blocks of all documents.
  func blocks() throws -> [Block] {
    try documents().flatMap { try blocks(in: $0) }
  }

  static func blocks(of text: String, in document: String) -> [Block] {
    var blocks: [Block] = []
    var current: Block?
    var heading = ""
    var count = 0
    var comment: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if var block = current {
        if line == "```" {
          blocks.append(block)
          current = nil
        } else {
          block.lines.append(line)
          current = block
        }
      } else if line.hasPrefix("```") {
        let words = line.dropFirst(3).split(separator: " ").map(String.init)
        count += 1
        current = Block(
          title: "\(document), \(heading), \(count)", language: words.first ?? "",
          words: Array(words.dropFirst()) + comment, lines: [])
      } else if line.hasPrefix("#") {
        heading = String(line.drop { $0 == "#" }.dropFirst())
        count = 0
      }
      let isComment = line.hasPrefix("<!-- ") && line.hasSuffix(" -->")
      comment = isComment ? line.split(separator: " ").dropFirst().dropLast().map(String.init) : []
    }
    if var block = current {
      block.language = "unclosed"
      blocks.append(block)
    }
    return blocks
  }

  // MARK: The Swift file

  /// The text of `Snippets.swift`.
  func source() throws -> String {
    let guides = try Set(guides())
    let documents = try documents().filter { !guides.contains($0) }
    let blocks = try documents.flatMap { try self.blocks(in: $0) }
      .filter { $0.language == "swift" }
    var text = """
      // swift-format-ignore-file
      // Written by Scripts/extract-snippets from the documents. Change those, and run it again.

      import Coffer
      import CofferArchive
      import Foundation

      let snippets: [Snippet] = [

      """
    for (index, block) in blocks.enumerated() {
      let words = block.words.map { "\"\($0)\"" }.joined(separator: ", ")
      text += "  Snippet(\"\(block.title)\", [\(words)], snippet\(index + 1)),\n"
    }
    text += "]\n\n// The blocks print to nowhere.\nprivate func print(_ items: Any...) {}\n"
    for (index, block) in blocks.enumerated() {
      text += "\n// \(block.title)\n" + function("snippet\(index + 1)", block)
    }
    return text
  }

  private func function(_ name: String, _ block: Block) -> String {
    let body = SnippetExtractor.body(block)
    let isAsync = body.contains { $0.contains("await ") } ? "async " : ""
    var lines = ["private func \(name)(_ scene: Scene) \(isAsync)throws {"]
    let words = Set(block.words)
    if words.contains("db") || words.contains("library") {
      let queue = words.contains("db") ? "queue" : "library"
      lines.append("  try scene.\(queue)().write { db in")
      lines += body.map { $0.isEmpty ? $0 : "    " + $0 }
      lines.append("  }")
    } else {
      if words.contains("queue") { lines.append("  let queue = try scene.queue()") }
      if words.contains("store") {
        lines.append("  let (store, books) = try scene.store()")
        lines.append("  _ = (store, books)")
      }
      if words.contains("archive") {
        lines.append("  let (archive, key) = try scene.archive()")
        lines.append("  _ = (archive, key)")
      }
      if words.contains("configuration") {
        lines.append("  var configuration = Configuration()")
      }
      lines += body.map { $0.isEmpty ? $0 : "  " + $0 }
      if words.contains("configuration") { lines.append("  try scene.open(configuration)") }
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }

  /// The block's lines without imports, with paths for names of files, and with
  /// a use of each constant, which spares the compiler's warning.
  private static func body(_ block: Block) -> [String] {
    var constants: [String] = []
    var body: [String] = []
    for line in block.lines {
      if line.hasPrefix("import ") { continue }
      if line.hasPrefix("let ") || line.hasPrefix("var ") {
        constants.append(String(line.dropFirst(4).prefix { $0.isLetter || $0.isNumber }))
      }
      body.append(withPaths(line))
    }
    while body.first?.isEmpty == true { body.removeFirst() }
    return body + constants.map { "_ = \($0)" }
  }

  /// `"vault.db"` becomes `scene.file("vault.db")`.
  private static func withPaths(_ line: String) -> String {
    line.replacing(/"[A-Za-z0-9-]+\.(db|key|anchor|archive)"/) { "scene.file(\($0.output.0))" }
  }
}
