import CofferCore

/// A full-text search in a query.
struct FullTextSearch: Sendable {
  /// The name of the relevance column in a query; no property has this name.
  static let rankColumn = "coffer_rank"

  let index: FullTextIndex
  let pattern: String
  let column: String?
  /// Whether the query is ordered by its relevance.
  var isOrder = false

  /// `_rowid_ IN (SELECT rowid FROM … WHERE … MATCH ?)`
  func condition(_ table: DocumentTable) -> SQL {
    let rows = index.search(pattern, in: column, selecting: "rowid")
    return "\(sql: table.name).\(sql: table.rowIDName) IN (\(rows))"
  }

  /// The join that adds the relevance as a column, for a query ordered by it.
  ///
  /// The join computes it once per match; a subquery in the order would search again for each row.
  func join(_ table: DocumentTable) -> SQL {
    let matches = index.search(
      pattern, in: column, selecting: "rowid AS coffer_match, rank AS \(Self.rankColumn)")
    return " JOIN (\(matches)) ON coffer_match = \(sql: table.name).\(sql: table.rowIDName)"
  }
}
