import CofferTestSupport
import Foundation
import Testing

@testable import CofferDrawing

struct SchemaDiagramTests {
  private typealias Table = SchemaDiagram.Table

  private static func table(_ name: String, to others: [String] = [], columns: Int = 3) -> Table {
    Table(
      name: name,
      columns: (0..<columns).map {
        SchemaDiagram.Column(name: "c\($0)", type: "INT", isPrimaryKey: $0 == 0)
      }, address: "table?name=\(name)",
      foreignKeys: others.map { SchemaDiagram.ForeignKey(columns: ["c1"], table: $0) })
  }

  @Test func `each table is drawn once, and each foreign key`() throws {
    var generator = SeededGenerator()
    for _ in 0..<trialCount(20) {
      let count = Int.random(in: 1...60, using: &generator)
      let tables = (0..<count).map { number in
        Self.table(
          "table\(number)",
          to: (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            "TABLE\(Int.random(in: 0..<count, using: &generator))"
          })
      }
      let text = SchemaDiagram.draw(tables: tables).render()
      for number in 0..<count {
        #expect(text.components(separatedBy: ">table\(number)</text>").count == 2)
      }
      let arrows = tables.reduce(0) { $0 + $1.foreignKeys.count }
      #expect(text.components(separatedBy: "class=\"arrow\"").count == arrows + 1)
      try Self.expectMarkup(text)
      #expect(!text.contains("nan") && !text.contains("inf"))
    }
  }

  @Test func `names of tables and columns are text`() throws {
    let odd = [
      "<script>alert(1)</script>", "\"quotes\" & 'more'", "line\nbreak", "\u{202E}right to left",
      "]]>", "<!--", "\u{0}zero", "",
    ]
    let tables = odd.map { name in
      Table(
        name: name, columns: odd.map { SchemaDiagram.Column(name: $0, type: $0) },
        address: "table?name=" + name,
        foreignKeys: [SchemaDiagram.ForeignKey(columns: [name], table: odd[0], targets: [name])])
    }
    let text = SchemaDiagram.draw(tables: tables).render()
    #expect(!text.contains("<script") && !text.contains("<!--"))
    try Self.expectMarkup(text)
  }

  @Test func `of many columns those of keys are drawn`() {
    var wide = Self.table("wide", to: ["wide"], columns: 2000)
    wide.foreignKeys[0].columns = ["c1999"]
    let text = SchemaDiagram.draw(tables: [wide]).render()
    #expect(text.contains(">c0</text>") && text.contains(">c1999</text>"))
    #expect(text.contains("and \(2000 - SchemaDiagram.columnLimit) more"))
    #expect(!text.contains(">c1500</text>"))
  }

  @Test func `a foreign key to a table that isn't there has no arrow`() {
    let text = SchemaDiagram.draw(tables: [Self.table("a", to: ["gone"])]).render()
    #expect(!text.contains("class=\"arrow\""))
  }

  @Test func `a file without tables has an empty diagram`() {
    #expect(SchemaDiagram.draw(tables: []).render().contains("0 tables"))
  }

  /// Expects elements that are closed in order.
  static func expectMarkup(_ text: String) throws {
    var open: [Substring] = []
    for tag in text.matches(of: /<(\/?)([a-z]+)[^<>]*>/) {
      if tag.1.isEmpty { open.append(tag.2) } else { #expect(open.popLast() == tag.2) }
    }
    #expect(open.isEmpty)
    // What is between tags has no angle brackets.
    let rest = text.replacing(/<\/?[a-z]+[^<>]*>/, with: "")
    #expect(!rest.contains("<") && !rest.contains(">"))
  }
}
