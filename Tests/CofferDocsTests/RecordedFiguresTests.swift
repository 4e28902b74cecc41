import BenchmarkReport
import Foundation
import Testing

/// The figures in the documents are those of the recorded runs.
@Suite struct RecordedFiguresTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent()  // CofferDocsTests
    .deletingLastPathComponent()  // Tests
    .deletingLastPathComponent()
  private static let documents = ["README.md", "Docs/Performance.md"]

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private static func run(_ path: String) throws -> Run {
    try Run(contentsOf: root.appendingPathComponent(path))
  }

  @Test(arguments: documents)
  func `the figures of a document are those of the recorded run`(_ path: String) throws {
    let text = try Self.text(path)
    var document = try MarkedDocument(text)
    #expect(!document.blocks.isEmpty)
    for source in Set(document.blocks.map(\.path)) {
      document.fill(from: try Self.run(source), at: source, in: path)
    }
    let isCurrent = document.text == text
    #expect(isCurrent, "Run Benchmarks --from FILE --tables \(path), and commit what it writes.")
  }

  /// Reads the table as a reader does, without the code that has written it.
  @Test func `each row of the README's table has the ratio and the verdict of the run`() throws {
    let document = try MarkedDocument(Self.text("README.md"))
    let block = try #require(document.blocks.first { $0.name == "main" })
    let figures = try Self.run(block.path).benchmarks
    let rows = block.lines.filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(rows.count == PublishedTable.main.rows.count)
    for (cells, row) in zip(rows, PublishedTable.main.rows) {
      let figure = try #require(figures.first { $0.name == row.benchmark }, "\(row.benchmark)")
      let (ratio, goal) = try (#require(figure.ratio), #require(figure.goal))
      #expect(cells[0] == row.title)
      #expect(cells[1] == "≤ " + String(format: "%.2f", goal))
      #expect(cells[2] == String(format: "%.2f", ratio))
      // The reader compares the two numbers that are shown.
      let shown = try (#require(Double(cells[2])), #require(Double(cells[1].dropFirst(2))))
      #expect(cells[3] == (shown.0 <= shown.1 ? "yes" : "**missed**"), "\(row.benchmark)")
    }
  }

  @Test(arguments: documents)
  func `no row with a goal stands outside the recorded figures`(_ path: String) throws {
    var isInBlock = false
    for line in try Self.text(path).split(separator: "\n") {
      if line.hasPrefix("<!-- figures: ") { isInBlock = true }
      if line.hasPrefix("<!-- end of figures") { isInBlock = false }
      #expect(isInBlock || !(line.hasPrefix("|") && line.contains("≤")), "\(line)")
    }
  }

  @Test func `the recorded run has every benchmark that a table lists`() throws {
    let document = try MarkedDocument(Self.text("Docs/Performance.md"))
    let block = try #require(document.blocks.first { $0.name == "main" })
    let names = Set(try Self.run(block.path).benchmarks.map(\.name))
    for row in PublishedTable.all.flatMap(\.rows) {
      #expect(names.contains(row.benchmark), "\(row.benchmark)")
    }
    #expect(Set(document.blocks.map(\.name)).isSuperset(of: Tables.names))
    let cached = try #require(document.blocks.first { $0.name == "cached" })
    let figures = try Self.run(cached.path).benchmarks
    #expect(figures.map(\.name).sorted() == PublishedTable.cached.rows.map(\.benchmark).sorted())
  }

  @Test func `the picture is that of the run that the README shows`() throws {
    let readme = try Self.text("README.md")
    let source = try #require(MarkedDocument(readme).blocks.first?.path)
    let picture = source.replacing(".json", with: ".svg")
    #expect(readme.contains("](\(picture))"))
    let isCurrent = try Self.text(picture) == Chart(Self.run(source)).svg
    #expect(isCurrent, "Run Benchmarks --from \(source) --chart \(picture).")
  }
}
