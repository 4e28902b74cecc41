import CofferCore

/// A table or a view as it is in the schema, and what has been read of it so far.
///
/// It is dropped as a whole when the schema changes.
package final class SchemaTable {
  package enum Kind: Sendable {
    case table, virtualTable, view
  }

  /// The name as it was created, and where it is.
  package let id: DatabaseObjectID
  package let kind: Kind

  var columns: [ColumnInfo]? {
    didSet { columnIndices = nil }
  }
  /// Nil where it was not read; a view may have none.
  var primaryKey: PrimaryKeyInfo??
  var indexes: [IndexInfo]?
  var foreignKeys: [ForeignKeyInfo]?
  private var columnIndices: [SQLName: Int]?

  init(id: DatabaseObjectID, kind: Kind) {
    self.id = id
    self.kind = kind
  }

  /// The column of that name, in either case, once columns are read.
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

  /// `"schema".pragma("table")`.
  func pragma(_ name: String) -> String {
    "PRAGMA \(id.schemaID.name.quotedDatabaseIdentifier).\(name)(\(id.name.quotedDatabaseIdentifier))"
  }
}
