/// A name as SQLite compares it: ASCII letters are the same in either case.
package struct SQLName: Sendable, Hashable, Comparable {
  /// The name as it was written.
  package let text: String
  private let folded: String

  package init(_ text: String) {
    self.text = text
    guard text.utf8.contains(where: { (0x41...0x5A).contains($0) }) else {
      folded = text
      return
    }
    folded = String(
      decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  package static func == (lhs: SQLName, rhs: SQLName) -> Bool { lhs.folded == rhs.folded }
  package static func < (lhs: SQLName, rhs: SQLName) -> Bool { lhs.folded < rhs.folded }
  package func hash(into hasher: inout Hasher) { hasher.combine(folded) }

  /// Whether the table is SQLite's own.
  package var isInternal: Bool { folded.hasPrefix("sqlite_") }
}
