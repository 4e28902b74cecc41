import CofferCore

/// A table or a view of the schema, with the parts read so far.
///
/// It is discarded when the schema changes.
package final class SchemaTable {
  package enum Kind: Sendable {
    case table, virtualTable, view
  }

  /// The name as it was created, and the schema.
  package let id: DatabaseObjectID
  package let kind: Kind

  var columns: [ColumnInfo]? {
    didSet { columnIndices = nil }
  }
  /// The key; nil if it hasn't been read. A view may have none.
  var primaryKey: PrimaryKeyInfo??
  var indexes: [IndexInfo]?
  var foreignKeys: [ForeignKeyInfo]?
  /// The full-text tables whose content is in this table.
  var fullTextTables: [FullTextTable]?
  private var columnIndices: [SQLName: Int]?

  init(id: DatabaseObjectID, kind: Kind) {
    self.id = id
    self.kind = kind
  }

  /// Returns the column with this name, case-insensitively, if the columns have been read.
  func column(named name: String) -> ColumnInfo? {
    guard let columns else { return nil }
    if let index = columnIndices?[SQLName(name)] { return columns[index] }
    guard columnIndices == nil else { return nil }
    let indices = Dictionary(
      columns.enumerated().map { (SQLName($0.element.name), $0.offset) },
      uniquingKeysWith: { first, _ in first })
    columnIndices = indices
    return indices[SQLName(name)].map { columns[$0] }
  }

  /// Returns a pragma about the table: `PRAGMA "schema".name("table")`.
  func pragma(_ name: String) -> String {
    "PRAGMA \(id.schemaID.name.quotedDatabaseIdentifier).\(name)(\(id.name.quotedDatabaseIdentifier))"
  }
}
