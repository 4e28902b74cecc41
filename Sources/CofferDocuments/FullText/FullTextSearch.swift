import CofferCore

/// A search of a query.
struct FullTextSearch: Sendable {
  /// What a relevance is called in a query; no property is called so.
  static let rankColumn = "coffer_rank"

  let index: FullTextIndex
  let pattern: String
  let column: String?
  /// Whether its relevance is an order of the query.
  var isOrder = false

  /// `_rowid_ IN (SELECT rowid FROM … WHERE … MATCH ?)`
  func condition(_ table: DocumentTable) -> SQL {
    SQL(
      elements: [.text("\(table.name).\(table.rowIDName) IN (")]
        + index.search(pattern, in: column, selecting: "rowid") + [.text(")")])
  }

  /// What follows the table in a query that is ordered: the relevance, as a column.
  ///
  /// It is computed for each match once; a subquery in the order would search again for each.
  func join(_ table: DocumentTable) -> [SQL.Element] {
    [.text(" JOIN (")]
      + index.search(
        pattern, in: column, selecting: "rowid AS coffer_match, rank AS \(Self.rankColumn)")
      + [.text(") ON coffer_match = \(table.name).\(table.rowIDName)")]
  }
}
